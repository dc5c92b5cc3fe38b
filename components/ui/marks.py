"""Small marks: badges, states, chips, initials, keys."""

from typing import Literal

import reflex as rx

from components.ui.base import Child, Flag, Text, classes
from components.ui.icon import icon

Tone = Literal["neutral", "accent", "amber", "red", "green"]
_BADGES: dict[Tone, str] = {"neutral": "", "accent": "acc", "amber": "amb", "red": "red", "green": "grn"}
DotTone = Literal["neutral", "accent", "amber", "red", "green", "hollow"]
_DOTS: dict[DotTone, str] = {
    "neutral": "", "accent": "p", "amber": "a", "red": "r", "green": "g", "hollow": "o",
}  # fmt: skip


def badge(*children: Child, tone: Tone = "neutral") -> rx.Component:
    """Draw a short fact beside a name."""
    return rx.el.span(*children, class_name=classes("badge", _BADGES[tone]))


def status(*children: Child, tone: DotTone = "neutral") -> rx.Component:
    """Draw a state: a dot and its word, since colour alone says nothing to many."""
    return rx.el.span(
        rx.el.span(class_name=classes("dot", _DOTS[tone]), aria_hidden="true"), *children, class_name="st"
    )


def dot(tone: DotTone, label: Text) -> rx.Component:
    """Draw a state as a dot alone, with its word for those who cannot see it."""
    return rx.el.span(class_name=classes("dot", _DOTS[tone]), role="img", aria_label=label)


def chip(
    *children: Child,
    on: Flag = False,
    removable: bool = False,
    on_click: rx.event.EventType,
    **props: object,
) -> rx.Component:
    """Draw a filter that is on or off; `removable` shows that a click takes it away."""
    return rx.el.button(
        *children,
        *([icon("x")] if removable else []),
        type="button",
        aria_pressed=on,
        on_click=on_click,
        **props,
        class_name=classes("chip", rx.cond(on, "on", "").to(str)),
    )


def initials(name: rx.Var[str] | str) -> rx.Var[str]:
    """Return the first letters of the first two words."""
    words = rx.Var.create(name).to(str)
    return rx.Var(
        f'({words!s} ?? "").split(" ").filter(Boolean).slice(0, 2)'
        '.map((word) => [...word][0].toUpperCase()).join("")',
        _var_data=words._get_all_var_data(),
    ).to(str)


def avatar(name: rx.Var[str] | str, *, is_round: bool = False, large: bool = False) -> rx.Component:
    """Draw a person (round) or an agent by initials; the name stands beside it."""
    return rx.el.span(
        initials(name),
        class_name=classes("av", "rd" if is_round else "", "lg" if large else ""),
        aria_hidden="true",
    )


def mark(name: rx.Var[str] | str, *, large: bool = False) -> rx.Component:
    """Draw an organization by its first letter."""
    letter = initials(name)[0:1] if isinstance(name, rx.Var) else name[:1]
    return rx.el.span(letter, class_name=classes("mark", "lg" if large else ""), aria_hidden="true")


def keys(name: str) -> rx.Component:
    """Draw a key of the keyboard."""
    return rx.el.kbd(name)
