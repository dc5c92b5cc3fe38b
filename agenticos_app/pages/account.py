"""The person's own account."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.account import account_sections
from components.layout.frame import frame, page
from components.layout.head import tab
from state.account import AccountState
from state.session import SessionState


@rx.page(
    route="/account",
    title=tab(t("account.title")),
    description=t("account.sentence"),
    on_load=[SessionState.load, AccountState.load],
)
def account_page() -> rx.Component:
    """Show what belongs to the person."""
    return frame(
        page(account_sections(), title=t("account.title"), sentence=t("account.sentence")),
        active="",
        title=t("account.title"),
    )
