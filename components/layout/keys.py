"""Keys, and what they and the menus do in the browser."""

import reflex as rx
from reflex.vars import VarData
from reflex.vars.function import FunctionVar
from reflex.vars.sequence import StringVar
from reflex_base.utils.imports import ImportVar

from agenticos_app.i18n import t
from components.ui.base import BrowserWidget
from components.ui.overlay import panel_dialog

_KIT = "$/public/kit.jsx"


class Shortcuts(BrowserWidget):
    """Listens to the keys of the frame; draws nothing."""

    tag = "Shortcuts"


def command_key() -> StringVar[str]:
    """Return the key that goes with others, as this computer writes it: `⌘` or `Ctrl `."""
    hook = {"const $command = useCommandKey();": None}
    needed = VarData(imports={_KIT: [ImportVar(tag="useCommandKey")]}, hooks=hook)
    return StringVar(_js_expr="$command", _var_type=str, _var_data=needed)


def sign_out() -> FunctionVar:
    """Return a handler that ends the session and loads the sign-in page."""
    return rx.Var("(() => signOut())", _var_data=VarData(imports={_KIT: [ImportVar(tag="signOut")]})).to(
        FunctionVar
    )


def _line(text: rx.Var[str], *names: rx.Var[str] | str) -> rx.Component:
    return rx.el.div(rx.el.dt(text), rx.el.dd(*[rx.el.kbd(name) for name in names]), class_name="row")


def shortcuts_panel() -> rx.Component:
    """Draw the list of keys; `?` opens it."""
    command = command_key()
    return panel_dialog(
        rx.el.dl(
            _line(t("keys.palette"), command + "K"),
            _line(t("keys.send"), "Enter"),
            _line(t("keys.line"), "Shift+Enter"),
            _line(t("keys.stop"), "Esc"),
            _line(t("keys.save"), command + "Enter"),
            _line(t("keys.list"), "?"),
            class_name="keys",
        ),
        name="shortcuts",
        title=t("keys.title"),
        sentence=t("keys.sentence"),
        close=t("frame.close"),
    )
