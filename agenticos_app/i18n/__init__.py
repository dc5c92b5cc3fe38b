"""Every text that a person reads: catalogues `<language>.json`, and Vars that draw them."""

from agenticos_app.catalogue import LANGUAGES
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
