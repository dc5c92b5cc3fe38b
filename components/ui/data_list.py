"""A list in its four states, each drawn differently: loading, empty, empty by filters, failed."""

import reflex as rx

from components.ui.base import BrowserWidget, Child, Flag, Text
from components.ui.button import button, copy_button
from components.ui.icon import icon as draw_icon

_WIDTHS = (52, 38, 61, 44, 30)


class Delayed(BrowserWidget):
    """Shows its children after 150 ms."""

    tag = "Delayed"


def skeleton_rows(label: Text) -> rx.Component:
    """Draw rows that are on their way; nothing for what comes within 150 ms."""
    rows = [
        rx.el.div(
            rx.el.span(class_name="sk tile sm"),
            rx.el.span(class_name="sk", style={"width": f"{width}%"}),
            class_name="skr",
        )
        for width in _WIDTHS
    ]
    return Delayed.create(rx.el.div(*rows, role="status", aria_label=label, aria_busy="true"))


def _centre(
    *children: Child, tile: str, tone: str = "", title: Text, sentence: Text, **props: object
) -> rx.Component:
    return rx.el.div(
        rx.el.span(draw_icon(tile), class_name=f"tile {tone}".strip()),
        rx.el.span(title, class_name="b"),
        rx.el.p(sentence, class_name="sec"),
        rx.el.div(*children, class_name="acts"),
        class_name="ctr",
        **props,
    )


def empty(*actions: Child, icon: str, title: Text, sentence: Text) -> rx.Component:
    """Say what the list would hold, with an example, and offer to begin."""
    return _centre(*actions, tile=icon, title=title, sentence=sentence)


def filtered_empty(*, title: Text, sentence: Text, clear: Text, on_clear: rx.event.EventType) -> rx.Component:
    """Say that filters hide everything, and offer to take them away."""
    return _centre(
        button(clear, small=True, on_click=on_clear), tile="search", title=title, sentence=sentence
    )


def failed(
    *,
    title: Text,
    sentence: Text,
    retry: Text,
    on_retry: rx.event.EventType,
    report: Text | None = None,
    copy: Text = "",
    copied: Text = "",
) -> rx.Component:
    """Say what happened and offer another try; `report` is an id that a person can pass on."""
    return _centre(
        button(retry, icon="rotate-cw", small=True, on_click=on_retry),
        *([] if report is None else [rx.cond(report, copy_button(report, label=copy, done=copied))]),
        tile="triangle-alert",
        tone="red",
        title=title,
        sentence=sentence,
        role="alert",
    )


def data_list(
    rows: rx.Component,
    *,
    count: rx.Var[int],
    loaded: Flag,
    failure: Text,
    filtered: Flag = False,
    loading: rx.Component,
    when_empty: rx.Component,
    when_filtered: rx.Component | None = None,
    when_failed: rx.Component,
) -> rx.Component:
    """Draw the one state the list is in.

    `failure` is empty unless loading failed; `filtered` tells whether filters are on, so that nothing found
    means that nothing matches.
    """
    nothing = when_empty if when_filtered is None else rx.cond(filtered, when_filtered, when_empty)
    return rx.cond(failure, when_failed, rx.cond(loaded, rx.cond(count > 0, rows, nothing), loading))
