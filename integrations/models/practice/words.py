"""The words and sentences of the practice model, a file for each language."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class Language(StrEnum):
    """The languages that the practice model answers in."""

    ENGLISH = "en"
    POLISH = "pl"


class Words(BaseModel):
    """One language."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    function_words: str = Field(
        description="Words that do not say what a question is about, separated by spaces"
    )
    phrases: Mapping[str, str]
    weekdays: tuple[str, ...]
    months: tuple[str, ...] = Field(description="As they stand in a date")
    english: Mapping[str, str] = Field(
        default_factory=dict, description="What documents are about, and the English words for it"
    )


def _read(language: Language) -> Words:
    return Words.model_validate_json(Path(__file__).with_name(f"{language}.json").read_bytes())


WORDS: Mapping[Language, Words] = {language: _read(language) for language in Language}


def say(language: Language, key: str, **values: object) -> str:
    """Return a sentence with its values."""
    return WORDS[language].phrases[key].format(**values)
