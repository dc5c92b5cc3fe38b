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
    RESOURCE_VISIBILITY = "resource.visibility"

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
