"""Small operations on text that people read."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import cast

_UNSEEN_KINDS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Controls and line breaks, zero-width and bidirectional marks, half characters, separators of lines."""

_UNSEEN_LETTERS = set("\u115f\u1160\u2800\u3164\uffa0")
"""Blanks that Unicode counts among letters and signs."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """Return the text with what neither PostgreSQL nor UTF-8 can hold, NUL and lone surrogates, replaced."""
    return _UNSTORABLE.sub("\ufffd", text)


def storable_json(value: object) -> object:
    """Return a JSON value with all of its texts storable, and numbers that JSON does not know as texts."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {
            storable(str(name)): storable_json(one)
            for name, one in cast("Mapping[object, object]", value).items()
        }
    if isinstance(value, list | tuple):
        return [storable_json(one) for one in cast("Iterable[object]", value)]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value


def has_unseen(text: str) -> bool:
    """Tell whether some of the text cannot be seen, or makes the rest be read in another order.

    With such characters a name can look exactly like another one.
    """
    return any(unicodedata.category(char) in _UNSEEN_KINDS or char in _UNSEEN_LETTERS for char in text)


def clipped(text: str, limit: int) -> str:
    """Return the text on one line, cut to `limit` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def slug_of(name: str) -> str:
    """Return `name` as lower-case ASCII words joined by hyphens; may be empty."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in name.lower()).split()
    return "-".join(words)[:56].strip("-")
