"""Who reaches which row: the pure part. `services.access` adds the grants that the database holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol
from uuid import UUID

from agenticos_app.security.actor import Actor
from agenticos_app.security.permissions import Permission, Scope


class Shareable(Protocol):
    """A row that has an owner and a visibility."""

    id: UUID
    organization_id: UUID
    owner_user_id: UUID | None
    visibility: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of shareable row: what grants call it, and the permission to see it."""

    name: str
    view: Permission


AGENT = Kind("agent", Permission.AGENTS_VIEW)
SECRET = Kind("secret", Permission.SECRETS_VIEW)

LEVELS: Mapping[str, int] = MappingProxyType({"read": 1, "use": 2, "edit": 3})

_NEEDED: Mapping[str, int] = MappingProxyType({"view": 1, "run": 2, "edit": 3, "publish": 3, "manage": 3})


def needed_level(permission: Permission) -> int:
    """Return the least grant that stands for a permission on one row."""
    return _NEEDED[permission.value.split(":")[1]]


def reaches(actor: Actor, permission: Permission, row: Shareable) -> bool:
    """Tell whether the actor's role alone reaches the row."""
    scope = actor.scope(permission)
    if scope is Scope.ALL:
        return True
    if scope >= Scope.OWN and row.owner_user_id is not None and row.owner_user_id == actor.user_id:
        return True
    return row.visibility in shown_to(scope)


def shown_to(scope: Scope) -> tuple[str, ...]:
    """Return the visibilities that a scope reaches besides own rows; `ALL` looks at none."""
    if scope >= Scope.TEAM:
        return ("org", "team")
    return ("org",) if scope >= Scope.SHARED else ()


@dataclass(frozen=True, slots=True)
class Everything:
    """Every row of the organization: no filter is needed."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """No row at all."""


@dataclass(frozen=True, slots=True)
class Only:
    """Rows of this owner, those with one of the visibilities, and those granted."""

    owner_user_id: UUID | None
    """None: own rows are not reached either."""
    visibilities: tuple[str, ...]
    granted: frozenset[UUID]


Visible = Everything | Nothing | Only
