"""Opaque secrets: made once, kept as hashes, compared in constant time."""

import hashlib
import hmac
import re
import secrets
import zlib
from dataclasses import dataclass, field
from uuid import UUID

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
KEY_MARK = "aos_"
_ID = 22
_RANDOM = 32
_CHECKSUM = 6
_SHOWN = 12
_KEY = re.compile(rf"{KEY_MARK}[0-9A-Za-z]{{{_ID + _RANDOM + _CHECKSUM}}}")


def new_secret() -> str:
    """Return 256 random bits as URL-safe text."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return what is stored of a random secret. Not for passwords: those need a slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def same(secret: str, stored: bytes | None) -> bool:
    """Tell whether `stored` is the digest of `secret`."""
    return stored is not None and hmac.compare_digest(digest(secret), stored)


@dataclass(frozen=True, slots=True)
class KeyToken:
    """The text of an API key: `aos_`, 22 characters of its row's id, 32 that prove it, 6 of a checksum.

    One word of letters and digits, so that scanners of leaks can tell one by `aos_[0-9A-Za-z]{60}` and its
    checksum, without asking anybody.
    """

    text: str = field(repr=False)
    key_id: UUID

    @property
    def prefix(self) -> str:
        """Return the beginning, which may be shown."""
        return self.text[:_SHOWN]

    @property
    def last_four(self) -> str:
        """Return the end, by which its owner tells it from others."""
        return self.text[-4:]


def new_key(key_id: UUID) -> KeyToken:
    """Return a fresh API key for a row: 190 random bits besides the row's id."""
    # Backwards, because the beginnings of our ids are times and would all look the same.
    body = KEY_MARK + _digits(int.from_bytes(key_id.bytes, "little"), _ID)
    body += "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return KeyToken(body + _checksum(body), key_id)


def read_key(text: str) -> KeyToken | None:
    """Return the key when the text can be one: mark, length, letters, checksum."""
    if _KEY.fullmatch(text) is None or _checksum(text[:-_CHECKSUM]) != text[-_CHECKSUM:]:
        return None
    number = 0
    for digit in text[len(KEY_MARK) :][:_ID]:
        number = number * len(_ALPHABET) + _ALPHABET.index(digit)
    return KeyToken(text, UUID(bytes=number.to_bytes(16, "little"))) if number >> 128 == 0 else None


def _checksum(body: str) -> str:
    """Return the CRC-32 of the text: it finds typing errors and is no secret."""
    return _digits(zlib.crc32(body.encode()), _CHECKSUM)


def _digits(number: int, count: int) -> str:
    digits = ""
    for _ in range(count):
        number, rest = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[rest] + digits
    return digits
