"""What the widgets are made from."""

import reflex as rx

Child = rx.Component | rx.Var | str
Text = rx.Var[str] | str
Flag = rx.Var[bool] | bool


def in_address(text: rx.Var[str]) -> rx.Var[str]:
    """Return the text as a value in the query of an address."""
    return rx.Var(f"encodeURIComponent({text!s})", _var_data=text._get_all_var_data()).to(str)


def classes(*names: rx.Var[str] | str | None) -> rx.Var[str] | str:
    """Return class names as one; empty ones and None are left out when the page is built."""
    given = [name for name in names if isinstance(name, rx.Var) or name]
    if all(isinstance(name, str) for name in given):
        return " ".join(str(name) for name in given)
    joined = rx.Var.create("")
    for name in given:
        joined = joined + rx.Var.create(name).to(str) + " "
    return joined


class BrowserWidget(rx.Component):
    """A widget whose behaviour is in `assets/kit.jsx`."""

    library = "$/public/kit.jsx"
    lib_dependencies: list[str] = ["@radix-ui/react-dialog@1.3.1", "@radix-ui/react-tooltip@1.4.1"]


class Told(BrowserWidget):
    """Tells a handler each value that is not empty, once."""

    tag = "Told"
    value: rx.Var[str]
    on_told: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class FileText(BrowserWidget):
    """A button that puts the text of a chosen file into the field `target`."""

    tag = "FileText"
    target: rx.Var[str]
    accept: rx.Var[str]
    limit_bytes: rx.Var[int]


class PageLink(BrowserWidget):
    """A link that changes the page without loading the console anew."""

    tag = "PageLink"
    to: rx.Var[str]
    title: rx.Var[str]


def link(*children: Child, href: Text, class_name: Text = "", **props: object) -> rx.Component:
    """Link to a page of the console; the organization that the address names stays."""
    return PageLink.create(*children, to=href, class_name=class_name, **props)
