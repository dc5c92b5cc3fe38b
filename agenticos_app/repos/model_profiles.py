"""Model profiles."""

from uuid import UUID

from sqlalchemy import Uuid, bindparam, func, select
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import ModelProfile, Organization, Secret
from agenticos_app.repos.scope import first, scoped

_DEFAULT = (
    select(col(Organization.default_model_profile_id))
    .where(col(Organization.id) == bindparam("for_organization"))
    .scalar_subquery()
)
_RESOLVE = (
    select(ModelProfile, Secret)
    .outerjoin(Secret, col(Secret.id) == col(ModelProfile.secret_id))
    .where(
        col(ModelProfile.organization_id) == bindparam("for_organization"),
        col(ModelProfile.id) == func.coalesce(bindparam("profile_id", type_=Uuid()), _DEFAULT),
    )
)


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
    wanted = {"for_organization": tx.actor.organization_id, "profile_id": profile_id}
    row = (await tx.session.execute(_RESOLVE, wanted)).one_or_none()
    return (row[0], row[1]) if row else None


async def by_name(tx: Tx, name: str) -> ModelProfile | None:
    """Return the profile with this name."""
    return await first(tx, scoped(ModelProfile, tx).where(col(ModelProfile.name) == name).with_for_update())
