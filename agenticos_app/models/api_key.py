"""API keys, and the calls that a caller may repeat without doing them twice."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, document, reference, same_tenant, tenant_key, utc


class ApiKey(TenantRow, table=True):
    """A key that acts for its issuer in one organization, within the permissions that it was given."""

    __table_args__ = (
        tenant_key(),
        Index("ix_api_keys_recent", "organization_id", text("created_at DESC"), text("id DESC")),
        CheckConstraint("char_length(name) BETWEEN 1 AND 100", name="name_length"),
    )

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", index=True)
    """Who issued it and whom it acts for."""
    name: str
    prefix: str = Field(max_length=16)
    """The beginning of the token."""
    last_four: str = Field(max_length=4)
    secret_hash: bytes
    """Digest of the whole token."""
    permissions: list[str] = document()
    expires_at: datetime | None = utc(nullable=True)
    """None: never."""
    revoked_at: datetime | None = utc(nullable=True)
    revoked_by_user_id: UUID | None = reference("users.id")
    last_used_at: datetime | None = utc(nullable=True)
    last_used_ip: str = Field(default="", max_length=64)


class IdempotentCall(TenantRow, table=True):
    """A call that its caller named, so that repeating it gives the same run."""

    __table_args__ = (
        UniqueConstraint("organization_id", "caller_id", "name"),
        same_tenant("run_id", "runs", deferred=True),
    )

    caller_id: UUID
    """The key, else the person."""
    name: str = Field(max_length=255)
    """The header `Idempotency-Key`."""
    body_hash: bytes
    run_id: UUID
