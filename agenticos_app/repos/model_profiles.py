"""Model profiles and sealed secrets."""

from uuid import UUID

from sqlalchemy import func, select
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import ModelProfile, Organization, Secret
from agenticos_app.repos.scope import first, scoped


async def list_all(tx: Tx) -> list[tuple[ModelProfile, Secret | None]]:
    """Return the profiles by name, with their secrets' rows."""
    query = (
        select(ModelProfile, Secret)
        .outerjoin(Secret, col(Secret.id) == col(ModelProfile.secret_id))
        .where(col(ModelProfile.organization_id) == tx.actor.organization_id)
        .order_by(func.lower(col(ModelProfile.name)), col(ModelProfile.id))
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def resolve(tx: Tx, profile_id: UUID | None) -> tuple[ModelProfile, Secret | None] | None:
    """Return the profile with its secret; the organization's default for None."""
    wanted = profile_id or (
        select(col(Organization.default_model_profile_id))
        .where(col(Organization.id) == tx.actor.organization_id)
        .scalar_subquery()
    )
    query = (
        select(ModelProfile, Secret)
        .outerjoin(Secret, col(Secret.id) == col(ModelProfile.secret_id))
        .where(col(ModelProfile.organization_id) == tx.actor.organization_id, col(ModelProfile.id) == wanted)
    )
    row = (await tx.session.execute(query)).one_or_none()
    return (row[0], row[1]) if row else None


async def by_name(tx: Tx, name: str) -> ModelProfile | None:
    """Return the profile with this name."""
    return await first(tx, scoped(ModelProfile, tx).where(col(ModelProfile.name) == name).with_for_update())


async def secret_by_name(tx: Tx, name: str) -> Secret | None:
    """Return the secret with this name."""
    return await first(tx, scoped(Secret, tx).where(col(Secret.name) == name).with_for_update())
