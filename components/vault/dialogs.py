"""What is done to one secret: a new value, new words, other people, its end."""

import reflex as rx

from agenticos_app.i18n import t
from agenticos_app.schemas.secrets import SecretUse
from components.ui.button import button
from components.ui.field import saving_form
from components.ui.overlay import confirm_dialog, dialog
from components.vault.fields import marked, value_fields
from state.vault import VaultState


def _acts(go_on: rx.Var[str]) -> rx.Component:
    return rx.el.div(
        button(t("vault.keep"), on_click=VaultState.close(False)),
        button(go_on, type="submit", look="primary"),
        class_name="acts",
    )


def _rotate() -> rx.Component:
    return dialog(
        saving_form(
            value_fields(VaultState.about.kind.to(str), VaultState.problems, auto_focus=True),
            _acts(t("vault.rotate_go_on")),
            on_submit=VaultState.rotate,
            class_name="col form-gap",
        ),
        title=t("vault.rotate_title", name=VaultState.about.name),
        sentence=t("vault.rotate_sentence"),
        close=t("frame.close"),
        open=VaultState.doing == "rotate",
        on_open_change=VaultState.close,
    )


def _edit() -> rx.Component:
    about, problems = VaultState.about, VaultState.problems
    return dialog(
        saving_form(
            marked(
                problems,
                "name",
                t("vault.name"),
                default_value=about.name,
                max_length=128,
                auto_focus=True,
            ),
            marked(
                problems,
                "description",
                t("vault.description"),
                t("vault.field.optional"),
                default_value=about.description,
                max_length=500,
            ),
            _acts(t("vault.save")),
            on_submit=VaultState.edit,
            class_name="col form-gap",
        ),
        title=t("vault.edit_title"),
        sentence=t("vault.edit_sentence"),
        close=t("frame.close"),
        open=VaultState.doing == "edit",
        on_open_change=VaultState.close,
    )


def _use(use: rx.Var[SecretUse]) -> rx.Component:
    return rx.el.span(use.name, class_name="broken-use")


def _delete() -> rx.Component:
    uses = VaultState.about.used_by
    breaks = rx.fragment(
        t("vault.delete_breaks", n=uses.length()), rx.el.span(rx.foreach(uses, _use), class_name="col breaks")
    )
    return confirm_dialog(
        title=t("vault.delete_title", name=VaultState.about.name),
        lost=rx.fragment(
            rx.cond(uses.length() > 0, breaks, t("vault.delete_unused")), " ", t("vault.delete_lost")
        ),
        keep=t("vault.keep"),
        go_on=t("vault.delete_go_on"),
        close=t("frame.close"),
        on_confirm=VaultState.delete,
        open=VaultState.doing == "delete",
        on_open_change=VaultState.close,
    )


def dialogs() -> rx.Component:
    """Draw the dialogs, closed."""
    return rx.fragment(_rotate(), _edit(), _delete())
