"""Hearing of what happens elsewhere."""

import reflex as rx

from components.live.answer import Signals


def signals(on_signal: rx.event.EventType) -> rx.Component:
    """Call the handler with kind, conversation and run of what happens to the person's conversations."""
    return Signals.create(on_signal=on_signal)
