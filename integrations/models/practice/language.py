"""Which of two languages a question is in, and which of its words say what it is about."""

import re
import unicodedata

from integrations.models.practice.words import WORDS, Language

KEYWORDS = 6


POLISH_LETTERS = frozenset("ąćęłńóśźż")
POLISH_WORDS = frozenset(WORDS[Language.POLISH].function_words.split())
ENGLISH_WORDS = frozenset(WORDS[Language.ENGLISH].function_words.split())
SHARED_WORDS = frozenset({"a", "by", "do", "go", "i", "me", "my", "no", "on", "to"})
"""Words of both languages, which therefore show neither."""
STOP_WORDS = POLISH_WORDS | ENGLISH_WORDS | SHARED_WORDS
UNDECIDED = (POLISH_WORDS & ENGLISH_WORDS) | SHARED_WORDS


def language_of(*texts: str) -> Language:
    """Return the language of the first text that shows one; English when none does."""
    for text in texts:
        words = words_of(text)
        polish = sum(word in POLISH_WORDS and word not in UNDECIDED for word in words)
        polish += 2 * any(char in POLISH_LETTERS for char in text.lower())
        english = sum(word in ENGLISH_WORDS and word not in UNDECIDED for word in words)
        if polish != english:
            return Language.POLISH if polish > english else Language.ENGLISH
    return Language.ENGLISH


def words_of(text: str) -> list[str]:
    """Return the words in lower case."""
    return re.findall(r"\w+", text.lower())


def keywords_of(question: str) -> list[str]:
    """Return the words that say what a question is about, the first few, without function words."""
    words = dict.fromkeys(word for word in words_of(question) if word not in STOP_WORDS)
    return [word for word in words if len(word) > 2 or word.isdigit()][:KEYWORDS]


def bare(text: str) -> str:
    """Return the text without case and accents."""
    plain = unicodedata.normalize("NFD", text.lower().replace("ł", "l"))
    return "".join(char for char in plain if not unicodedata.combining(char))


def stem_of(word: str) -> str:
    """Return the part of a word that its endings leave alone."""
    plain = bare(word)
    return plain if len(plain) < 4 else plain[: max(3, len(plain) - (1 if len(plain) < 6 else 2))]
