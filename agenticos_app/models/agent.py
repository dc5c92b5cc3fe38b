"""Agents, their frozen versions and environments, what is asked of their owners, grants on shareable rows."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, DateTime, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from agenticos_app.kernel.clock import now
from agenticos_app.models.base import TenantRow, document, reference, same_tenant, tenant_key, utc


class Agent(TenantRow, table=True):
    """An agent: its draft and which version is live."""

    __table_args__ = (
        tenant_key(),
        UniqueConstraint("organization_id", "slug"),
        same_tenant("live_version_id", "agent_versions", ondelete="SET NULL", circular=True),
        CheckConstraint("visibility IN ('private', 'team', 'org')", name="visibility"),
    )

    name: str = Field(max_length=128)
    slug: str = Field(max_length=64)
    description: str = Field(default="", max_length=500)
    owner_user_id: UUID | None = reference("users.id")
    visibility: str = Field(default="org", max_length=16)
    draft: dict[str, Any] = document()
    draft_revision: int = 1
    """Counts the changes of the draft, so that who saves can tell what they have not seen."""
    draft_how: str = Field(default="created", max_length=16)
    """Which way the last change came: `schemas.agents.How`."""
    draft_by_user_id: UUID | None = reference("users.id")
    draft_changed_at: datetime = Field(default_factory=now, sa_type=DateTime(timezone=True))  # pyright: ignore[reportArgumentType]  # as `Row.created_at`
    live_version_id: UUID | None = None
    """The version of the default environment, which every door runs that names none."""
    live_version: int = 0
    """Its number; 0 before the first publish."""
    latest_version: int = 0
    """The highest number given to a version; 0 before the first publish."""
    avatar_key: str | None = None
    categories: list[str] = Field(default_factory=list[str], sa_type=JSONB)
    tags: list[str] = Field(default_factory=list[str], sa_type=JSONB)
    archived_at: datetime | None = utc(nullable=True)
    changed_at: datetime = utc()


class AgentVersion(TenantRow, table=True):
    """A published spec. Never changed."""

    __table_args__ = (
        tenant_key(),
        same_tenant("agent_id", "agents"),
        UniqueConstraint("agent_id", "number"),
    )

    agent_id: UUID
    number: int
    spec: dict[str, Any] = document()
    note: str = Field(default="", max_length=500)
    published_by_user_id: UUID | None = reference("users.id")


class AgentEnvironment(TenantRow, table=True):
    """A named pointer to a version of an agent."""

    __table_args__ = (
        tenant_key(),
        same_tenant("agent_id", "agents"),
        same_tenant("version_id", "agent_versions", ondelete="NO ACTION"),
        same_tenant("tracing_secret_id", "secrets", ondelete="SET NULL"),
        UniqueConstraint("agent_id", "name"),
        Index(None, "agent_id", unique=True, postgresql_where=text("is_default")),
    )

    agent_id: UUID
    name: str = Field(max_length=64)
    version_id: UUID
    is_default: bool = False
    tracks_latest: bool = False
    """Publishing moves it."""
    tracing_secret_id: UUID | None = None
    tracing_service: str = Field(default="", max_length=128)


class CapabilityRequest(TenantRow, table=True):
    """Somebody who may not edit an agent asks its owner for a capability."""

    __table_args__ = (
        same_tenant("agent_id", "agents"),
        UniqueConstraint("agent_id", "capability_id", "user_id"),
    )

    agent_id: UUID
    capability_id: str = Field(max_length=64)
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    reason: str = Field(default="", max_length=500)


class Grant(TenantRow, table=True):
    """Wider access to one row for one person. Widens, never narrows."""

    __table_args__ = (
        UniqueConstraint("organization_id", "user_id", "resource_type", "resource_id"),
        CheckConstraint("level IN ('read', 'use', 'edit')", name="level"),
        Index(None, "organization_id", "resource_type", "resource_id"),
    )

    resource_type: str = Field(max_length=32)
    resource_id: UUID
    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    level: str = Field(max_length=8)
