"""The test chat: asks the draft, or a version, while it is built."""

import reflex as rx

from agenticos_app.i18n import spent, t
from agenticos_app.schemas.conversations import TurnRow
from components.chat.composer import Composer, composer_icons, composer_labels
from components.chat.turns import turn_of
from components.live.answer import thread
from components.ui.base import Text, Told
from components.ui.button import button, icon_button, link_button
from components.ui.icon import icon
from components.ui.surfaces import note
from state.builder import BuilderState
from state.builder_chat import DRAFT, BuilderChatState
from state.session import SessionState


class _Place(rx.Component):
    library = "$/public/test_panel.jsx"


class _Panel(_Place):
    tag = "TestPanel"
    label: rx.Var[str]


class _Close(_Place):
    tag = "TestClose"
    label: rx.Var[str]


class _Toggle(_Place):
    tag = "TestToggle"
    show_label: rx.Var[str]
    hide_label: rx.Var[str]


def test_toggle() -> rx.Component:
    """Draw the button that shows and hides the test chat."""
    return _Toggle.create(
        icon("panel-right"),
        show_label=t("test_chat.show"),
        hide_label=t("test_chat.hide"),
        class_name="btn q sm",
    )


def test_chat() -> rx.Component:
    """Draw the panel. Once the draft is newer than the one that answered last, it offers to ask again."""
    versions = BuilderState.revision.to(str) + "/" + BuilderState.agent.latest_version.to(str)
    return _Panel.create(
        rx.el.div(
            _head(),
            rx.cond(BuilderChatState.turns.length() > 0, _turns(), _invitation()),
            rx.el.div(_in_the_way(), _again(), _composer(), class_name="test-dock"),
            Told.create(
                value=BuilderState.agent_id + "/" + versions,
                on_told=lambda _: BuilderChatState.open(BuilderState.agent_id),
            ),
            class_name="test-body",
        ),
        label=t("test_chat.title"),
        class_name="testing",
    )


def _head() -> rx.Component:
    tested = rx.el.div(
        rx.el.select(
            rx.el.option(t("test_chat.draft"), value=DRAFT),
            rx.foreach(
                BuilderChatState.versions,
                lambda number: rx.el.option(t("test_chat.version", number=number), value=number),
            ),
            value=BuilderChatState.tested,
            on_change=BuilderChatState.choose,
            aria_label=t("test_chat.tested"),
            class_name="in sm",
        ),
        icon("chevron-down"),
        class_name="pick",
    )
    return rx.el.div(
        rx.el.h2(t("test_chat.title"), class_name="b grow cut"),
        tested,
        rx.cond(
            BuilderChatState.turns.length() > 0,
            icon_button(
                "rotate-ccw",
                t("test_chat.clear"),
                small=True,
                side="bottom",
                disabled=BuilderChatState.running_run_id != "",
                on_click=BuilderChatState.clear,
            ),
        ),
        _Close.create(icon("x"), label=t("test_chat.hide"), class_name="btn q ic sm"),
        class_name="bar",
    )


@rx.memo
def test_turn(turn: rx.Var[TurnRow]) -> rx.Component:
    """Draw a turn of the test chat."""
    return turn_of(turn, agent=BuilderChatState.agent_name, on_end=BuilderChatState.ended)


def _turns() -> rx.Component:
    return thread(
        rx.foreach(BuilderChatState.turns, lambda turn: test_turn(turn=turn, key=turn.id.to(str))),
        name=BuilderChatState.agent_id,
        count=BuilderChatState.turns.length(),
        has_earlier=False,
        latest=t("chat.to_end"),
        on_earlier=rx.event.noop(),
    )


def _invitation() -> rx.Component:
    examples = (t("test_chat.example.can"), t("test_chat.example.not_know"), t("test_chat.example.ask"))
    return rx.el.div(
        rx.el.p(t("test_chat.sentence"), class_name="sec"),
        rx.cond(
            _able(),
            rx.el.div(
                *[
                    button(text, class_name="example-ask", on_click=BuilderChatState.send(text, []))
                    for text in examples
                ],
                class_name="col test-examples",
            ),
        ),
        class_name="scroll test-empty",
    )


def _able() -> rx.Var[bool]:
    return rx.cond(BuilderChatState.agent_name != "", BuilderChatState.problem == "", False).to(bool)


def _in_the_way() -> rx.Component:
    def told(sentence: Text, action: rx.Component | None = None) -> rx.Component:
        return note(sentence, icon="triangle-alert", tone="amber", action=action, role="status")

    choose = link_button(
        t("test_chat.choose_model"), href="/agents/edit?a=" + BuilderState.agent_id + "&s=model", small=True
    )
    models = link_button(t("test_chat.to_models"), href="/models", small=True)
    return rx.fragment(
        rx.match(
            BuilderChatState.problem,
            ("none", told(t("test_chat.problem.none"), choose)),
            ("gone", told(t("test_chat.problem.gone"), choose)),
            ("no_key", told(t("test_chat.problem.no_key"), models)),
            ("archived", told(t("test_chat.problem.archived"))),
            ("reserved", told(t("test_chat.problem.reserved"))),
            rx.fragment(),
        )
    )


def _again() -> rx.Component:
    is_newer = (
        (BuilderChatState.last_prompt != "")
        & (BuilderChatState.running_run_id == "")
        & (BuilderChatState.tested == DRAFT)
        & (BuilderState.revision > BuilderChatState.asked_revision)
    )
    return rx.cond(
        is_newer,
        note(
            t("test_chat.changed"),
            icon="pencil",
            action=button(
                t("test_chat.again"), icon="rotate-cw", small=True, on_click=BuilderChatState.rerun
            ),
            role="status",
        ),
    )


def _composer() -> rx.Component:
    me = SessionState.me
    draft_key = "test/" + me.user_id.to(str) + "/" + BuilderChatState.agent_id
    total = rx.cond(
        BuilderChatState.turns.length() > 0,
        rx.fragment(" · ", spent(BuilderChatState.cost_usd, is_partial=BuilderChatState.cost_is_partial)),
    )
    return Composer.create(
        rx.el.span(t("test_chat.real_money"), total, class_name="meta"),
        draft_key=rx.cond(me.is_not_none() & (BuilderChatState.agent_id != ""), draft_key, ""),
        able=_able(),
        busy=BuilderChatState.running_run_id != "",
        still=True,
        accepted=BuilderChatState.accepted,
        refused=BuilderChatState.refused,
        labels=composer_labels(t("test_chat.placeholder")),
        icons=composer_icons(),
        on_send=BuilderChatState.send,
        on_stop=BuilderChatState.stop,
    )
