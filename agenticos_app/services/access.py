"""The one place that decides who may do what to a row."""

from collections.abc import Sequence
from uuid import UUID

from agenticos_app.db.work import Tx
from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.repos import grants as repo
from agenticos_app.security.access import (
    LEVELS,
    Everything,
    Kind,
    Nothing,
    Only,
    Shareable,
    Visible,
    needed_level,
    reaches,
    shown_to,
)
from agenticos_app.security.permissions import Permission, Scope


async def require(
    tx: Tx, kind: Kind, row: Shareable | None, permission: Permission, *, level: str | None = None
) -> None:
    """Refuse unless the actor may do this to the row.

    The order: somebody must act, the row must be of the organization, the role may reach it (no query),
    else a grant must: of `level`, or of the least that stands for the permission. A grant does not widen a
    key beyond what it was given.

    Raises:
        NotFound: There is no such row in the organization, or the actor may not see it.
        Forbidden: The actor may see it but not do this.
    """
    if tx.actor.user_id is None or row is None or row.organization_id != tx.actor.organization_id:
        raise NotFound
    if reaches(tx.actor, permission, row):
        return
    held = LEVELS.get((await repo.grants(tx, kind.name, [row.id], tx.actor.user_id)).get(row.id, ""), 0)
    needed = needed_level(permission) if level is None else LEVELS[level]
    if held >= needed and tx.actor.is_given(permission):
        return
    if (held and tx.actor.is_given(kind.view)) or reaches(tx.actor, kind.view, row):
        raise Forbidden(permission=permission.value)
    raise NotFound


async def allowed(tx: Tx, kind: Kind, rows: Sequence[Shareable], permission: Permission) -> set[UUID]:
    """Return the ids of those rows to which the actor may do this: one query of grants for all."""
    if tx.actor.user_id is None:
        return set()
    own = [row for row in rows if row.organization_id == tx.actor.organization_id]
    reached = {row.id for row in own if reaches(tx.actor, permission, row)}
    others = [row.id for row in own if row.id not in reached]
    if not others or not tx.actor.is_given(permission):
        return reached
    granted = await repo.grants(tx, kind.name, others, tx.actor.user_id)
    return reached | {
        row_id for row_id, level in granted.items() if LEVELS[level] >= needed_level(permission)
    }


async def visible(tx: Tx, kind: Kind) -> Visible:
    """Return the filter of a list: everything, nothing, or only some rows."""
    if tx.actor.user_id is None:
        return Nothing()
    if not tx.actor.is_given(kind.view):
        return Nothing()
    scope = tx.actor.scope(kind.view)
    if scope is Scope.ALL:
        return Everything()
    granted = await repo.granted_ids(tx, kind.name, tx.actor.user_id)
    if scope is Scope.NONE and not granted:
        return Nothing()
    return Only(
        owner_user_id=tx.actor.user_id if scope >= Scope.OWN else None,
        visibilities=shown_to(scope),
        granted=granted,
    )
