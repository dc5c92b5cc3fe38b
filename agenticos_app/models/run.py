"""Runs and the model requests they made."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Index, Text, text
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, document, reference, same_tenant, tenant_key, utc


class Run(TenantRow, table=True):
    """One execution of one version. Kept when what it refers to goes, organization and agent apart."""

    __table_args__ = (
        tenant_key(),
        same_tenant("agent_id", "agents"),
        same_tenant("version_id", "agent_versions", ondelete="SET NULL"),
        same_tenant("environment_id", "agent_environments", ondelete="SET NULL"),
        same_tenant("conversation_id", "conversations", ondelete="SET NULL"),
        same_tenant("parent_run_id", "runs", ondelete="SET NULL"),
        same_tenant("api_key_id", "api_keys", ondelete="SET NULL"),
        Index("ix_runs_recent", "organization_id", text("started_at DESC"), text("id DESC")),
        Index("ix_runs_live", "status", "host_id", postgresql_where=text("status = 'running'")),
        Index("ix_runs_conversation", "conversation_id"),
        Index("ix_runs_api_key", "api_key_id", postgresql_where=text("api_key_id IS NOT NULL")),
    )

    agent_id: UUID
    version_id: UUID | None = None
    environment_id: UUID | None = None
    """The one that the door named; None: the default one."""
    is_test: bool = False
    """Somebody who may edit the agent tried it out."""
    spec: dict[str, Any] | None = document(nullable=True)
    """Of a test of the draft, which has no version: what ran."""
    user_id: UUID | None = reference("users.id")
    """Who it ran as."""
    api_key_id: UUID | None = None
    """The key that started it."""
    conversation_id: UUID | None = None
    parent_run_id: UUID | None = None
    surface: str = Field(max_length=32)
    status: str = Field(max_length=32)
    prompt: str = Field(sa_type=Text)
    """What was asked; empty when a conversation's message has it, so that deleting one leaves no copy."""
    output: str | None = Field(default=None, sa_type=Text)
    """The answer of a run without a conversation; otherwise the conversation has it."""
    structured: dict[str, Any] | None = document(nullable=True)
    """The same of an answer that is data."""
    model_label: str = Field(default="", max_length=200)
    provider: str = Field(default="", max_length=64)
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int | None = Field(default=None, sa_type=BigInteger)
    """None: not known."""
    cost_is_partial: bool = False
    error_code: str | None = Field(default=None, max_length=64)
    error: str | None = Field(default=None, max_length=500)
    """A sentence of the platform: stage and class of the exception, or a limit's own message."""
    host_id: UUID | None = None
    """The process that executes it; None while it waits for one."""
    lease_until: datetime | None = utc(nullable=True)
    stop_requested_at: datetime | None = utc(nullable=True)
    started_at: datetime = utc()
    ended_at: datetime | None = utc(nullable=True)


class RunRequest(TenantRow, table=True):
    """One request to a model within a run."""

    __table_args__ = (
        same_tenant("run_id", "runs"),
        Index("ix_run_requests_run", "run_id", "number", unique=True),
    )

    run_id: UUID
    number: int
    """Counts from 1."""
    started_at: datetime = utc()
    milliseconds: int
    provider: str = Field(default="", max_length=64)
    model: str = Field(default="", max_length=200)
    profile_id: UUID | None = None
    secret_id: UUID | None = None
    """Which profile and which key served it, after a fallback not the run's own. No references: what was
    spent is written even if they are deleted meanwhile."""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    is_estimated: bool = False
    """The tokens are ours: it broke off before the provider told its own."""
    cost_micros: int | None = Field(default=None, sa_type=BigInteger)
    """None: no price is known."""
    failed: str | None = Field(default=None, max_length=128)
    """Class of the exception that ended it."""
