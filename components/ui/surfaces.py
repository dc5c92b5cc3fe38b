"""What things stand on: cards, notes, tables, tabs."""

from collections.abc import Sequence
from typing import Literal

import reflex as rx

from components.ui.base import Child, Flag, Text, classes, link
from components.ui.icon import icon as draw_icon

NoteTone = Literal["neutral", "amber", "red"]
_NOTES: dict[NoteTone, str] = {"neutral": "", "amber": "amb", "red": "red"}


def card(*children: Child, class_name: str = "", **props: object) -> rx.Component:
    """Draw a padded card."""
    return rx.el.div(*children, class_name=classes("card pad", class_name), **props)


def section(
    *children: Child, title: Text, sentence: Text | None = None, aside: Child | None = None
) -> rx.Component:
    """Draw a titled part of a page as a card with its own head."""
    return rx.el.section(
        rx.el.header(
            rx.el.div(
                rx.el.h2(title, class_name="h"),
                *([] if sentence is None else [rx.el.p(sentence, class_name="sec")]),
                class_name="grow col",
            ),
            *([] if aside is None else [aside]),
        ),
        *children,
        class_name="sect",
    )


def note(
    *children: Child,
    tone: NoteTone = "neutral",
    icon: str = "info",
    action: Child | None = None,
    **props: object,
) -> rx.Component:
    """Draw a sentence that matters here, with what to do about it at the end."""
    return rx.el.div(
        draw_icon(icon),
        rx.el.span(*children, class_name="grow"),
        *([] if action is None else [action]),
        class_name=classes("note", _NOTES[tone]),
        **props,
    )


def table(*rows: Child, head: Sequence[tuple[Text, bool]], label: Text) -> rx.Component:
    """Draw a table; `head` names the columns and tells whether they hold figures (drawn at the right)."""
    return rx.el.table(
        rx.el.thead(
            rx.el.tr(
                *[rx.el.th(name, scope="col", class_name="n" if figures else "") for name, figures in head]
            )
        ),
        rx.el.tbody(*rows),
        aria_label=label,
    )


def tab_links(*tabs: tuple[Text, Text, Flag], label: Text) -> rx.Component:
    """Draw tabs that are pages of their own: name, address, whether it is this one."""
    return rx.el.nav(
        *[
            link(
                name,
                href=href,
                class_name=rx.cond(here, "on", "").to(str),
                aria_current=rx.cond(here, "page", "false"),
            )
            for name, href, here in tabs
        ],
        class_name="tabs",
        aria_label=label,
    )
