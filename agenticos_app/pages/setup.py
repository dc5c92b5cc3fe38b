"""Public, once: the owner's account through the link that the server prints."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.owner import owner_form
from components.layout.bare import bare
from components.layout.head import tab


@rx.page(route="/setup", title=tab(t("setup.tab")), description=t("setup.about"))
def setup_page() -> rx.Component:
    """Make the first account."""
    return bare(owner_form(), wide=True)
