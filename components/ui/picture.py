"""Choosing a picture."""

import reflex as rx


class PicturePicker(rx.Component):
    """A button that sends a chosen picture to `address` and tells of success or the problem's code."""

    library = "$/public/picture.jsx"
    tag = "PicturePicker"
    address: rx.Var[str]
    on_saved: rx.EventHandler[rx.event.no_args_event_spec]
    on_refused: rx.EventHandler[rx.event.passthrough_event_spec(str)]
