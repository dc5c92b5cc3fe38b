"""Sign-in and sign-up."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.json_form import (
    email_field,
    failure,
    form_field,
    host,
    json_form,
    password_field,
    sign_up_rule,
    submit,
)
from components.layout.bare import logo
from components.ui.surfaces import note

HOME = "/chat"


def _heading(title: rx.Var[str]) -> rx.Component:
    return rx.el.div(
        logo(),
        rx.el.div(rx.el.h1(title, class_name="title"), rx.el.p(host(), class_name="sec host")),
        class_name="col gap",
    )


def _rule() -> rx.Component:
    rule = sign_up_rule()
    ask = rx.el.p(t("auth.ask_owner"), class_name="sec")
    open_to_all = rx.el.p(
        t("auth.no_account"), " ", rx.el.a(t("auth.sign_up"), href="/sign-up"), class_name="sec"
    )
    return rx.el.div(
        rx.cond(
            rule["ready"],
            rx.cond(
                rule["is_set_up"],
                rx.cond(rule["policy"] == "open", open_to_all, ask),
                note(t("auth.not_set_up"), icon="key-round"),
            ),
        ),
        class_name="rule",
    )


def sign_in_form() -> rx.Component:
    """Draw the sign-in page's content."""
    return rx.fragment(
        _heading(t("auth.sign_in_title")),
        json_form(
            failure(),
            email_field(focus=True),
            password_field(new=False),
            submit(t("auth.sign_in")),
            action="/api/v1/auth/sign-in",
            to=HOME,
            blame={"wrong_credentials": "password"},
        ),
        _rule(),
    )


def _sign_up_rule() -> rx.Component:
    rule = sign_up_rule()
    domains = rule["domains"].to(list[str])
    closed = note(t("auth.sign_up_closed"), icon="lock")
    only = rx.cond(
        domains.length() > 0, note(t("auth.sign_up_domains", domains=domains.join(", ")), icon="at-sign")
    )
    return rx.el.div(
        rx.cond(
            rule["ready"],
            rx.cond(
                rule["is_set_up"],
                rx.cond(rule["policy"] == "open", only, closed),
                note(t("auth.not_set_up"), icon="key-round"),
            ),
        ),
    )


def sign_up_form() -> rx.Component:
    """Draw the sign-up page's content."""
    return rx.fragment(
        _heading(t("auth.sign_up_title")),
        _sign_up_rule(),
        json_form(
            failure(),
            form_field("full_name", t("auth.full_name"), auto_complete="name", auto_focus=True),
            email_field(),
            password_field(new=True),
            submit(t("auth.create_account")),
            action="/api/v1/auth/sign-up",
            to=HOME,
            blame={"conflict": "email", "forbidden": "email"},
            says={
                "conflict.account": t("auth.has_account"),
                "conflict.not_set_up": t("auth.not_set_up"),
                "forbidden": t("auth.not_admitted"),
            },
        ),
        rx.el.p(t("auth.have_account"), " ", rx.el.a(t("auth.sign_in"), href="/sign-in"), class_name="sec"),
    )
