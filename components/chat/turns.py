"""A turn: the person's words, the agent's work and answer, how it ended."""

import reflex as rx

from agenticos_app.contracts.events import Part
from agenticos_app.i18n import compact, duration, exact, size, spent, t, when
from agenticos_app.schemas.conversations import FileRow, TurnRow
from components.cards.capability import console_part
from components.live.answer import Answer, drawing, elapsed, thread
from components.live.reasons import reason
from components.ui.base import link
from components.ui.icon import icon
from components.ui.marks import avatar
from state.chat import ChatState
from state.session import SessionState


def _file(file: rx.Var[FileRow]) -> rx.Component:
    return rx.el.a(
        icon("file-text"),
        rx.el.span(file.name, class_name="b cut"),
        rx.el.span(size(file.size_bytes), class_name="meta"),
        href="/api/v1/files/" + file.id.to(str) + "?organization=" + SessionState.me.organization_id.to(str),
        download=True,
        class_name="att",
    )


@rx.memo
def working(since: rx.Var[str]) -> rx.Component:
    """Tell for how long the agent has worked."""
    return rx.el.span(t("chat.working_for", time=duration(elapsed(since))), class_name="fold lite")


def _worked(turn: rx.Var[TurnRow]) -> rx.Component:
    span = duration(turn.milliseconds)
    return rx.cond(
        turn.steps > 0, rx.el.span(t("chat.worked_for", time=span, n=turn.steps), class_name="fold")
    )


def _end(turn: rx.Var[TurnRow]) -> rx.Component:
    """Say honestly how the turn ended, when it is not simply done."""
    failed = rx.el.div(
        icon("triangle-alert"),
        rx.el.span(reason(turn.error_code, turn.model_label), class_name="grow"),
        rx.cond(turn.run_id, link(t("chat.details"), href="/activity/" + turn.run_id.to(str))),
        class_name="note red",
        role="alert",
    )
    stopped = rx.el.div(icon("circle-stop"), rx.el.span(t("chat.stopped")), class_name="note")
    cut = rx.el.div(
        icon("scissors"), rx.el.span(reason(turn.error_code, turn.model_label)), class_name="note amber"
    )
    return rx.fragment(
        rx.match(
            turn.status,
            ("failed", failed),
            ("budget_exceeded", failed),
            ("cancelled", stopped),
            ("completed", rx.cond(turn.error_code != "", cut)),
            rx.fragment(),
        )
    )


def _foot(turn: rx.Var[TurnRow]) -> rx.Component:
    return rx.el.div(
        rx.el.span(when(turn.asked_at), title=exact(turn.asked_at)),
        rx.cond(
            turn.output_tokens > 0,
            rx.el.span(
                t("chat.tokens", input=compact(turn.input_tokens), output=compact(turn.output_tokens))
            ),
        ),
        rx.cond(turn.run_id, rx.el.span(spent(turn.cost_usd, is_partial=turn.cost_is_partial))),
        class_name="foot meta",
    )


@rx.memo
def turn_view(turn: rx.Var[TurnRow]) -> rx.Component:
    """Draw a turn."""
    live = turn.status == "running"
    return rx.el.article(
        rx.el.div(
            rx.cond(turn.files.length() > 0, rx.el.div(rx.foreach(turn.files, _file), class_name="sent")),
            rx.el.div(turn.text, class_name="bubble"),
            class_name="me",
        ),
        rx.el.div(
            avatar(ChatState.agent_name),
            rx.el.div(
                rx.el.div(
                    rx.el.span(ChatState.agent_name, class_name="who"),
                    rx.cond(live, working(since=turn.asked_at.to(str)), _worked(turn)),
                    class_name="row",
                ),
                Answer.create(
                    run_id=turn.run_id.to(str),
                    live=live,
                    parts=turn.parts,
                    draw_part=drawing("part", console_part, Part),
                    label=t("chat.answer"),
                    on_end=ChatState.ended,
                ),
                _end(turn),
                rx.cond(live, rx.fragment(), _foot(turn)),
            ),
            class_name="ag",
        ),
        class_name="turn",
    )


def _turn(turn: rx.Var[TurnRow]) -> rx.Component:
    return turn_view(turn=turn, key=turn.id.to(str))


def turns() -> rx.Component:
    """Draw the open conversation."""
    return thread(
        rx.cond(ChatState.earlier_cursor != "", rx.el.div(class_name="sk")),
        rx.foreach(ChatState.turns, _turn),
        rx.foreach(ChatState.recent, _turn),
        name=ChatState.conversation_id,
        count=ChatState.turns.length() + ChatState.recent.length(),
        has_earlier=ChatState.earlier_cursor != "",
        latest=t("chat.to_end"),
        on_earlier=ChatState.load_earlier,
    )
