"""Points in time."""

from datetime import datetime

import reflex as rx

from agenticos_app.i18n import exact, when


def moment(at: rx.Var[datetime] | rx.Var[str] | rx.Var) -> rx.Component:
    """Draw a point in time in the person's zone; in full, with the zone, on hover."""
    return rx.el.time(when(at), title=exact(at), date_time=at.to(str))
