"""Passwords: argon2id, off the event loop."""

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""The second of the parameter sets that OWASP recommends for argon2id (2026-11)."""

_at_once = asyncio.Semaphore(4)


@cache
def _dummy() -> str:
    return _hasher.hash("nobody has this password")


async def hash_password(password: str) -> str:
    """Return what is stored of a password."""
    async with _at_once:
        return await asyncio.to_thread(_hasher.hash, password)


async def verify(password: str, stored: str | None) -> bool:
    """Tell whether the password is the stored one.

    Takes as long for an account without a password, or for none at all, so that time tells nobody
    which addresses have accounts.
    """
    async with _at_once:
        fits = await asyncio.to_thread(_verify, password, stored or _dummy())
    return fits and bool(stored)


def _verify(password: str, stored: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False
