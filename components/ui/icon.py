"""Icons: lucide, 16 px, 1.5 px strokes, always beside a label or in something that has one."""

import reflex as rx


def icon(name: str, class_name: str = "") -> rx.Component:
    """Draw a lucide icon; it says nothing to a screen reader."""
    return rx.icon(name, class_name=f"i {class_name}".strip(), aria_hidden="true")
