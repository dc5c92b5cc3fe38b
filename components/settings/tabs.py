"""The pages of the settings."""

from typing import Literal

import reflex as rx

from agenticos_app.i18n import t
from components.ui.surfaces import tab_links


def settings_tabs(here: Literal["organization", "keys"]) -> rx.Component:
    """Draw the way between them."""
    return tab_links(
        (t("settings.profile"), "/settings", here == "organization"),
        (t("api_keys.title"), "/settings/api-keys", here == "keys"),
        label=t("nav.settings"),
    )
