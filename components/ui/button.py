"""Buttons and links that look like them."""

from typing import Literal

import reflex as rx

from components.ui.base import BrowserWidget, Child, Flag, Text, classes, link
from components.ui.icon import icon as draw_icon

Look = Literal["plain", "primary", "quiet", "danger", "danger_primary"]
_LOOKS: dict[Look, str] = {
    "plain": "",
    "primary": "pri",
    "quiet": "q",
    "danger": "dng",
    "danger_primary": "dng pri",
}


class ReasonedButton(BrowserWidget):
    """A button that says why it is disabled and stays reachable by keyboard."""

    tag = "ReasonedButton"
    type: rx.Var[str]
    disabled: rx.Var[bool]
    reason: rx.Var[str]


def button(
    *children: Child,
    look: Look = "plain",
    icon: str | None = None,
    small: bool = False,
    disabled: Flag = False,
    reason: Text | None = None,
    busy: Flag = False,
    keys: str = "",
    class_name: str = "",
    **props: object,
) -> rx.Component:
    """Draw a button.

    `reason` says why `disabled` may be true, on hover and focus. `busy` means that what it started still
    runs: it turns a wheel and takes no second press. `keys` is the shortcut, drawn at the end.
    """
    props.setdefault("type", "button")
    content = [
        rx.cond(busy, _wheel(), draw_icon(icon) if icon else rx.fragment()),
        *children,
        *([rx.el.kbd(keys)] if keys else []),
    ]
    look_class = classes("btn", _LOOKS[look], "sm" if small else "", class_name)
    if reason is not None:
        return ReasonedButton.create(
            *content, class_name=look_class, disabled=disabled, reason=reason, **props
        )
    return rx.el.button(
        *content,
        class_name=look_class,
        disabled=rx.Var.create(disabled).bool() | rx.Var.create(busy).bool(),
        **props,
    )


class SubmitAs(BrowserWidget):
    """A submit button that names itself in the form's field `intent`."""

    tag = "SubmitAs"
    intent: rx.Var[str]
    disabled: rx.Var[bool]


def submit_as(
    intent: str, *children: Child, look: Look = "plain", busy: Flag = False, small: bool = False
) -> rx.Component:
    """Draw one of several submit buttons of a form, which then needs `intent_field`."""
    return SubmitAs.create(
        rx.cond(busy, _wheel()),
        *children,
        intent=intent,
        disabled=busy,
        class_name=classes("btn", _LOOKS[look], "sm" if small else ""),
    )


def intent_field() -> rx.Component:
    """Hold which button of the form was pressed."""
    return rx.el.input(type="hidden", name="intent")


def _wheel() -> rx.Component:
    return rx.el.span(class_name="spin", aria_hidden="true")


def link_button(
    *children: Child, href: Text, look: Look = "plain", icon: str | None = None, small: bool = False
) -> rx.Component:
    """Draw a link to a page as a button."""
    return link(
        *([draw_icon(icon)] if icon else []),
        *children,
        href=href,
        class_name=classes("btn", _LOOKS[look], "sm" if small else ""),
    )


class Tip(BrowserWidget):
    """Shows a few words about what it holds, on hover and focus."""

    tag = "Tip"
    text: rx.Var[str]
    side: rx.Var[str]


def tooltip(
    *children: Child, text: Text, side: Literal["top", "right", "bottom", "left"] = "top"
) -> rx.Component:
    """Show `text` while the pointer or the focus is on the children."""
    return Tip.create(*children, text=text, side=side)


def icon_button(
    name: str,
    label: Text,
    *,
    look: Look = "quiet",
    small: bool = False,
    side: Literal["top", "right", "bottom", "left"] = "top",
    class_name: str = "",
    **props: object,
) -> rx.Component:
    """Draw a square button with an icon; its label is the tooltip."""
    props.setdefault("type", "button")
    look_class = classes("btn ic", _LOOKS[look], "sm" if small else "", class_name)
    return tooltip(
        rx.el.button(draw_icon(name), aria_label=label, class_name=look_class, **props), text=label, side=side
    )


class CopyButton(BrowserWidget):
    """Copies a text and says so."""

    tag = "CopyButton"
    text: rx.Var[str]
    label: rx.Var[str]
    done: rx.Var[str]


def copy_button(text: Text, *, label: Text, done: Text, small: bool = True) -> rx.Component:
    """Draw a button that copies `text`; `done` replaces `label` for a moment."""
    return CopyButton.create(
        draw_icon("copy"),
        text=text,
        label=label,
        done=done,
        class_name=classes("btn q", "sm" if small else ""),
    )
