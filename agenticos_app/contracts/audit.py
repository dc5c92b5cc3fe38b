"""Which changes the audit trail knows. The names are permanent: entries store them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

Detail = str | int | bool | None | list[str]
Details = Mapping[str, Detail]
"""Names of fields, ids, counts and levels; never a secret and never a text that somebody wrote."""


class Action(StrEnum):
    """What was done."""

    SECRET_CREATED = "secret.created"  # noqa: S105  # an action
    SECRET_CHANGED = "secret.changed"  # noqa: S105  # an action
    SECRET_ROTATED = "secret.rotated"  # noqa: S105  # an action
    SECRET_DELETED = "secret.deleted"  # noqa: S105  # an action
    VAULT_REWRAPPED = "vault.rewrapped"

    RESOURCE_SHARED = "resource.share"
    RESOURCE_UNSHARED = "resource.unshare"
    RESOURCE_VISIBILITY = "resource.visibility_changed"
    RESOURCE_CLAIMED = "resource.owner_claimed"

    AGENT_CREATED = "agent.created"
    AGENT_CLONED = "agent.cloned"
    AGENT_PUBLISHED = "agent.published"
    AGENT_ROLLED_BACK = "agent.rolled_back"
    AGENT_ARCHIVED = "agent.archived"
    AGENT_UNARCHIVED = "agent.unarchived"
    AGENT_DELETED = "agent.deleted"
    AGENT_VERSION_DELETED = "agent.version_deleted"
    ENVIRONMENT_CREATED = "environment.created"
    ENVIRONMENT_CHANGED = "environment.changed"
    ENVIRONMENT_PROMOTED = "environment.promoted"
    ENVIRONMENT_DELETED = "environment.deleted"

    MODEL_PROFILE_CREATED = "model_profile.created"
    MODEL_PROFILE_CHANGED = "model_profile.changed"
    MODEL_PROFILE_DELETED = "model_profile.deleted"
    MODEL_PROFILE_DEFAULT = "model_profile.default"

    ORGANIZATION_CREATED = "organization.created"
    ORGANIZATION_CHANGED = "organization.changed"
    MEMBER_ADDED = "member.added"
    MEMBER_ROLE_CHANGED = "member.role_changed"
    MEMBER_REMOVED = "member.removed"

    API_KEY_CREATED = "api_key.created"
    API_KEY_REVOKED = "api_key.revoked"

    USER_ADMIN_CHANGED = "user.admin_changed"
    USER_ACTIVE_CHANGED = "user.active_changed"


@dataclass(frozen=True, slots=True)
class Target:
    """What it was done to."""

    type: str
    id: UUID | None = None
