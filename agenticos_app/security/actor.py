"""Who acts, for which organization, with which permissions, through which door."""

from dataclasses import dataclass
from enum import StrEnum

from agenticos_app.errors import Forbidden, Unauthenticated
from agenticos_app.kernel.ids import OrganizationId, SessionId, UserId
from agenticos_app.security.permissions import NOTHING, Permission, Reach, Scope


class Surface(StrEnum):
    """The door a run came through. Only values that something writes exist."""

    WEB = "web"
    API = "api"


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """One caller in one organization. Made by `services.sessions` (people) and `nobody` alone."""

    organization_id: OrganizationId
    user_id: UserId | None
    reach: Reach
    surface: Surface = Surface.WEB
    session_id: SessionId | None = None
    is_app_admin: bool = False
    ip_address: str = ""
    """Where the request came from, as the guard saw it; empty for the platform itself."""

    def scope(self, permission: Permission) -> Scope:
        """Return how far the actor's role reaches."""
        return self.reach.get(permission, Scope.NONE)

    def may(self, permission: Permission) -> bool:
        """Tell whether the role holds the permission at all."""
        return self.scope(permission) is not Scope.NONE

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
