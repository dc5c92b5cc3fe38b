"""Who reaches one secret: everybody, its owner, and people who were given a level."""

import reflex as rx

from agenticos_app.i18n import t
from components.sharing.panel import Words, levels, sharing_panel
from components.ui.overlay import dialog
from state.vault import VaultState


def share_dialog() -> rx.Component:
    """Draw the dialog, closed. What is chosen in it holds at once."""
    mine = rx.cond(
        VaultState.about.is_mine,
        t("vault.only_me"),
        t("vault.only_owner", name=VaultState.about.owner_name),
    ).to(str)
    words = Words(
        private=mine,
        private_help=t("vault.only_me_help"),
        everyone=t("vault.everyone"),
        everyone_help=t("vault.everyone_help"),
        levels=levels(),
    )
    return dialog(
        sharing_panel(VaultState, words),
        title=t("vault.share_title", name=VaultState.about.name),
        sentence=t("sharing.at_once"),
        close=t("frame.close"),
        open=VaultState.doing == "share",
        on_open_change=VaultState.close,
    )
