"""Agents, their frozen versions, and grants on shareable rows."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, Index, UniqueConstraint
from sqlmodel import Field

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
    live_version_id: UUID | None = None
    live_version: int = 0
    """Number of the version in use; 0 before the first publish."""
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
