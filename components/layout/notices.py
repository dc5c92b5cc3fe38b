"""What speaks up over the page: notices of failures, a lost connection, a newer version."""

import reflex as rx
from reflex.vars import VarData
from reflex_base.utils.imports import ImportVar

from agenticos_app.i18n import error_text, t
from components.layout.head import reload_page
from components.ui.button import button, copy_button, icon_button
from components.ui.icon import icon
from state.notices import Notice, NoticesState


def _told(name: str, hook: str) -> rx.Var[bool]:
    return rx.Var(
        name,
        _var_type=bool,
        _var_data=VarData(
            imports={"$/public/kit.jsx": [ImportVar(tag=hook)]}, hooks={f"const {name} = {hook}();": None}
        ),
    ).bool()


@rx.memo
def connection() -> rx.Component:
    """Say that the server is out of reach, or that it has a newer version than this page."""
    return rx.el.div(
        rx.cond(
            _told("$stale", "useStale"),
            rx.el.div(
                icon("sparkles"),
                rx.el.span(t("connection.stale"), class_name="grow"),
                button(t("connection.reload"), small=True, on_click=reload_page()),
                class_name="strip",
            ),
            rx.cond(
                _told("$away", "useAway"),
                rx.el.div(
                    rx.el.span(class_name="spin", aria_hidden="true"),
                    rx.el.span(t("connection.away"), class_name="grow"),
                    class_name="strip",
                ),
            ),
        ),
        role="status",
    )


def _notice(notice: rx.Var[Notice]) -> rx.Component:
    return rx.el.div(
        icon("triangle-alert"),
        rx.el.span(error_text(notice.code, notice.details), class_name="grow"),
        rx.cond(
            notice.report, copy_button(notice.report, label=t("notice.copy_report"), done=t("notice.copied"))
        ),
        icon_button("x", t("notice.close"), small=True, on_click=NoticesState.dismiss(notice.id)),
        class_name="toast red",
        role="alert",
    )


def notices() -> rx.Component:
    """Draw the notices over the corner of the page."""
    return rx.el.div(rx.foreach(NoticesState.rows, _notice), class_name="toasts")
