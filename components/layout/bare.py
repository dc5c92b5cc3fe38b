"""The frame of public pages: nothing but the page, language and theme. Imports no State, to stay small."""

import reflex as rx
from reflex.style import color_mode

from agenticos_app.i18n import t
from components.layout.preferences import choose_theme, language_select, themes
from components.ui.base import Child
from components.ui.field import select


def logo() -> rx.Component:
    """Draw the product's mark."""
    return rx.el.img(src="/favicon.svg", alt="", class_name="logo")


def bare(*children: Child, wide: bool = False) -> rx.Component:
    """Draw a page for people who are not signed in."""
    return rx.el.div(
        rx.el.main(*children, class_name="wrap" if wide else "bare-box"),
        rx.el.footer(
            language_select(),
            select(
                themes(),
                name="theme",
                value=color_mode,
                on_change=choose_theme(),
                aria_label=t("theme.title"),
            ),
            class_name="bare-foot",
        ),
        class_name="bare",
    )
