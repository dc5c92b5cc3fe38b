"""Language and theme: kept in the browser, changed in place."""

import reflex as rx
from reflex.style import color_mode, color_mode_imports
from reflex.vars import VarData
from reflex.vars.function import FunctionStringVar, FunctionVar

from agenticos_app.i18n import LANGUAGES, language, set_language, t
from components.ui.field import select
from components.ui.overlay import menu_choice, menu_label


def themes() -> dict[str, rx.Var[str]]:
    """Return the themes with their names."""
    return {"system": t("theme.system"), "light": t("theme.light"), "dark": t("theme.dark")}


def choose_theme(name: str | None = None) -> FunctionVar:
    """Return a handler that changes the theme and remembers the choice.

    Without a name the handler takes it from the event, as `on_change` of a select gives it.
    """
    handler = "((name) => setColorMode(name))" if name is None else f'(() => setColorMode("{name}"))'
    hook = {"const { setColorMode } = useContext(ColorModeContext)": None}
    return FunctionStringVar.create(handler, _var_data=VarData(imports=color_mode_imports, hooks=hook))


def theme_items() -> list[rx.Component]:
    """Return the menu entries that choose the theme."""
    options = [(value, name, choose_theme(value)) for value, name in themes().items()]
    return [menu_label(t("theme.title")), menu_choice(*options, value=color_mode)]


def language_items() -> list[rx.Component]:
    """Return the menu entries that choose the language."""
    options = [(code, name, set_language(code)) for code, name in LANGUAGES.items()]
    return [menu_label(t("language.title")), menu_choice(*options, value=language())]


def language_select(name: str = "language") -> rx.Component:
    """Draw the choice of language as a field without a label of its own."""
    return select(
        LANGUAGES,
        name=name,
        value=language(),
        on_change=set_language(),
        aria_label=t("language.title"),
    )
