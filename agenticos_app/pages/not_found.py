"""An address that leads nowhere."""

import reflex as rx

from agenticos_app.i18n import t
from components.layout.bare import bare, logo
from components.layout.head import tab


@rx.page(route="404", title=tab(t("not_found.title")), description=t("not_found.sentence"))
def not_found_page() -> rx.Component:
    """Say so, and lead back."""
    return bare(
        logo(),
        rx.el.h1(t("not_found.title"), class_name="title"),
        rx.el.p(t("not_found.sentence"), class_name="sec"),
        rx.el.a(t("not_found.back"), href="/chat", class_name="btn"),
    )
