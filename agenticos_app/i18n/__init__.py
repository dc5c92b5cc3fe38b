"""Every text that a person reads: catalogues `<language>.json`, and Vars that draw them.

The Vars are imported when they are first asked for: services say texts too, and start without Reflex.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from agenticos_app.i18n.catalogue import LANGUAGES

if TYPE_CHECKING:
    from agenticos_app.i18n.formats import compact, day, duration, exact, money, number, size, spent, when
    from agenticos_app.i18n.texts import (
        UnknownTextError,
        error_text,
        field_error_text,
        language,
        problem_text,
        set_language,
        t,
        takes,
    )

__all__ = [
    "LANGUAGES",
    "UnknownTextError",
    "compact",
    "day",
    "duration",
    "error_text",
    "exact",
    "field_error_text",
    "language",
    "money",
    "number",
    "problem_text",
    "set_language",
    "size",
    "spent",
    "t",
    "takes",
    "when",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in ("texts", "formats"):
            found = getattr(import_module(f"{__name__}.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(name)
