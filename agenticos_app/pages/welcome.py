"""Steps two and three of the set-up."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.first_model import first_model
from components.layout.bare import bare
from components.layout.head import tab
from components.layout.notices import notices
from state.session import SessionState
from state.setup import SetupState


@rx.page(
    route="/welcome",
    title=tab(t("setup.tab")),
    description=t("setup.about"),
    on_load=[SessionState.load, SetupState.look],
)
def welcome_page() -> rx.Component:
    """Lead from the new account to the first question."""
    return bare(first_model(), notices(), wide=True)
