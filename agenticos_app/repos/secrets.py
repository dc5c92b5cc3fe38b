"""Secrets as they are stored, and who uses them. Opening them is the service's."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, false, func, or_, select, text, update
from sqlmodel import col

from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.models import ModelProfile, Secret, User
from agenticos_app.repos.scope import first, scoped
from agenticos_app.security.access import Everything, Nothing, Visible


async def get(tx: Tx, secret_id: UUID, *, lock: bool = False) -> Secret | None:
    """Return the secret, or None when it is not in the actor's organization."""
    query = scoped(Secret, tx).where(col(Secret.id) == secret_id)
    return await first(tx, query.with_for_update() if lock else query)


async def count(tx: Tx) -> int:
    """Return how many secrets there are."""
    query = select(func.count()).where(col(Secret.organization_id) == tx.actor.organization_id)
    return (await tx.session.execute(query)).scalar_one()


async def by_name(tx: Tx, name: str) -> Secret | None:
    """Return the secret with this name; nobody else takes the name until this transaction ends."""
    await tx.session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:what, 0))"),
        {"what": f"secret:{tx.actor.organization_id}:{name}"},
    )
    return await first(tx, scoped(Secret, tx).where(col(Secret.name) == name))


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """Which secrets of those that may be seen."""

    purposes: Collection[str] = ()
    """Of one of these; empty: of any."""
    text: str = ""
    """In the name, whatever the case; or the purpose is one of `text_purposes`."""
    text_purposes: Collection[str] = ()


async def list_visible(tx: Tx, visible: Visible, filters: Filters, *, limit: int) -> list[Secret]:
    """Return the secrets that both filters let through, by name."""
    query = _filtered(scoped(Secret, tx), visible)
    if filters.purposes:
        query = query.where(col(Secret.purpose).in_(filters.purposes))
    if filters.text:
        named = func.lower(col(Secret.name)).contains(filters.text, autoescape=True)
        query = query.where(or_(named, col(Secret.purpose).in_(filters.text_purposes)))
    query = query.order_by(func.lower(col(Secret.name)), col(Secret.id)).limit(limit)
    return list((await tx.session.execute(query)).scalars())


def _filtered(query: "Select[Secret]", visible: Visible) -> "Select[Secret]":
    if isinstance(visible, Everything):
        return query
    if isinstance(visible, Nothing):
        return query.where(false())
    reached: list[ColumnElement[bool]] = [
        col(Secret.visibility).in_(visible.visibilities),
        col(Secret.id).in_(visible.granted),
    ]
    if visible.owner_user_id is not None:
        reached.append(col(Secret.owner_user_id) == visible.owner_user_id)
    return query.where(or_(*reached))


async def names_of_people(tx: SystemTx, user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of accounts."""
    query = select(col(User.id), col(User.full_name)).where(col(User.id).in_(user_ids))
    return {row[0]: row[1] for row in (await tx.session.execute(query)).all()}


async def model_profiles_with(tx: Tx, secret_ids: Collection[UUID]) -> list[tuple[UUID, UUID, str]]:
    """Return secret, id and name of the model profiles that use these secrets, by name."""
    query = (
        select(col(ModelProfile.secret_id), col(ModelProfile.id), col(ModelProfile.name))
        .where(
            col(ModelProfile.organization_id) == tx.actor.organization_id,
            col(ModelProfile.secret_id).in_(secret_ids),
        )
        .order_by(func.lower(col(ModelProfile.name)), col(ModelProfile.id))
    )
    found = (await tx.session.execute(query)).all()
    return [(secret_id, row_id, name) for secret_id, row_id, name in found if secret_id is not None]


async def touch(tx: Tx, secret_id: UUID, at: datetime) -> None:
    """Note that the secret is used; nobody waits when somebody else notes it at the same time."""
    free = (
        select(col(Secret.id))
        .where(col(Secret.organization_id) == tx.actor.organization_id, col(Secret.id) == secret_id)
        .with_for_update(skip_locked=True, key_share=True)
    )
    await tx.session.execute(
        update(Secret)
        .where(col(Secret.organization_id) == tx.actor.organization_id, col(Secret.id).in_(free))
        .values(last_used_at=at)
        .execution_options(synchronize_session=False)
    )


async def sealed_otherwise(
    tx: SystemTx, *, versions: Sequence[int], are_wanted: bool, after: UUID | None, limit: int
) -> list[Secret]:
    """Return secrets of all organizations by the version of their key, by id, for a change."""
    fits = col(Secret.key_version).in_(versions)
    query = select(Secret).where(fits if are_wanted else ~fits)
    if after is not None:
        query = query.where(col(Secret.id) > after)
    query = query.order_by(col(Secret.id)).limit(limit).with_for_update()
    return list((await tx.session.execute(query)).scalars())
