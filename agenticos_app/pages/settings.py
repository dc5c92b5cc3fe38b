"""The settings of the organization."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.frame import frame, page
from components.layout.head import tab
from components.settings.settings_page import found_button, settings_sections
from components.settings.tabs import settings_tabs
from state.session import SessionState
from state.settings import SettingsState


@rx.page(
    route="/settings",
    title=tab(t("nav.settings")),
    description=t("settings.sentence"),
    on_load=[SessionState.load, SettingsState.load],
)
def settings_page() -> rx.Component:
    """Show what may be set for the organization, and who belongs to it."""
    return frame(
        page(
            settings_tabs("organization"),
            settings_sections(),
            title=t("nav.settings"),
            sentence=t("settings.sentence"),
            actions=(found_button(),),
        ),
        active="settings",
        title=t("nav.settings"),
    )
