"""The catalogues: what a text is called, which values it takes, which plural forms a language has.

The words of a capability lie in its own folder and are its branch `capability.<id>`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import cast

FOLDER = Path(__file__).parent / "i18n"
CAPABILITIES = [FOLDER.parents[1] / "capabilities"]
"""Where the folders of capabilities lie."""

SOURCE = "en"
LANGUAGES = {"en": "English", "pl": "Polski"}
"""Code to the name that the language has for itself."""
PLURAL_FORMS = {"en": ("one", "other"), "pl": ("one", "few", "many", "other")}
"""The forms `Intl.PluralRules` chooses from."""

_VALUE = re.compile(r"{{\s*(\w+)[^}]*}}")
_NESTED = re.compile(r"\$t\(([^)]*)\)|" + _VALUE.pattern)

Tree = dict[str, object]


def tree(language: str) -> Tree:
    """Return all texts of a language as the client reads them."""
    named = [path for folder in CAPABILITIES for path in sorted(folder.glob(f"*/{language}.json"))]
    return {
        **_read(FOLDER / f"{language}.json"),
        "capability": {path.parent.name: _read(path) for path in named},
    }


@cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of a language as flat `area.thing.part` pairs; those of a list end in their place."""
    return dict(_flat(tree(language), ""))


def said(language: str, key: str, values: Mapping[str, object] | None = None) -> str:
    """Return a text in a language, in English where it has none, filled as the client fills it.

    Texts with plural forms are the client's alone.

    Raises:
        KeyError: No catalogue has the text.
    """
    text = texts(language).get(key) or texts(SOURCE)[key]
    given = values or {}

    def fill(found: re.Match[str]) -> str:
        nested, name = found.groups()
        return str(given.get(name, "")) if nested is None else _nested(language, nested, given)

    return _NESTED.sub(fill, text)


def _nested(language: str, key: str, values: Mapping[str, object]) -> str:
    """Return a text that another one names; the name itself when there is none."""
    key = _VALUE.sub(lambda found: str(values.get(found[1], "")), key)
    return texts(language).get(key, key)


def listed(language: str, key: str) -> tuple[str, ...]:
    """Return the texts of a list in their order; empty when there is none."""
    known, found = texts(language), list[str]()
    while (text := known.get(f"{key}.{len(found)}")) is not None:
        found.append(text)
    return tuple(found)


def preferred(accept_language: str) -> str:
    """Return the language that a browser's `Accept-Language` wants most among ours; English without one."""
    wanted: list[tuple[float, int, str]] = []
    for place, entry in enumerate(accept_language.split(",")[:20]):
        tag, _, quality = entry.partition(";")
        code = tag.strip().lower().partition("-")[0]
        if code in LANGUAGES and (weight := _weight(quality)) > 0:
            wanted.append((-weight, place, code))
    return min(wanted)[2] if wanted else SOURCE


def _weight(quality: str) -> float:
    found = re.fullmatch(r"\s*q=(\d(?:\.\d{0,3})?)\s*", quality)
    return float(found[1]) if found else 1.0


def values_of(text: str) -> set[str]:
    """Return the names of the values that a text is filled with."""
    return set(_VALUE.findall(text))


def _read(path: Path) -> Tree:
    return json.loads(path.read_text(encoding="utf-8"))


def _flat(branch: object, prefix: str) -> Iterator[tuple[str, str]]:
    if isinstance(branch, dict):
        for name, inner in cast("Tree", branch).items():
            yield from _flat(inner, f"{prefix}.{name}" if prefix else name)
    elif isinstance(branch, list):
        for place, inner in enumerate(cast("list[object]", branch)):
            yield from _flat(inner, f"{prefix}.{place}")
    else:
        yield prefix, str(branch)
