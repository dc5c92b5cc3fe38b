"""What forms need of a browser: a file's text, and a word to whoever waits for a value."""

import reflex as rx


class FileText(rx.Component):
    """A button that puts the text of a chosen file into the field `target`."""

    library = "$/public/vault.jsx"
    tag = "FileText"
    target: rx.Var[str]
    accept: rx.Var[str]
    limit_bytes: rx.Var[int]


class Told(rx.Component):
    """Calls the handler once for each value that is not empty."""

    library = "$/public/vault.jsx"
    tag = "Told"
    value: rx.Var[str]
    on_told: rx.EventHandler[rx.event.passthrough_event_spec(str)]
