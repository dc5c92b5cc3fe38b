"""Step one of the set-up: the owner's account."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.json_form import (
    email_field,
    failure,
    form_field,
    json_form,
    password_field,
    sign_up_rule,
    submit,
)
from components.accounts.steps import setup_page
from components.layout.preferences import language_select
from components.ui.surfaces import note, section


def _later(title: rx.Var[str], sentence: rx.Var[str]) -> rx.Component:
    return rx.el.div(section(title=title, sentence=sentence), class_name="later")


def _used_up() -> rx.Component:
    sign_in = rx.el.a(t("auth.sign_in"), href="/sign-in", class_name="b")
    return rx.el.div(note(t("setup.used_up"), action=sign_in), class_name="sect-note")


def owner_form() -> rx.Component:
    """Draw the first step; the link's token comes from the address."""
    form = json_form(
        rx.el.div(
            failure(),
            rx.el.div(
                form_field(
                    "organization_name",
                    t("setup.organization_name"),
                    auto_complete="organization",
                    auto_focus=True,
                ),
                form_field("full_name", t("auth.full_name"), auto_complete="name"),
                email_field(),
                password_field(new=True),
                rx.el.div(
                    rx.el.label(t("language.title"), html_for="setup-language"),
                    language_select("setup-language"),
                    class_name="f",
                ),
                class_name="of",
            ),
            class_name="col gap fields",
        ),
        rx.el.div(
            rx.el.span(t("setup.kept_here"), class_name="meta grow"),
            submit(t("setup.create")),
            class_name="row foot-row",
        ),
        action="/api/v1/auth/setup",
        to="/welcome",
        from_address=["token"],
        says={"not_found": t("setup.bad_link"), "conflict.set_up": t("setup.used_up")},
        class_name="form",
    )
    return setup_page(
        section(
            rx.cond(sign_up_rule()["is_set_up"], _used_up(), form),
            title=t("setup.owner"),
            sentence=t("setup.owner_sentence"),
        ),
        _later(t("setup.model"), t("setup.model_later")),
        _later(t("setup.question"), t("setup.question_later")),
        places=("on", "next", "next"),
    )
