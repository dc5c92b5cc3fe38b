"""Public: sign in."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.sign_in import sign_in_form
from components.layout.bare import bare
from components.layout.head import tab


@rx.page(route="/sign-in", title=tab(t("auth.sign_in")), description=t("auth.sign_in_about"))
def sign_in_page() -> rx.Component:
    """Ask who is there."""
    return bare(sign_in_form())
