"""Wider access to single rows for single people."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import Grant, User
from agenticos_app.repos.scope import first, scoped


async def grants(tx: Tx, kind: str, resource_ids: Collection[UUID], user_id: UUID) -> dict[UUID, str]:
    """Return the person's grants on these rows: id to level."""
    query = select(col(Grant.resource_id), col(Grant.level)).where(
        col(Grant.organization_id) == tx.actor.organization_id,
        col(Grant.resource_type) == kind,
        col(Grant.user_id) == user_id,
        col(Grant.resource_id).in_(resource_ids),
    )
    return {row[0]: row[1] for row in (await tx.session.execute(query)).all()}


async def granted_ids(tx: Tx, kind: str, user_id: UUID) -> frozenset[UUID]:
    """Return every row of a kind on which the person has a grant."""
    query = select(col(Grant.resource_id)).where(
        col(Grant.organization_id) == tx.actor.organization_id,
        col(Grant.resource_type) == kind,
        col(Grant.user_id) == user_id,
    )
    return frozenset((await tx.session.execute(query)).scalars())


async def of_row(tx: Tx, kind: str, resource_id: UUID) -> list[tuple[Grant, User]]:
    """Return the grants on one row, by the person's name."""
    query = (
        select(Grant, User)
        .join(User, col(User.id) == col(Grant.user_id))
        .where(
            col(Grant.organization_id) == tx.actor.organization_id,
            col(Grant.resource_type) == kind,
            col(Grant.resource_id) == resource_id,
        )
        .order_by(func.lower(col(User.full_name)), col(User.id))
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def put(tx: Tx, kind: str, resource_id: UUID, user_id: UUID, level: str) -> None:
    """Give the person this level on the row, instead of the one that they had."""
    values = {
        "id": new_id(),
        "created_at": now(),
        "organization_id": tx.actor.organization_id,
        "resource_type": kind,
        "resource_id": resource_id,
        "user_id": user_id,
        "level": level,
    }
    statement = insert(Grant).values(values)
    await tx.session.execute(
        statement.on_conflict_do_update(
            index_elements=["organization_id", "user_id", "resource_type", "resource_id"],
            set_={"level": level},
        )
    )


async def take(tx: Tx, kind: str, resource_id: UUID, user_id: UUID) -> bool:
    """Take the person's grant on the row away; tell whether there was one."""
    query = scoped(Grant, tx).where(
        col(Grant.resource_type) == kind,
        col(Grant.resource_id) == resource_id,
        col(Grant.user_id) == user_id,
    )
    grant = await first(tx, query.with_for_update())
    if grant is None:
        return False
    await tx.delete(grant)
    return True


async def forget_row(tx: Tx, kind: str, resource_id: UUID) -> None:
    """Delete every grant on a row that is going."""
    await tx.session.execute(
        delete(Grant).where(
            col(Grant.organization_id) == tx.actor.organization_id,
            col(Grant.resource_type) == kind,
            col(Grant.resource_id) == resource_id,
        )
    )


async def forget_person(tx: Tx, user_id: UUID) -> None:
    """Delete every grant of a person who leaves the organization."""
    await tx.session.execute(
        delete(Grant).where(
            col(Grant.organization_id) == tx.actor.organization_id, col(Grant.user_id) == user_id
        )
    )


async def granted_rows(tx: Tx, kind: str, resource_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the rows that were given to anybody."""
    query = select(col(Grant.resource_id)).where(
        col(Grant.organization_id) == tx.actor.organization_id,
        col(Grant.resource_type) == kind,
        col(Grant.resource_id).in_(resource_ids),
    )
    return set((await tx.session.execute(query)).scalars())
