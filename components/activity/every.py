"""Looking again while something goes on."""

import reflex as rx

from components.ui.base import Flag


class _Every(rx.Component):
    library = "$/public/activity.jsx"
    tag = "Every"
    seconds: rx.Var[int]
    active: rx.Var[bool]
    on_tick: rx.EventHandler[rx.event.no_args_event_spec]


def every(seconds: int, on_tick: rx.event.EventType, *, active: Flag) -> rx.Component:
    """Call the handler again and again while `active` and while somebody looks at the page."""
    return _Every.create(seconds=seconds, on_tick=on_tick, active=active)
