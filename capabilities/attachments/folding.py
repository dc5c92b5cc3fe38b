"""Text without case and accents, one byte for a character, so that positions stay what they were."""

import codecs
import string
import unicodedata

OWN_FORMS = {"ł": "l", "ø": "o", "đ": "d", "ß": "s", "æ": "a", "œ": "o", "\u0131": "i"}
# What European languages in Latin script write beyond ASCII, in lower case.
LETTERS = "àáâãäåæçèéêëìíîïñòóôõöøùúûüýßąćęłńśźżčďěňřšťůžășțőűāēīķļņūėįųğış"
UNKNOWN = "?"
NO_CHARACTER = "\ufffe"


def folded(word: str) -> str:
    """Return the word without case and accents."""
    bare = "".join(OWN_FORMS.get(char, char) for char in word.lower())
    return "".join(char for char in unicodedata.normalize("NFD", bare) if not unicodedata.combining(char))


def _known() -> str:
    """Return the 256 characters that have a byte here; places that no letter needs hold none."""
    others = dict.fromkeys(char for letter in LETTERS for char in (letter, letter.upper()) if len(char) == 1)
    return ("".join(map(chr, range(128))) + "".join(others)).ljust(256, NO_CHARACTER)


def _bases(known: str) -> bytes:
    bases = (folded(char) for char in known)
    return bytes(ord(base) if len(base) == 1 and base.isascii() else ord(UNKNOWN) for base in bases)


_ENCODING = codecs.charmap_build(_known())
_BASES = _bases(_known())
WORD_BYTES = frozenset((string.ascii_lowercase + string.digits + "_").encode())


def folded_bytes(text: str) -> bytes:
    """Return the text as ASCII without case and accents, of the same length; other scripts become `?`."""
    if text.isascii():
        return text.lower().encode("ascii")
    encoded, _ = codecs.charmap_encode(text, "replace", _ENCODING)
    return encoded.translate(_BASES)
