"""Form fields: label above, help below, the problem beside the field."""

from collections.abc import Mapping

import reflex as rx

from components.ui.base import Child, Flag, Text, classes
from components.ui.icon import icon


def field(
    control: rx.Component, *, label: Text, name: str, hint: Text | None = None, problem: Text | None = None
) -> rx.Component:
    """Draw a control with its label; `problem` is empty when there is none.

    The control must carry the id `name`, and `<name>-problem` and `<name>-help` as what describes it.
    """
    return rx.el.div(
        rx.el.label(label, html_for=name),
        control,
        *([] if problem is None else [rx.cond(problem, problem_line(problem, id=f"{name}-problem"))]),
        *([] if hint is None else [rx.el.span(hint, class_name="help", id=f"{name}-help")]),
        class_name="f",
    )


def problem_line(text: Text, **props: object) -> rx.Component:
    """Say what is wrong with the field above."""
    return rx.el.span(icon("triangle-alert"), rx.el.span(text), class_name="err", role="alert", **props)


def text_input(
    name: str, *, problem: Text | None = None, kind: str = "text", class_name: str = "", **props: object
) -> rx.Component:
    """Draw a line to type in."""
    return rx.el.input(
        id=name,
        name=name,
        type=kind,
        aria_describedby=f"{name}-problem {name}-help",
        **_marked(problem),
        class_name=_class("in", problem, class_name),
        **props,
    )


def text_area(name: str, *, problem: Text | None = None, **props: object) -> rx.Component:
    """Draw several lines to type in."""
    return rx.el.textarea(
        id=name,
        name=name,
        aria_describedby=f"{name}-problem {name}-help",
        **_marked(problem),
        class_name=_class("in ta mono", problem),
        **props,
    )


def _marked(problem: Text | None) -> dict[str, object]:
    return {} if problem is None else {"aria_invalid": rx.Var.create(problem).bool()}


def _class(kind: str, problem: Text | None, extra: str = "") -> rx.Var[str] | str:
    return classes(kind, extra, None if problem is None else rx.cond(problem, "bad", "").to(str))


def select(options: Mapping[str, Text], *, name: str, **props: object) -> rx.Component:
    """Draw a choice of one, by the browser's own list: value to its name."""
    return rx.el.div(
        rx.el.select(
            *[rx.el.option(label, value=value) for value, label in options.items()],
            id=name,
            name=name,
            class_name="in",
            **props,
        ),
        icon("chevron-down"),
        class_name="pick",
    )


def switch(*, label: Text, checked: Flag, on_change: rx.event.EventType, **props: object) -> rx.Component:
    """Draw something that is on or off at once."""
    return rx.el.input(
        type="checkbox",
        role="switch",
        checked=checked,
        on_change=on_change,
        aria_label=label,
        class_name="sw",
        **props,
    )


def check(*children: Child, name: str, **props: object) -> rx.Component:
    """Draw a box to tick with its text."""
    return rx.el.label(
        rx.el.input(type="checkbox", name=name, class_name="ck", **props), *children, class_name="row sec"
    )


def radio(*, name: str, value: str, **props: object) -> rx.Component:
    """Draw one of several; the text is a label around it."""
    return rx.el.input(type="radio", name=name, value=value, class_name="ck", **props)


def saving_form(*children: Child, on_submit: rx.event.EventType, **props: object) -> rx.Component:
    """Draw a form that Cmd/Ctrl+Enter sends as well."""
    return rx.el.form(
        *children,
        no_validate=True,
        on_submit=on_submit,
        custom_attrs={"data-saves": "true"},
        **props,
    )
