"""Public: create an account."""

import reflex as rx

from agenticos_app.i18n import t
from components.accounts.sign_in import sign_up_form
from components.layout.bare import bare
from components.layout.head import tab


@rx.page(route="/sign-up", title=tab(t("auth.sign_up_title")), description=t("auth.sign_up_about"))
def sign_up_page() -> rx.Component:
    """Take in a newcomer."""
    return bare(sign_up_form())
