"""Keeping a new secret, from the vault or from any picker that needs one.

A page draws `add_secret(on_made=...)` once and opens it with `AddSecretState.open_for([...])`; its handler is
called with the id of the new secret, and the page stays where it was.
"""

from collections.abc import Callable

import reflex as rx
from reflex.event import EventSpec

from agenticos_app.i18n import t
from components.ui.button import button
from components.ui.field import field, radio, saving_form
from components.ui.icon import icon
from components.ui.overlay import dialog
from components.vault.fields import marked, value_fields
from components.vault.words import service_groups, service_name
from state.add_secret import AddSecretState


class Told(rx.Component):
    """Calls its handler once for each value that is not empty."""

    library = "$/public/vault.jsx"
    tag = "Told"
    value: rx.Var[str]
    on_told: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def _option(purpose: str, name: rx.Var[str] | str) -> rx.Component:
    offered = AddSecretState.offered
    return rx.cond((offered.length() == 0) | offered.contains(purpose), rx.el.option(name, value=purpose))


def _service() -> rx.Component:
    groups = [
        rx.el.optgroup(*[_option(purpose, name) for purpose, name in services], label=heading)
        for heading, services in service_groups()
    ]
    choice = rx.el.div(
        rx.el.select(
            *groups,
            id="purpose",
            name="purpose",
            value=AddSecretState.purpose,
            on_change=AddSecretState.choose,
            auto_focus=True,
            class_name="in",
        ),
        icon("chevron-down"),
        class_name="pick",
    )
    fixed = rx.el.input(
        id="purpose",
        value=service_name(AddSecretState.purpose),
        read_only=True,
        class_name="in",
    )
    return field(
        rx.cond(AddSecretState.offered.length() == 1, fixed, choice),
        label=t("vault.service"),
        name="purpose",
    )


def visibility_field() -> rx.Component:
    """Ask who sees the secret; using it is for whoever may run what it is bound to."""
    choices = [
        ("private", t("vault.only_me"), t("vault.only_me_help")),
        ("org", t("vault.everyone"), t("vault.everyone_help")),
    ]
    return rx.el.fieldset(
        rx.el.legend(t("vault.visible_to"), class_name="lab"),
        *[
            rx.el.label(
                radio(name="visibility", value=value, default_checked=value == "private"),
                rx.el.span(rx.el.span(label), rx.el.span(help_text, class_name="help"), class_name="col"),
                class_name="row choice",
            )
            for value, label, help_text in choices
        ],
        class_name="f",
    )


def _form() -> rx.Component:
    problems = AddSecretState.problems
    return saving_form(
        _service(),
        rx.el.div(
            value_fields(AddSecretState.kind, problems), key=AddSecretState.kind, class_name="col form-gap"
        ),
        marked(
            problems,
            "name",
            t("vault.name"),
            t("vault.name_help"),
            placeholder=service_name(AddSecretState.purpose),
            max_length=128,
        ),
        marked(problems, "description", t("vault.description"), t("vault.field.optional"), max_length=500),
        visibility_field(),
        rx.el.div(
            button(t("vault.keep"), on_click=AddSecretState.set_open(False)),
            button(t("vault.add_go_on"), type="submit", look="primary"),
            class_name="acts",
        ),
        on_submit=AddSecretState.save,
        class_name="col form-gap",
    )


def add_secret(on_made: Callable[[rx.Var[str]], EventSpec]) -> rx.Component:
    """Draw the dialog, closed; `on_made` is called with the id of the secret that it kept."""
    return rx.fragment(
        dialog(
            _form(),
            title=t("vault.add_title"),
            sentence=t("vault.add_sentence"),
            close=t("frame.close"),
            open=AddSecretState.is_open,
            on_open_change=AddSecretState.set_open,
        ),
        Told.create(value=AddSecretState.made, on_told=lambda made: [on_made(made), AddSecretState.taken()]),
    )
