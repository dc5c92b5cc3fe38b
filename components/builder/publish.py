"""Publishing: what changes, what moves, what is in the way."""

import reflex as rx

from agenticos_app.i18n import t
from components.builder.changes import change_lines
from components.ui.button import button, link_button
from components.ui.field import field, saving_form, text_input
from components.ui.overlay import dialog
from components.ui.surfaces import note
from state.builder import BuilderState


def _changes() -> rx.Component:
    return rx.el.div(
        rx.el.h3(
            t("builder.changes", n=BuilderState.changes.length() + BuilderState.more_changes), class_name="b"
        ),
        rx.el.div(change_lines(BuilderState.changes), class_name="change-list"),
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
