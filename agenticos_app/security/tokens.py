"""Opaque secrets: made once, kept as hashes, compared in constant time."""

import hashlib
import hmac
import secrets


def new_secret() -> str:
    """Return 256 random bits as URL-safe text."""
    return secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    """Return what is stored of a random secret. Not for passwords: those need a slow hash."""
    return hashlib.sha256(secret.encode()).digest()


def same(secret: str, stored: bytes | None) -> bool:
    """Tell whether `stored` is the digest of `secret`."""
    return stored is not None and hmac.compare_digest(digest(secret), stored)
