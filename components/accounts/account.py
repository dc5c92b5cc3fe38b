"""The account page: name, password, devices."""

import reflex as rx

from agenticos_app.i18n import field_error_text, t
from agenticos_app.schemas.accounts import SessionRow
from components.layout.moment import moment
from components.layout.unloaded import unloaded
from components.ui.button import button
from components.ui.data_list import skeleton_rows
from components.ui.field import field, saving_form, text_input
from components.ui.icon import icon
from components.ui.marks import badge
from components.ui.overlay import confirm_dialog
from components.ui.surfaces import section
from state.account import AccountState
from state.session import SessionState


def _saved(form: str) -> rx.Component:
    return rx.el.span(
        rx.cond(AccountState.saved == form, rx.fragment(icon("check"), t("account.saved"))),
        class_name="st good grow",
        role="status",
    )


def _named_field(
    name: str, label: rx.Var[str], hint: rx.Var[str] | None = None, **props: object
) -> rx.Component:
    code = AccountState.problems[name].to(str)
    problem = rx.cond(code, field_error_text(code), "").to(str)
    return field(
        text_input(name, problem=problem, **props), label=label, name=name, hint=hint, problem=problem
    )


def _name() -> rx.Component:
    return section(
        saving_form(
            rx.el.div(
                _named_field(
                    "full_name",
                    t("auth.full_name"),
                    default_value=SessionState.me.full_name,
                    auto_complete="name",
                    key=SessionState.me.full_name,
                ),
                class_name="fields narrow-fields",
            ),
            rx.el.div(_saved("name"), button(t("account.save"), type="submit"), class_name="row foot-row"),
            on_submit=AccountState.rename,
        ),
        title=t("account.profile"),
        sentence=t("account.profile_sentence"),
    )


def _password() -> rx.Component:
    return section(
        saving_form(
            rx.el.div(
                _named_field(
                    "current",
                    t("account.current_password"),
                    kind="password",
                    auto_complete="current-password",
                ),
                _named_field(
                    "new",
                    t("account.new_password"),
                    t("auth.password_rule"),
                    kind="password",
                    auto_complete="new-password",
                ),
                class_name="of fields",
            ),
            rx.el.div(
                _saved("password"),
                button(t("account.change_password"), type="submit"),
                class_name="row foot-row",
            ),
            on_submit=AccountState.change_password,
            key=AccountState.changes.to(str),
        ),
        title=t("auth.password"),
        sentence=t("account.password_sentence"),
    )


def _device(row: rx.Var[SessionRow]) -> rx.Component:
    image = rx.match(
        row.device_type,
        ("phone", icon("smartphone")),
        ("tablet", icon("tablet")),
        ("script", icon("square-terminal")),
        icon("monitor"),
    )
    return rx.el.li(
        rx.el.span(image, class_name="tile"),
        rx.el.div(
            rx.el.span(row.device, class_name="cut"),
            rx.el.span(
                row.ip_address,
                " · ",
                t("account.last_used"),
                " ",
                moment(row.last_used_at),
                class_name="meta cut",
            ),
            class_name="grow col",
        ),
        rx.cond(
            row.is_current,
            badge(t("account.this_device"), tone="green"),
            button(t("account.end_session"), small=True, on_click=AccountState.end_session(row.id.to(str))),
        ),
        class_name="device",
    )


def _broken() -> rx.Component:
    return unloaded(AccountState, title=t("account.failed"), sentence=t("account.failed_sentence"))


def _devices() -> rx.Component:
    return section(
        rx.cond(
            AccountState.failure,
            _broken(),
            rx.cond(
                AccountState.loaded,
                rx.el.ul(rx.foreach(AccountState.sessions, _device)),
                skeleton_rows(t("account.loading")),
            ),
        ),
        title=t("account.devices"),
        sentence=t("account.devices_sentence"),
        aside=button(t("account.end_all"), look="danger", small=True, on_click=AccountState.ask(True)),
    )


def account_sections() -> rx.Component:
    """Draw the sections of the account page."""
    return rx.el.div(_name(), _password(), _devices(), _question(), class_name="sections")


def _question() -> rx.Component:
    return confirm_dialog(
        title=t("account.end_all_title"),
        lost=t("account.end_all_sentence"),
        keep=t("account.end_all_keep"),
        go_on=t("account.end_all"),
        close=t("frame.close"),
        on_confirm=AccountState.end_all_sessions,
        open=AccountState.asking,
        on_open_change=AccountState.ask,
    )
