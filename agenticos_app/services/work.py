"""Transactions for the entry points: signed in, for an actor, or for the platform itself."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agenticos_app.db.work import SystemTx, Tx, system_work, work
from agenticos_app.security.actor import Actor, Surface
from agenticos_app.services import sessions

__all__ = ["Credentials", "SystemTx", "Tx", "actor_of", "signed_in", "system_work", "work"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """What a caller showed."""

    secret: str = field(repr=False)
    """Value of the session cookie."""
    organization: str = ""
    """Id or slug of the organization that the request or page names; empty: the remembered one."""
    surface: Surface = Surface.WEB
    ip_address: str = ""


@asynccontextmanager
async def signed_in(credentials: Credentials) -> AsyncGenerator[Tx]:
    """Open a transaction for whoever the credentials belong to.

    Raises:
        Unauthenticated: No such session, or it is over.
        NotFound: The named organization is not one of the person's.
        Conflict: The person belongs to no organization (`reason="no_organization"`).
    """
    async with system_work() as inner:
        actor = await sessions.resolve(
            inner,
            credentials.secret,
            organization=credentials.organization,
            surface=credentials.surface,
            ip_address=credentials.ip_address,
        )
        yield inner.acting_as(actor)


async def actor_of(credentials: Credentials) -> Actor:
    """Return who the credentials belong to, for work that must not hold a transaction all the while.

    Raises:
        AppError: As `signed_in`.
    """
    async with signed_in(credentials) as tx:
        return tx.actor
