"""API keys and the calls that their callers named."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.models import ApiKey, IdempotentCall, Membership, Organization, User
from agenticos_app.repos.scope import first, scoped, table_of


class Found(NamedTuple):
    """A key with everything that makes an actor of it."""

    key: ApiKey
    user: User
    organization: Organization
    membership: Membership | None


_OF_MEMBER = and_(
    col(Membership.organization_id) == col(ApiKey.organization_id),
    col(Membership.user_id) == col(ApiKey.user_id),
)

# Of every call with a key, so built once.
_FIND = (
    select(ApiKey, User, Organization, Membership)
    .join(User, col(User.id) == col(ApiKey.user_id))
    .join(Organization, col(Organization.id) == col(ApiKey.organization_id))
    .outerjoin(Membership, _OF_MEMBER)
    .where(col(ApiKey.id) == bindparam("key_id"))
)


async def find(tx: SystemTx, key_id: UUID) -> Found | None:
    """Return the key with all that it acts for."""
    row = (await tx.session.execute(_FIND, {"key_id": key_id})).one_or_none()
    return Found(*row) if row else None


async def touch(tx: SystemTx, key_id: UUID, at: datetime, ip_address: str) -> None:
    """Note that the key was used."""
    await tx.session.execute(
        update(ApiKey).where(col(ApiKey.id) == key_id).values(last_used_at=at, last_used_ip=ip_address)
    )


def _usable(at: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        col(ApiKey.revoked_at).is_(None),
        col(ApiKey.expires_at).is_(None) | (col(ApiKey.expires_at) > at),
    )


class Listed(NamedTuple):
    """A key with its issuer and the role that they have now."""

    key: ApiKey
    user: User
    membership: Membership | None


async def page(
    tx: Tx,
    after: tuple[datetime, UUID] | None,
    *,
    limit: int,
    only_user: UUID | None,
    usable_at: datetime | None,
) -> list[Listed]:
    """Return keys, the latest first; of one person with `only_user`, not ended with `usable_at`."""
    query = (
        select(ApiKey, User, Membership)
        .join(User, col(User.id) == col(ApiKey.user_id))
        .outerjoin(Membership, _OF_MEMBER)
        .where(col(ApiKey.organization_id) == tx.actor.organization_id)
    )
    if only_user is not None:
        query = query.where(col(ApiKey.user_id) == only_user)
    if usable_at is not None:
        query = query.where(*_usable(usable_at))
    if after is not None:
        query = query.where(tuple_(col(ApiKey.created_at), col(ApiKey.id)) < after)
    query = query.order_by(col(ApiKey.created_at).desc(), col(ApiKey.id).desc()).limit(limit)
    return [Listed(*row) for row in (await tx.session.execute(query)).all()]


async def get(tx: Tx, key_id: UUID, *, lock: bool = False) -> ApiKey | None:
    """Return the key, or None when it is not in the actor's organization."""
    query = scoped(ApiKey, tx).where(col(ApiKey.id) == key_id)
    return await first(tx, query.with_for_update() if lock else query)


async def count_usable(tx: Tx, user_id: UUID, at: datetime) -> int:
    """Return how many keys of a person in the organization are neither revoked nor expired."""
    query = (
        select(func.count())
        .select_from(ApiKey)
        .where(
            col(ApiKey.organization_id) == tx.actor.organization_id,
            col(ApiKey.user_id) == user_id,
            *_usable(at),
        )
    )
    return (await tx.session.execute(query)).scalar_one()


async def begin_call(tx: Tx, name: str, body_hash: bytes, run_id: UUID, at: datetime) -> bool:
    """Take the name for a run; False when it is taken. Waits for whoever takes the same name just now."""
    calls = table_of(IdempotentCall)
    statement = (
        insert(calls)
        .values(
            id=run_id,
            created_at=at,
            organization_id=tx.actor.organization_id,
            caller_id=tx.actor.caller_id,
            name=name,
            body_hash=body_hash,
            run_id=run_id,
        )
        .on_conflict_do_nothing(index_elements=["organization_id", "caller_id", "name"])
        .returning(calls.c.id)
    )
    return (await tx.session.execute(statement)).first() is not None


async def call(tx: Tx, name: str) -> IdempotentCall | None:
    """Return what the caller's name stands for."""
    query = scoped(IdempotentCall, tx).where(
        col(IdempotentCall.caller_id) == tx.actor.caller_id, col(IdempotentCall.name) == name
    )
    return await first(tx, query)


async def forget_calls(tx: Tx, before: datetime) -> None:
    """Free the caller's names that are older than this."""
    await tx.session.execute(
        delete(IdempotentCall).where(
            col(IdempotentCall.organization_id) == tx.actor.organization_id,
            col(IdempotentCall.caller_id) == tx.actor.caller_id,
            col(IdempotentCall.created_at) < before,
        )
    )
