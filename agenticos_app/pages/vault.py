"""The vault of the organization."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.frame import frame, page
from components.layout.head import tab
from components.vault.vault_list import add_button, vault_list
from state.session import SessionState
from state.vault import VaultState


@rx.page(
    route="/vault",
    title=tab(t("nav.vault")),
    description=t("vault.sentence"),
    on_load=[SessionState.load, VaultState.load],
)
def vault_page() -> rx.Component:
    """Show the keys that agents and models use."""
    return frame(
        page(vault_list(), title=t("nav.vault"), sentence=t("vault.sentence"), actions=(add_button(),)),
        active="vault",
        title=t("nav.vault"),
    )
