"""Texts as the server says them, and in which language."""

import pytest

from agenticos_app.catalogue import listed, preferred, said
from agenticos_app.ops.client import write_catalogues


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("pl", "pl"),
        ("pl-PL,pl;q=0.9,en;q=0.8", "pl"),
        ("de,en;q=0.5,pl;q=0.7", "pl"),
        ("pl;q=0,en;q=0.1", "en"),
        ("fr, ja", "en"),
        ("pl;q=nonsense;;,", "pl"),
        ("*", "en"),
    ],
)
def test_the_language_is_the_most_wanted_of_ours(header: str, language: str) -> None:
    assert preferred(header) == language


def test_a_sentence_is_filled_with_values_and_with_other_texts() -> None:
    details = {"capability": "clock", "field": "timezone", "reason": "invalid"}
    told = said("en", "problem.config", details)
    assert told == "Change the setting “Time zone” of Date and time: This value does not fit here."
    assert "Strefa czasowa" in said("pl", "problem.config", details)


def test_a_value_is_never_read_as_a_text() -> None:
    name = "$t(problem.unknown) {{name}}"
    assert f"“{name}”" in said("en", "problem.tool_name", {"name": name})


def test_a_list_keeps_its_order() -> None:
    assert listed("en", "capability.clock.can")[1] == "Say whether an office is open now"
    assert listed("en", "capability.clock.nothing") == ()


def test_the_client_gets_the_words_of_capabilities(tmp_path) -> None:
    write_catalogues(tmp_path)
    assert '"Strefa czasowa"' in (tmp_path / "pl.json").read_text()
