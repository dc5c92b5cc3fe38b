"""Publishing: what changes, what moves, what is in the way."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.agents import SpecChange
from components.live.steps import capability_name
from components.ui.button import button, link_button
from components.ui.field import field, saving_form, text_input
from components.ui.overlay import dialog
from components.ui.surfaces import note
from state.builder import BuilderState


def change_name(at: rx.Var[str]) -> rx.Var[str]:
    """Return what a place of the spec is called, as `services.spec_diff` names them."""
    steps = at.split(".").to(list[str])
    deeper = rx.cond(steps.length() > 2, " / " + steps[2 : steps.length()].join("."), "")
    return rx.match(
        steps[0],
        ("instructions", t("builder.instructions")),
        ("variables", t("builder.variable", name=steps[1])),
        ("model_profile_id", t("builder.model")),
        ("model_settings", _setting_name(steps[1])),
        ("capabilities", capability_name(steps[1]) + deeper),
        ("output_schema", t("builder.schema")),
        ("monthly_budget_usd", t("builder.cap_month")),
        ("run_budget_usd", t("builder.cap_run")),
        ("max_steps", t("builder.steps")),
        at,
    ).to(str)


def _setting_name(name: rx.Var[str]) -> rx.Var[str]:
    return rx.match(
        name,
        ("temperature", t("models.params.temperature")),
        ("top_p", t("models.params.top_p")),
        ("max_tokens", t("models.params.max_tokens")),
        t("models.params.parallel"),
    ).to(str)


def _value(value: rx.Var[str]) -> rx.Var[str]:
    return rx.match(value, ("on", t("builder.on")), ("off", t("builder.off")), value).to(str)


def _change(change: rx.Var[SpecChange]) -> rx.Component:
    return rx.el.li(
        rx.el.span(change_name(change.at), class_name="meta"),
        rx.el.div(
            rx.cond(change.before, rx.el.del_(_value(change.before))),
            " ",
            rx.cond(change.after, rx.el.ins(_value(change.after))),
            class_name="sec",
        ),
    )


def _changes() -> rx.Component:
    return rx.el.div(
        rx.el.h3(
            t("builder.changes", n=BuilderState.changes.length() + BuilderState.more_changes), class_name="b"
        ),
        rx.el.ul(rx.foreach(BuilderState.changes, _change), class_name="change-list"),
        rx.cond(
            BuilderState.more_changes > 0,
            rx.el.p(t("builder.changes_more", n=BuilderState.more_changes), class_name="meta"),
        ),
        class_name="col",
    )


def _moves() -> rx.Component:
    return rx.cond(
        BuilderState.agent.latest_version == 0,
        rx.el.p(t("builder.first_publish"), class_name="sec"),
        rx.cond(
            BuilderState.moves.length() > 0,
            rx.el.p(t("builder.moves", names=BuilderState.moves.join(", ")), class_name="sec"),
            rx.el.p(t("builder.moves_none"), class_name="sec"),
        ),
    )


def publish_dialog(problems: rx.Component) -> rx.Component:
    """Draw the dialog; `problems` is the list of what is in the way."""
    blocked = BuilderState.problems.length() > 0
    form = saving_form(
        _changes(),
        _moves(),
        field(
            text_input("note", auto_focus=True, max_length=500, placeholder=t("builder.note_hint")),
            label=t("builder.note"),
            name="note",
        ),
        rx.el.div(
            button(t("builder.cancel"), on_click=BuilderState.close_publish(False)),
            button(t("builder.publish_now"), type="submit", look="primary"),
            class_name="acts",
        ),
        on_submit=BuilderState.publish,
        class_name="col form-gap",
    )
    return dialog(
        rx.cond(blocked, rx.el.div(problems, _changes(), class_name="col form-gap"), form),
        title=rx.cond(
            blocked,
            t("builder.problems_title"),
            t("builder.publish", version=BuilderState.agent.latest_version + 1),
        ).to(str),
        sentence=rx.cond(blocked, t("builder.problems_sentence"), t("builder.publish_sentence")),
        close=t("frame.close"),
        open=BuilderState.publishing,
        on_open_change=BuilderState.close_publish,
    )


def published_note() -> rx.Component:
    """Say that a version is out, and where to talk to it."""
    return rx.cond(
        BuilderState.published > 0,
        note(
            t("builder.published", version=BuilderState.published),
            icon="check",
            role="status",
            action=rx.el.span(
                link_button(
                    t("builder.open_chat"),
                    href="/chat?agent=" + BuilderState.agent_id,
                    look="primary",
                    small=True,
                ),
                button(t("frame.close"), small=True, on_click=BuilderState.dismiss_published),
                class_name="row",
            ),
        ),
    )
