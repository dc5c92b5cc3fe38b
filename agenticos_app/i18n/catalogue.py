"""The catalogues: what a text is called, which values it takes, which plural forms a language has."""

import json
import re
from functools import cache
from pathlib import Path
from typing import cast

FOLDER = Path(__file__).parent
SOURCE = "en"
LANGUAGES = {"en": "English", "pl": "Polski"}
"""Code to the name that the language has for itself."""
PLURAL_FORMS = {"en": ("one", "other"), "pl": ("one", "few", "many", "other")}
"""The forms `Intl.PluralRules` chooses from."""

_VALUE = re.compile(r"{{\s*(\w+)[^}]*}}")


@cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of a language as flat `area.thing.part` pairs."""
    return dict(_flat(json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8")), ""))


def _flat(tree: dict[str, object], prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, branch in tree.items():
        if isinstance(branch, dict):
            found += _flat(cast("dict[str, object]", branch), f"{prefix}{name}.")
        else:
            found.append((prefix + name, str(branch)))
    return found


def values_of(text: str) -> set[str]:
    """Return the names of the values that a text is filled with."""
    return set(_VALUE.findall(text))
