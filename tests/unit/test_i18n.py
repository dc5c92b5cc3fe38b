"""The catalogues fit the code and each other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agenticos_app import errors
from agenticos_app.i18n import UnknownTextError, t
from agenticos_app.i18n.catalogue import LANGUAGES, PLURAL_FORMS, SOURCE, texts, values_of
from agenticos_app.schemas.problems import FIELD_CODES

ROOT = Path(__file__).parents[2]
SOURCES = ("components", "agenticos_app", "state")
CHOSEN_AT_RUN_TIME = ("error.",)
"""Areas whose texts are named by codes; the tests on errors and field problems cover them."""
OTHERS = sorted(set(LANGUAGES) - {SOURCE})


def _plain(key: str) -> str:
    """Return a key without the plural form it may end in."""
    return re.sub(r"_(zero|one|two|few|many|other)$", "", key) if _is_plural(key) else key


def _is_plural(key: str) -> bool:
    stem, _, form = key.rpartition("_")
    return form in PLURAL_FORMS["pl"] and f"{stem}_other" in texts(SOURCE)


def _used() -> Iterator[tuple[str, str]]:
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "t":
                    first = node.args[0] if node.args else None
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    assert isinstance(first, ast.Constant), (
                        f"{where}: the key is a literal, so that it can be found"
                    )
                    yield str(first.value), where


@pytest.mark.req("DOM-UI-28")
def test_every_key_that_is_used_has_a_text() -> None:
    known = {_plain(key) for key in texts(SOURCE)}
    unknown = [f"{where}: {key}" for key, where in _used() if key not in known]
    assert not unknown, unknown


@pytest.mark.req("DOM-UI-28")
def test_every_text_is_used() -> None:
    used = {key for key, _ in _used()}
    idle = {_plain(key) for key in texts(SOURCE)} - used
    assert not [key for key in idle if not key.startswith(CHOSEN_AT_RUN_TIME)]


@pytest.mark.req("DOM-UI-28")
@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_the_texts_of_the_source_and_no_others(language: str) -> None:
    assert {_plain(key) for key in texts(language)} == {_plain(key) for key in texts(SOURCE)}


@pytest.mark.req("DOM-UI-28")
@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_is_filled_with_the_same_values(language: str) -> None:
    source = {_plain(key): values_of(text) for key, text in texts(SOURCE).items()}
    wrong = [key for key, text in texts(language).items() if values_of(text) != source[_plain(key)]]
    assert not wrong


@pytest.mark.req("DOM-UI-28")
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_plural_forms_are_complete(language: str) -> None:
    stems = {_plain(key) for key in texts(SOURCE) if _is_plural(key)}
    assert stems, "no text has plural forms"
    missing = [
        f"{stem}_{form}"
        for stem in stems
        for form in PLURAL_FORMS[language]
        if f"{stem}_{form}" not in texts(language)
    ]
    assert not missing
    other_forms = [
        key
        for key in texts(language)
        if _is_plural(key) and key.rpartition("_")[2] not in PLURAL_FORMS[language]
    ]
    assert not other_forms


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_no_text_is_empty_or_untrimmed(language: str) -> None:
    assert not [key for key, text in texts(language).items() if text != text.strip() or not text]


@pytest.mark.req("DOM-UI-28")
def test_a_wrong_key_or_value_fails_when_the_page_is_built() -> None:
    with pytest.raises(UnknownTextError, match="no text"):
        t("auth.no_such_text")
    with pytest.raises(UnknownTextError, match="takes"):
        t("palette.theme")
    with pytest.raises(UnknownTextError, match="takes"):
        t("auth.email", name="x")
    with pytest.raises(UnknownTextError, match="no text"):
        t("auth.email", n=3)


def test_a_text_with_a_number_asks_for_its_plural_form() -> None:
    drawn = str(t("models.local_sentence", n=3, address="http://127.0.0.1"))
    assert '["count"] : 3' in drawn
    assert '["n"] : 3' in drawn


def _refusals(kind: type[errors.AppError] = errors.AppError) -> Iterator[type[errors.AppError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _refusals(child)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_refusal_has_its_sentence(language: str) -> None:
    codes = {refusal.code.lower() for refusal in _refusals() if refusal.__module__ == errors.__name__}
    assert not [code for code in codes if f"error.{code}" not in texts(language)]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_field_problem_has_its_sentence(language: str) -> None:
    held = {key.removeprefix("error.field.") for key in texts(language) if key.startswith("error.field.")}
    assert held == FIELD_CODES | {"unknown"}


def test_every_catalogue_has_a_name_in_its_own_language() -> None:
    assert {path.stem for path in (ROOT / "agenticos_app" / "i18n").glob("*.json")} == set(LANGUAGES)
    assert set(PLURAL_FORMS) == set(LANGUAGES)
