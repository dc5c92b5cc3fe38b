"""Model profiles, what they fall back to, and who uses them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Uuid, bindparam, delete, exists, func, select
from sqlalchemy.orm import aliased
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import Agent, AgentVersion, ModelFallback, ModelProfile, Organization, Secret
from agenticos_app.repos.locks import hold_name
from agenticos_app.repos.scope import first, scoped

Held = tuple[ModelProfile, Secret | None]
"""A profile with its secret's row."""

_DEFAULT = (
    select(col(Organization.default_model_profile_id))
    .where(col(Organization.id) == bindparam("for_organization"))
    .scalar_subquery()
)
# Asked by every run, so built once: putting a statement together costs as much as sending it.
_RESOLVE = (
    select(ModelProfile, Secret, exists().where(col(ModelFallback.profile_id) == col(ModelProfile.id)))
    .outerjoin(Secret, col(Secret.id) == col(ModelProfile.secret_id))
    .where(
        col(ModelProfile.organization_id) == bindparam("for_organization"),
        col(ModelProfile.id) == func.coalesce(bindparam("profile_id", type_=Uuid()), _DEFAULT),
    )
)
_FALLBACKS = (
    select(ModelProfile, Secret)
    .join(ModelFallback, col(ModelFallback.fallback_id) == col(ModelProfile.id))
    .outerjoin(Secret, col(Secret.id) == col(ModelProfile.secret_id))
    .where(
        col(ModelFallback.organization_id) == bindparam("for_organization"),
        col(ModelFallback.profile_id) == bindparam("profile_id"),
    )
    .order_by(col(ModelFallback.position))
)


async def list_all(tx: Tx) -> list[Held]:
    """Return the profiles by name, with their secrets' rows."""
    query = (
        select(ModelProfile, Secret)
        .outerjoin(Secret, col(Secret.id) == col(ModelProfile.secret_id))
        .where(col(ModelProfile.organization_id) == tx.actor.organization_id)
        .order_by(func.lower(col(ModelProfile.name)), col(ModelProfile.id))
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def get(tx: Tx, profile_id: UUID, *, lock: bool = False) -> ModelProfile | None:
    """Return the profile, or None when it is not in the actor's organization."""
    query = scoped(ModelProfile, tx).where(col(ModelProfile.id) == profile_id)
    return await first(tx, query.with_for_update() if lock else query)


async def count(tx: Tx) -> int:
    """Return how many profiles there are."""
    query = select(func.count()).where(col(ModelProfile.organization_id) == tx.actor.organization_id)
    return (await tx.session.execute(query)).scalar_one()


async def resolve(tx: Tx, profile_id: UUID | None) -> tuple[ModelProfile, Secret | None, bool] | None:
    """Return the profile with its secret, the organization's default for None; whether it has fallbacks."""
    wanted = {"for_organization": tx.actor.organization_id, "profile_id": profile_id}
    row = (await tx.session.execute(_RESOLVE, wanted)).one_or_none()
    return (row[0], row[1], row[2]) if row else None


async def fallbacks(tx: Tx, profile_id: UUID) -> list[Held]:
    """Return what a profile falls back to, in order."""
    wanted = {"for_organization": tx.actor.organization_id, "profile_id": profile_id}
    return [(row[0], row[1]) for row in (await tx.session.execute(_FALLBACKS, wanted)).all()]


async def by_name(tx: Tx, name: str) -> ModelProfile | None:
    """Return the profile with this name; nobody else takes the name until this transaction ends."""
    await hold_name(tx, "model", name)
    return await first(tx, scoped(ModelProfile, tx).where(col(ModelProfile.name) == name).with_for_update())


async def present(tx: Tx, profile_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the ids that are profiles of the organization; they stay until the end."""
    query = scoped(ModelProfile, tx).where(col(ModelProfile.id).in_(profile_ids))
    query = query.order_by(col(ModelProfile.id)).with_for_update(key_share=True, read=True)
    return {row.id for row in (await tx.session.execute(query)).scalars()}


async def fall_back(tx: Tx, profile_id: UUID, fallback_ids: Sequence[UUID]) -> None:
    """Let a profile fall back to these, in order, and to no others."""
    await tx.session.execute(
        delete(ModelFallback).where(
            col(ModelFallback.organization_id) == tx.actor.organization_id,
            col(ModelFallback.profile_id) == profile_id,
        )
    )
    for position, fallback_id in enumerate(fallback_ids, start=1):
        tx.add(
            ModelFallback(
                organization_id=tx.actor.organization_id,
                profile_id=profile_id,
                fallback_id=fallback_id,
                position=position,
            )
        )
    await tx.flush()


@dataclass(frozen=True, slots=True)
class Falling:
    """One profile's step to another."""

    profile_id: UUID
    profile_name: str
    fallback_id: UUID
    fallback_name: str


async def fallings(tx: Tx) -> list[Falling]:
    """Return who falls back to whom in the organization, in order."""
    profile, fallback = aliased(ModelProfile), aliased(ModelProfile)
    query = (
        select(
            col(ModelFallback.profile_id),
            col(profile.name),
            col(ModelFallback.fallback_id),
            col(fallback.name),
        )
        .join(profile, col(profile.id) == col(ModelFallback.profile_id))
        .join(fallback, col(fallback.id) == col(ModelFallback.fallback_id))
        .where(col(ModelFallback.organization_id) == tx.actor.organization_id)
        .order_by(func.lower(col(profile.name)), col(ModelFallback.profile_id), col(ModelFallback.position))
    )
    return [Falling(*row) for row in (await tx.session.execute(query)).all()]


async def agents_by_profile(tx: Tx) -> list[tuple[str | None, UUID, str]]:
    """Return the published agents by name: the id of the model that they name, None for the default."""
    named = col(AgentVersion.spec)["model_profile_id"].astext
    query = (
        select(named, col(Agent.id), col(Agent.name))
        .join(AgentVersion, col(AgentVersion.id) == col(Agent.live_version_id))
        .where(
            col(Agent.organization_id) == tx.actor.organization_id,
            col(AgentVersion.organization_id) == tx.actor.organization_id,
            col(Agent.archived_at).is_(None),
        )
        .order_by(func.lower(col(Agent.name)), col(Agent.id))
    )
    return [(row[0], row[1], row[2]) for row in (await tx.session.execute(query)).all()]
