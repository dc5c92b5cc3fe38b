"""Sharing single rows with people: one way for every kind of row that has an owner and a visibility."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast
from uuid import UUID

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.db.work import Tx
from agenticos_app.errors import InvalidInput, NotFound
from agenticos_app.kernel.ids import UserId
from agenticos_app.repos import accounts, agents, grants, secrets
from agenticos_app.schemas.sharing import Level, ShareRow, Sharing
from agenticos_app.security.access import AGENT, SECRET, Kind, Shareable
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access, audit


@dataclass(frozen=True, slots=True)
class _Shared:
    load: Callable[[Tx, UUID], Awaitable[Shareable | None]]
    list: Permission
    """To see who else has the row."""
    edit: Permission


_SHARED: Mapping[Kind, _Shared] = MappingProxyType(
    {
        AGENT: _Shared(agents.get, Permission.AGENTS_VIEW, Permission.AGENTS_EDIT),
        SECRET: _Shared(secrets.get, Permission.SECRETS_EDIT, Permission.SECRETS_EDIT),
    }
)


async def sharing(tx: Tx, kind: Kind, row_id: UUID) -> Sharing:
    """Return how far a row is shared.

    Raises:
        NotFound: There is no such row, or the actor may not see it.
        Forbidden: The actor may see it but not who else does; of a secret only who may share it sees that.
    """
    row = await _row(tx, kind, row_id, _SHARED[kind].list)
    return Sharing(
        visibility=row.visibility,
        owner_user_id=row.owner_user_id,
        people=[
            ShareRow(
                user_id=user.id,
                full_name=user.full_name,
                email=user.email,
                level=cast("Level", grant.level),
            )
            for grant, user in await grants.of_row(tx, kind.name, row.id)
        ],
    )


async def share(tx: Tx, kind: Kind, row_id: UUID, user_id: UserId, level: Level) -> Sharing:
    """Give a member this level on a row, instead of the one that they had.

    Raises:
        NotFound: There is no such row, or no such member.
        Forbidden: The actor may see it but not share it.
    """
    row = await _editable(tx, kind, row_id)
    if await accounts.membership(tx, user_id) is None:
        raise NotFound(user_id=user_id)
    await grants.put(tx, kind.name, row.id, user_id, level)
    await audit.record(
        tx, Action.RESOURCE_SHARED, Target(kind.name, row.id), {"user_id": str(user_id), "level": level}
    )
    return await sharing(tx, kind, row_id)


async def share_with(tx: Tx, kind: Kind, row_id: UUID, email: str, level: Level) -> Sharing:
    """Do as `share` does, for the member who signs in with this address.

    Raises:
        NotFound: There is no such row.
        Forbidden: The actor may see it but not share it.
        InvalidInput: No member has this address (`email`).
    """
    await _editable(tx, kind, row_id)
    user = await accounts.user_by_email(tx, email.strip())
    if user is None or await accounts.membership(tx, user.id) is None:
        raise InvalidInput({"field": "email", "message": "no_member"})
    return await share(tx, kind, row_id, UserId(user.id), level)


async def unshare(tx: Tx, kind: Kind, row_id: UUID, user_id: UserId) -> None:
    """Take what was given to a person on a row away.

    Raises:
        NotFound: There is no such row, or nothing was given.
        Forbidden: The actor may see it but not share it.
    """
    row = await _editable(tx, kind, row_id)
    if not await grants.take(tx, kind.name, row.id, user_id):
        raise NotFound(user_id=user_id)
    await audit.record(tx, Action.RESOURCE_UNSHARED, Target(kind.name, row.id), {"user_id": str(user_id)})


async def show_to(tx: Tx, kind: Kind, row: Shareable, visibility: str) -> None:
    """Change who sees a row by its visibility; the caller has seen that the actor may."""
    if row.visibility == visibility:
        return
    row.visibility = visibility
    await audit.record(tx, Action.RESOURCE_VISIBILITY, Target(kind.name, row.id), {"visibility": visibility})


async def _editable(tx: Tx, kind: Kind, row_id: UUID) -> Shareable:
    return await _row(tx, kind, row_id, _SHARED[kind].edit)


async def _row(tx: Tx, kind: Kind, row_id: UUID, permission: Permission) -> Shareable:
    row = await _SHARED[kind].load(tx, row_id)
    await access.require(tx, kind, row, permission)
    assert row is not None
    return row
