"""A few words that documents are about, so that a question in one language finds a text in the other."""

from collections.abc import Sequence

from integrations.models.practice.language import bare, stem_of
from integrations.models.practice.words import WORDS, Language

PAIRS = [
    (stem_of(polish), polish, stem_of(english), english)
    for polish, words in WORDS[Language.POLISH].english.items()
    for english in words.split()
]


def translations_of(words: Sequence[str]) -> list[str]:
    """Return the words of the other language that the glossary has for these."""
    found: dict[str, None] = {}
    for word in map(bare, words):
        for polish_stem, polish, english_stem, english in PAIRS:
            if word.startswith(polish_stem):
                found[english] = None
            elif word.startswith(english_stem):
                found[polish] = None
    return list(found)
