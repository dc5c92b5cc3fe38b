"""The settings page: sections, and the dialog for another organization."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.unloaded import unloaded
from components.settings.members import members
from components.settings.organization import budget, named_field, profile
from components.ui.button import button
from components.ui.data_list import skeleton_rows
from components.ui.field import saving_form
from components.ui.overlay import dialog
from state.settings import SettingsState


def found_button() -> rx.Component:
    """Draw the button that begins another organization."""
    return button(t("settings.found"), icon="plus", on_click=SettingsState.set_founding(True))


def _founding() -> rx.Component:
    return dialog(
        saving_form(
            named_field(
                "new_name", t("settings.name"), t("settings.found_help"), auto_complete="off", auto_focus=True
            ),
            rx.el.div(button(t("settings.found_go_on"), type="submit", look="primary"), class_name="acts"),
            on_submit=SettingsState.found,
            class_name="col form-gap",
        ),
        title=t("settings.found_title"),
        sentence=t("settings.found_sentence"),
        close=t("frame.close"),
        open=SettingsState.founding,
        on_open_change=SettingsState.set_founding,
    )


def settings_sections() -> rx.Component:
    """Draw the sections once they are there."""
    broken = unloaded(SettingsState, title=t("settings.failed"), sentence=t("settings.failed_sentence"))
    shown = rx.el.div(profile(), budget(), members(), class_name="sections")
    return rx.fragment(
        rx.cond(
            SettingsState.failure != "",
            broken,
            rx.cond(SettingsState.loaded, shown, skeleton_rows(t("settings.loading"))),
        ),
        _founding(),
    )
