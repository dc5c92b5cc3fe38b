"""Who acts, for which organization, with which permissions, through which door."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from agenticos_app.errors import Forbidden, PersonNeeded, Unauthenticated
from agenticos_app.kernel.ids import ApiKeyId, OrganizationId, SessionId, UserId
from agenticos_app.security.permissions import NOTHING, Permission, Reach, Scope


class Surface(StrEnum):
    """The door a run came through. Only values that something writes exist."""

    WEB = "web"
    API = "api"


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """One caller in one organization. Made by `sessions` and `api_keys` (people, keys) and `nobody` alone."""

    organization_id: OrganizationId
    user_id: UserId | None
    reach: Reach
    surface: Surface = Surface.WEB
    session_id: SessionId | None = None
    is_app_admin: bool = False
    ip_address: str = ""
    """Where the request came from, as the guard saw it; empty for the platform itself."""
    api_key_id: ApiKeyId | None = None
    """The key that speaks for the person; None when they act themselves."""
    limited_to: frozenset[Permission] | None = None
    """All that the key was given, which grants do not widen either; None: no limit."""

    def scope(self, permission: Permission) -> Scope:
        """Return how far the actor's role reaches."""
        return self.reach.get(permission, Scope.NONE)

    def may(self, permission: Permission) -> bool:
        """Tell whether the role holds the permission at all."""
        return self.scope(permission) is not Scope.NONE

    def is_given(self, permission: Permission) -> bool:
        """Tell whether grants on rows count for the permission: not beyond what a key was given."""
        return self.limited_to is None or permission in self.limited_to

    def require_talking(self) -> None:
        """Refuse a key that may not run agents: the person's conversations and files belong to that.

        Raises:
            Forbidden: A key without `agents:run` speaks.
        """
        if not self.is_given(Permission.AGENTS_RUN):
            raise Forbidden(permission=Permission.AGENTS_RUN.value)

    def require_person(self) -> None:
        """Refuse keys where only a person can act.

        Raises:
            PersonNeeded: A key speaks.
        """
        if self.api_key_id is not None:
            raise PersonNeeded

    @property
    def caller_id(self) -> UUID:
        """Return whose limits and repeated calls count together: the key, else the person.

        Raises:
            Unauthenticated: Nobody with an account acts here.
        """
        return self.api_key_id or self.person

    def require(self, permission: Permission) -> None:
        """Refuse an actor who lacks a global permission.

        Raises:
            Forbidden: The role does not hold it.
        """
        if not self.may(permission):
            raise Forbidden(permission=permission.value)

    @property
    def person(self) -> UserId:
        """Return the person who acts, for rows that must name one.

        Raises:
            Unauthenticated: Nobody with an account acts here.
        """
        if self.user_id is None:
            raise Unauthenticated
        return self.user_id


def nobody(organization_id: OrganizationId, surface: Surface) -> Actor:
    """Return the one kind of actor that has no person: role `anonymous`, no permissions."""
    return Actor(organization_id=organization_id, user_id=None, reach=NOTHING, surface=surface)
