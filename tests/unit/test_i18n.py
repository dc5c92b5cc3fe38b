"""The catalogues fit the code and each other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agenticos_app import errors
from agenticos_app.catalogue import LANGUAGES, PLURAL_FORMS, SOURCE, texts, values_of
from agenticos_app.i18n import UnknownTextError, t
from agenticos_app.schemas.problems import FIELD_CODES

ROOT = Path(__file__).parents[2]
SOURCES = ("components", "agenticos_app", "state")
KEY_AT = {"t": 0, "said": 1}
"""Functions that take a key, and which of their arguments it is."""
OTHERS = sorted(set(LANGUAGES) - {SOURCE})


def _plain(key: str) -> str:
    """Return a key without the plural form it may end in."""
    return re.sub(r"_(zero|one|two|few|many|other)$", "", key) if _is_plural(key) else key


def _is_plural(key: str) -> bool:
    stem, _, form = key.rpartition("_")
    return form in PLURAL_FORMS["pl"] and f"{stem}_other" in texts(SOURCE)


def _areas_chosen_at_run_time() -> set[str]:
    """Return the areas whose texts the browser chooses by a code: `keyOf("area", code)`."""
    sources = [*(ROOT / "assets").glob("*.js*"), *(ROOT / "components").rglob("*.py")]
    found = {"error", "error.field", "problem"}
    for path in sources:
        found |= set(re.findall(r'keyOf\("([\w.]+)"', path.read_text(encoding="utf-8")))
    return found


def _pattern(key: ast.expr, where: str) -> re.Pattern[str]:
    """Return what a key looks like: a literal, or a literal with holes as `f"step.{tool}_now"`."""
    parts = key.values if isinstance(key, ast.JoinedStr) else [key]
    spelled = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+" for part in parts]
    found = "".join(spelled)
    assert re.match(r"[a-z_]+\\\.", found), f"{where}: a key starts with its area, so that it can be found"
    return re.compile(found)


def _used() -> Iterator[tuple[re.Pattern[str], str]]:
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEY_AT:
                    key = node.args[KEY_AT[node.func.id]]
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield _pattern(key, where), where


@pytest.mark.req("DOM-UI-28")
def test_every_key_that_is_used_has_a_text() -> None:
    known = {_plain(key) for key in texts(SOURCE)}
    unknown = [
        f"{where}: {key.pattern}" for key, where in _used() if not any(key.fullmatch(name) for name in known)
    ]
    assert not unknown, unknown


@pytest.mark.req("DOM-UI-28")
def test_every_text_is_used() -> None:
    """Words of capabilities are drawn as a whole; tests/contract proves that there are no others."""
    used = [key for key, _ in _used()]
    chosen = (*(f"{area}." for area in _areas_chosen_at_run_time()), "capability.")
    known = {_plain(key) for key in texts(SOURCE) if not key.startswith(chosen)}
    assert not sorted(name for name in known if not any(key.fullmatch(name) for key in used))


def test_an_area_whose_texts_are_chosen_by_a_code_has_one_for_unknown_codes() -> None:
    assert not [area for area in _areas_chosen_at_run_time() if f"{area}.unknown" not in texts(SOURCE)]


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
