"""Who reaches one secret: everybody, its owner, and people who were given a level."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.sharing import ShareRow
from components.ui.button import button, icon_button
from components.ui.field import field, radio, saving_form, select
from components.ui.icon import icon
from components.ui.marks import avatar
from components.ui.overlay import dialog
from components.vault.fields import marked
from components.vault.words import levels
from state.vault import VaultState


def _visibility(value: str, label: rx.Var[str], help_text: rx.Var[str]) -> rx.Component:
    return rx.el.label(
        radio(
            name="shown_to",
            value=value,
            default_checked=VaultState.about.visibility == value,
            on_change=VaultState.show_to(value),
        ),
        rx.el.span(rx.el.span(label), rx.el.span(help_text, class_name="help"), class_name="col"),
        class_name="row choice",
    )


def _person(person: rx.Var[ShareRow]) -> rx.Component:
    user_id = person.user_id.to(str)
    return rx.el.li(
        avatar(person.full_name, is_round=True),
        rx.el.span(
            rx.el.span(person.full_name, class_name="cut"),
            rx.el.span(person.email, class_name="meta cut"),
            class_name="grow col",
        ),
        rx.el.div(
            rx.el.select(
                *[rx.el.option(word, value=level) for level, word in levels().items()],
                value=person.level,
                on_change=lambda level: VaultState.set_level(user_id, level),
                aria_label=t("vault.level_of", name=person.full_name),
                class_name="in",
            ),
            icon("chevron-down"),
            class_name="pick",
        ),
        icon_button(
            "x",
            t("vault.unshare", name=person.full_name),
            small=True,
            on_click=VaultState.unshare(user_id),
        ),
        class_name="row person",
    )


def _adding() -> rx.Component:
    return saving_form(
        marked(
            VaultState.problems,
            "email",
            t("vault.share_email"),
            t("vault.share_email_help"),
            input_mode="email",
            key=VaultState.shared.people.length(),
        ),
        rx.el.div(
            field(
                select(levels(), name="level", default_value="use"),
                label=t("vault.level_label"),
                name="level",
            ),
            button(t("vault.share_go_on"), type="submit"),
            class_name="row share-acts",
        ),
        on_submit=VaultState.share,
        class_name="col form-gap",
    )


def share_dialog() -> rx.Component:
    """Draw the dialog, closed. What is chosen in it holds at once."""
    mine = rx.cond(
        VaultState.about.is_mine,
        t("vault.only_me"),
        t("vault.only_owner", name=VaultState.about.owner_name),
    ).to(str)
    return dialog(
        rx.el.fieldset(
            rx.el.legend(t("vault.visible_to"), class_name="lab"),
            _visibility("private", mine, t("vault.only_me_help")),
            _visibility("org", t("vault.everyone"), t("vault.everyone_help")),
            class_name="f",
        ),
        rx.cond(
            VaultState.shared.people.length() > 0,
            rx.el.ul(rx.foreach(VaultState.shared.people, _person), class_name="people"),
        ),
        _adding(),
        title=t("vault.share_title", name=VaultState.about.name),
        sentence=t("vault.share_sentence"),
        close=t("frame.close"),
        open=VaultState.doing == "share",
        on_open_change=VaultState.close,
    )
