"""People, their sessions, organizations and who belongs to them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, UniqueConstraint
from sqlmodel import Field

from agenticos_app.models.base import Row, TenantRow, reference, same_tenant, utc


class User(Row, table=True):
    """A person with an account. Roles live on memberships."""

    __table_args__ = (UniqueConstraint("email"), UniqueConstraint("oauth_provider", "oauth_id"))

    email: str = Field(max_length=255)
    """Lower case."""
    full_name: str = Field(max_length=128)
    password_hash: str | None = None
    """None for an account that signs in elsewhere."""
    is_active: bool = True
    is_app_admin: bool = False
    avatar_key: str | None = None
    avatar_color: int | None = None
    onboarding_completed_at: datetime | None = utc(nullable=True)
    oauth_provider: str | None = Field(default=None, max_length=64)
    oauth_id: str | None = Field(default=None, max_length=255)
    notify_budget: bool = True
    notify_approvals: bool = True
    notify_usage: bool = True


class Organization(Row, table=True):
    """The tenant."""

    __table_args__ = (
        UniqueConstraint("slug"),
        same_tenant(
            "default_model_profile_id", "model_profiles", ondelete="SET NULL", circular=True, tenant="id"
        ),
        CheckConstraint("char_length(name) BETWEEN 2 AND 128", name="name_length"),
        CheckConstraint("char_length(slug) BETWEEN 2 AND 64", name="slug_length"),
        CheckConstraint("avatar_color BETWEEN 1 AND 10", name="avatar_color"),
        CheckConstraint("monthly_budget_micros >= 0", name="monthly_budget"),
    )

    name: str
    slug: str
    is_personal: bool = False
    avatar_key: str | None = None
    avatar_color: int | None = None
    """1 to 10; None: derived from the id."""
    created_by_user_id: UUID | None = reference("users.id")
    monthly_budget_micros: int | None = Field(default=None, sa_type=BigInteger)
    """Millionths of a dollar; None: no cap."""
    default_model_profile_id: UUID | None = None


class Membership(TenantRow, table=True):
    """One person's role in one organization."""

    __table_args__ = (
        UniqueConstraint("organization_id", "user_id"),
        CheckConstraint("source IN ('manual', 'directory')", name="source"),
    )

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", index=True)
    role: str = Field(max_length=64)
    source: str = Field(default="manual", max_length=16)
    invited_by_user_id: UUID | None = reference("users.id")


class Session(Row, table=True):
    """One sign-in on one device."""

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE", index=True)
    organization_id: UUID | None = reference("organizations.id")
    """The organization that the console shows."""
    secret_hash: bytes
    previous_secret_hash: bytes | None = None
    """The secret before the last rotation: sockets opened with it are still in use."""
    rotated_at: datetime = utc()
    device: str = Field(max_length=128)
    device_type: str = Field(max_length=16)
    ip_address: str = Field(max_length=64)
    user_agent: str = Field(max_length=512)
    last_used_at: datetime = utc()
    expires_at: datetime = utc()
    """The absolute end; 7 days without use end it earlier."""


class SetupLink(Row, table=True):
    """A one-time link for the owner's account; gone as soon as there is one."""

    __table_args__ = (UniqueConstraint("token_hash"),)

    token_hash: bytes
