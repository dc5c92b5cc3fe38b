"""What the vault keeps. No other table holds a sealed value."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, reference, tenant_key, utc


class Secret(TenantRow, table=True):
    """Values that are used and never shown."""

    __table_args__ = (
        tenant_key(),
        UniqueConstraint("organization_id", "name"),
        CheckConstraint("visibility IN ('private', 'team', 'org')", name="visibility"),
        Index(None, "key_version", "id"),
    )

    name: str = Field(max_length=128)
    description: str = Field(default="", max_length=500)
    kind: str = Field(max_length=64)
    purpose: str = Field(max_length=64)
    visibility: str = Field(default="private", max_length=16)
    owner_user_id: UUID | None = reference("users.id")
    created_by_user_id: UUID | None = reference("users.id")
    sealed: bytes
    """The envelope of the whole payload."""
    key_version: int
    """The master key that the envelope needs, as its head says; here so that it can be asked for."""
    hint: str = Field(default="", max_length=4)
    rotated_at: datetime | None = utc(nullable=True)
    last_used_at: datetime | None = utc(nullable=True)
    """To the minute."""
