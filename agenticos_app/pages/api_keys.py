"""API keys, within the settings."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.frame import frame, page
from components.layout.head import tab
from components.settings.api_keys import api_keys_section, docs_link
from components.settings.tabs import settings_tabs
from state.api_keys import ApiKeysState
from state.session import SessionState


@rx.page(
    route="/settings/api-keys",
    title=tab(t("api_keys.title")),
    description=t("api_keys.sentence"),
    on_load=[SessionState.load, ApiKeysState.load],
)
def api_keys_page() -> rx.Component:
    """Show the keys of the person, or everybody's."""
    return frame(
        page(
            settings_tabs("keys"),
            api_keys_section(),
            title=t("nav.settings"),
            sentence=t("api_keys.sentence"),
            actions=(docs_link(),),
        ),
        active="settings",
        title=t("api_keys.title"),
    )
