"""Transactions for the entry points: signed in, for an actor, or for the platform itself."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agenticos_app.db.work import SystemTx, Tx, system_work, work
from agenticos_app.security import tokens
from agenticos_app.security.actor import Actor, Surface
from agenticos_app.services import api_keys, sessions

__all__ = ["Credentials", "SystemTx", "Tx", "actor_of", "resolved", "signed_in", "system_work", "work"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """What a caller showed."""

    secret: str = field(default="", repr=False)
    """Value of the session cookie."""
    key: str | None = field(default=None, repr=False)
    """The bearer token, which wins over a cookie; None when there is none."""
    organization: str = ""
    """Id or slug of the organization that the request or page names; empty: the remembered one."""
    surface: Surface = Surface.WEB
    ip_address: str = ""

    @property
    def mark(self) -> str:
        """Return what tells one caller from others before anything is read: the key, session or address."""
        session_id = self.secret.partition(".")[0]
        key = self.key if self.key and tokens.read_key(self.key) else ""
        return tokens.digest(key or session_id or self.ip_address).hex()[:32]


async def resolved(tx: SystemTx, credentials: Credentials) -> Actor:
    """Return who the credentials belong to.

    Raises:
        Unauthenticated: No such session or key, or it is over.
        NotFound: The named organization is not one of the caller's.
        Conflict: The person belongs to no organization (`reason="no_organization"`).
    """
    organization, surface = credentials.organization, credentials.surface
    if credentials.key is None:
        return await sessions.resolve(
            tx,
            credentials.secret,
            organization=organization,
            surface=surface,
            ip_address=credentials.ip_address,
        )
    return await api_keys.resolve(
        tx,
        credentials.key,
        organization=organization,
        surface=surface,
        ip_address=credentials.ip_address,
    )


@asynccontextmanager
async def signed_in(credentials: Credentials, *, single: bool = False) -> AsyncGenerator[Tx]:
    """Open a transaction for whoever the credentials belong to; `single` as in `system_work`.

    Raises:
        AppError: As `resolved`.
    """
    async with system_work(single=single) as inner:
        yield inner.acting_as(await resolved(inner, credentials))


async def actor_of(credentials: Credentials) -> Actor:
    """Return who the credentials belong to, for work that must not hold a transaction all the while.

    Raises:
        AppError: As `resolved`.
    """
    async with signed_in(credentials) as tx:
        return tx.actor
