"""The panel with which a row is shared: everybody or its owner, and people with a level.

Whichever State is handed in has `shared`, `problems`, `show_to`, `share`, `set_level` and `unshare`.
"""

from dataclasses import dataclass

import reflex as rx

from agenticos_app.i18n import field_error_text, t
from agenticos_app.schemas.sharing import ShareRow
from components.ui.base import Flag, Text
from components.ui.button import button, icon_button
from components.ui.field import field, radio, saving_form, select, text_input
from components.ui.icon import icon
from components.ui.marks import avatar


@dataclass(frozen=True)
class Words:
    """What the two choices are called here, and what the levels let people do."""

    private: Text
    private_help: Text
    everyone: Text
    everyone_help: Text
    levels: dict[str, rx.Var[str]]


def levels() -> dict[str, rx.Var[str]]:
    """Return the levels that may be given, with what each lets somebody do."""
    return {
        "read": t("sharing.level.read"),
        "use": t("sharing.level.use"),
        "edit": t("sharing.level.edit"),
    }


def sharing_panel(state: type[rx.State], words: Words, *, locked: Flag = False) -> rx.Component:
    """Draw the panel. What is chosen in it holds at once; `locked` only shows it."""
    people = state.shared.people
    return rx.fragment(
        rx.el.fieldset(
            rx.el.legend(t("sharing.visible_to"), class_name="lab"),
            _visibility(state, "private", words.private, words.private_help, locked),
            _visibility(state, "org", words.everyone, words.everyone_help, locked),
            class_name="f",
        ),
        rx.cond(
            people.length() > 0,
            rx.el.ul(
                rx.foreach(people, lambda person: _person(state, person, words, locked)), class_name="people"
            ),
        ),
        rx.cond(locked, rx.fragment(), _adding(state, words)),
    )


def _visibility(
    state: type[rx.State], value: str, label: Text, help_text: Text, locked: Flag
) -> rx.Component:
    return rx.el.label(
        radio(
            name="shown_to",
            value=value,
            default_checked=state.shared.visibility == value,
            disabled=locked,
            on_change=state.show_to(value),
        ),
        rx.el.span(rx.el.span(label), rx.el.span(help_text, class_name="help"), class_name="col"),
        class_name="row choice",
    )


def _person(state: type[rx.State], person: rx.Var[ShareRow], words: Words, locked: Flag) -> rx.Component:
    user_id = person.user_id.to(str)
    change = rx.fragment(
        rx.el.div(
            rx.el.select(
                *[rx.el.option(word, value=level) for level, word in words.levels.items()],
                value=person.level,
                on_change=lambda level: state.set_level(user_id, level),
                aria_label=t("sharing.level_of", name=person.full_name),
                class_name="in",
            ),
            icon("chevron-down"),
            class_name="pick",
        ),
        icon_button(
            "x", t("sharing.unshare", name=person.full_name), small=True, on_click=state.unshare(user_id)
        ),
    )
    return rx.el.li(
        avatar(person.full_name, is_round=True),
        rx.el.span(
            rx.el.span(person.full_name, class_name="cut"),
            rx.el.span(person.email, class_name="meta cut"),
            class_name="grow col",
        ),
        rx.cond(
            locked,
            rx.el.span(rx.match(person.level.to(str), *words.levels.items(), ""), class_name="sec"),
            change,
        ),
        class_name="row person",
    )


def _adding(state: type[rx.State], words: Words) -> rx.Component:
    code = rx.cond(state.problems.contains("email"), state.problems["email"].to(str), "").to(str)
    problem = rx.match(code, ("", ""), ("no_member", t("sharing.no_member")), field_error_text(code)).to(str)
    return saving_form(
        field(
            text_input(
                "email",
                problem=problem,
                auto_complete="off",
                input_mode="email",
                key=state.shared.people.length(),
            ),
            label=t("sharing.email"),
            name="email",
            hint=t("sharing.email_help"),
            problem=problem,
        ),
        rx.el.div(
            field(
                select(words.levels, name="level", default_value="use"),
                label=t("sharing.level_label"),
                name="level",
            ),
            button(t("sharing.go_on"), type="submit"),
            class_name="row share-acts",
        ),
        on_submit=state.share,
        class_name="col form-gap",
    )
