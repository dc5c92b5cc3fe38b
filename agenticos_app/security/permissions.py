"""The permission catalogue and the six built-in roles. Permissions are code; roles are sets of them."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType


class Scope(IntEnum):
    """How far a permission on rows reaches; each level includes the ones before it."""

    NONE = 0
    OWN = 1
    """Rows the person owns."""
    SHARED = 2
    """Own rows and those visible to the organization."""
    TEAM = 3
    """Also those visible to the person's groups."""
    ALL = 4
    """Every row of the organization."""

    def _other(self, other: object) -> "Scope":
        if not isinstance(other, Scope):
            raise TypeError(f"a scope compares with a scope, not with {type(other).__name__}")
        return other

    def __lt__(self, other: object) -> bool:
        return int(self) < int(self._other(other))

    def __le__(self, other: object) -> bool:
        return int(self) <= int(self._other(other))

    def __gt__(self, other: object) -> bool:
        return int(self) > int(self._other(other))

    def __ge__(self, other: object) -> bool:
        return int(self) >= int(self._other(other))


class Permission(StrEnum):
    """What somebody may do. Call sites test these, never role names."""

    MEMBERS_MANAGE = "members:manage"
    ROLES_MANAGE = "roles:manage"
    ORG_SETTINGS = "org:settings"
    ORG_DELETE = "org:delete"
    BUDGETS_MANAGE = "budgets:manage"
    APPROVALS_DECIDE = "approvals:decide"
    CONNECTIONS_VIEW = "connections:view"
    CONNECTIONS_MANAGE = "connections:manage"
    CHANNELS_MANAGE = "channels:manage"
    RUNS_VIEW = "runs:view"
    AUDIT_READ = "audit:read"
    ML_INVOKE = "ml:invoke"
    API_KEYS_CREATE = "api_keys:create"
    API_KEYS_MANAGE = "api_keys:manage"

    AGENTS_VIEW = "agents:view"
    AGENTS_EDIT = "agents:edit"
    AGENTS_PUBLISH = "agents:publish"
    AGENTS_RUN = "agents:run"
    COLLECTIONS_VIEW = "collections:view"
    COLLECTIONS_EDIT = "collections:edit"
    SKILLS_VIEW = "skills:view"
    SKILLS_EDIT = "skills:edit"
    CONTEXT_VIEW = "context:view"
    CONTEXT_EDIT = "context:edit"
    SECRETS_VIEW = "secrets:view"
    SECRETS_EDIT = "secrets:edit"
    MCP_MANAGE = "mcp:manage"
    WORKFLOWS_VIEW = "workflows:view"
    WORKFLOWS_EDIT = "workflows:edit"
    WORKFLOWS_RUN = "workflows:run"
    TABLES_VIEW = "tables:view"
    TABLES_EDIT = "tables:edit"


class Role(StrEnum):
    """The built-in roles."""

    OWNER = "owner"
    ADMIN = "admin"
    BUILDER = "builder"
    OPERATOR = "operator"
    MEMBER = "member"
    VIEWER = "viewer"


_P = Permission
GLOBAL = frozenset(list(Permission)[: list(Permission).index(_P.AGENTS_VIEW)])
"""Permissions that one either has or has not; the others carry a scope."""

Reach = Mapping[Permission, Scope]
"""What a role reaches. A global permission that it holds is `ALL`; what is absent is `NONE`."""


def _role(*held: Permission, **by_scope: tuple[Permission, ...]) -> Reach:
    reach = dict.fromkeys(held, Scope.ALL)
    for scope, permissions in by_scope.items():
        reach |= dict.fromkeys(permissions, Scope[scope])
    return MappingProxyType(reach)


_VIEWS = (_P.AGENTS_VIEW, _P.COLLECTIONS_VIEW, _P.SKILLS_VIEW, _P.CONTEXT_VIEW)
_EDITS = (_P.AGENTS_EDIT, _P.COLLECTIONS_EDIT, _P.SKILLS_EDIT, _P.CONTEXT_EDIT)

ROLES: Mapping[Role, Reach] = MappingProxyType(
    {
        Role.OWNER: _role(*Permission),
        Role.ADMIN: _role(*(p for p in Permission if p is not _P.ORG_DELETE)),
        Role.BUILDER: _role(
            _P.CONNECTIONS_VIEW,
            _P.CONNECTIONS_MANAGE,
            _P.RUNS_VIEW,
            _P.ML_INVOKE,
            _P.API_KEYS_CREATE,
            ALL=(*_VIEWS, _P.AGENTS_RUN, _P.WORKFLOWS_VIEW, _P.WORKFLOWS_RUN, _P.TABLES_VIEW),
            SHARED=(
                *_EDITS,
                _P.AGENTS_PUBLISH,
                _P.SECRETS_VIEW,
                _P.MCP_MANAGE,
                _P.WORKFLOWS_EDIT,
                _P.TABLES_EDIT,
            ),
            OWN=(_P.SECRETS_EDIT,),
        ),
        Role.OPERATOR: _role(
            _P.APPROVALS_DECIDE,
            _P.CONNECTIONS_VIEW,
            _P.RUNS_VIEW,
            _P.ML_INVOKE,
            _P.API_KEYS_CREATE,
            ALL=(*_VIEWS, _P.AGENTS_RUN, _P.WORKFLOWS_VIEW, _P.WORKFLOWS_RUN, _P.TABLES_VIEW),
            SHARED=(_P.SECRETS_VIEW,),
        ),
        Role.MEMBER: _role(
            _P.ML_INVOKE,
            _P.API_KEYS_CREATE,
            SHARED=(
                *_VIEWS,
                _P.AGENTS_RUN,
                _P.SECRETS_VIEW,
                _P.WORKFLOWS_VIEW,
                _P.WORKFLOWS_RUN,
                _P.TABLES_VIEW,
            ),
            OWN=(*_EDITS, _P.SECRETS_EDIT, _P.WORKFLOWS_EDIT, _P.TABLES_EDIT),
        ),
        Role.VIEWER: _role(SHARED=_VIEWS),
    }
)

EVERYTHING: Reach = ROLES[Role.OWNER]
NOTHING: Reach = MappingProxyType({})


def reach_of(role: str) -> Reach:
    """Return what a role reaches; nothing for a role that does not exist."""
    try:
        return ROLES[Role(role)]
    except ValueError:
        return NOTHING
