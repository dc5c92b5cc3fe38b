"""Conversations: what people wrote, what agents answered, the calls they made, the files they were given."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, Text, UniqueConstraint, text
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, document, same_tenant, tenant_key, utc


class Conversation(TenantRow, table=True):
    """A thread of one person with one agent."""

    __table_args__ = (
        tenant_key(),
        same_tenant("agent_id", "agents", ondelete="SET NULL"),
        Index(
            "ix_conversations_recent",
            "organization_id",
            "user_id",
            text("last_message_at DESC"),
            text("id DESC"),
        ),
    )

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    agent_id: UUID | None = None
    title: str = Field(default="", max_length=200)
    is_test: bool = False
    """It holds test runs, and is listed nowhere."""
    last_message_at: datetime = utc()


class Message(TenantRow, table=True):
    """One side of a turn. Append-only: an answer's row grows while its run lives and is then final."""

    __table_args__ = (
        tenant_key(),
        same_tenant("conversation_id", "conversations"),
        same_tenant("run_id", "runs", ondelete="SET NULL", deferred=True),
        same_tenant("version_id", "agent_versions", ondelete="SET NULL"),
        CheckConstraint("role IN ('user', 'assistant')", name="role"),
        Index("ix_messages_thread", "conversation_id", "id"),
        Index("ix_messages_run", "run_id"),
    )

    conversation_id: UUID
    run_id: UUID | None = None
    role: str = Field(max_length=16)
    text: str = Field(default="", sa_type=Text)
    """What the person wrote, exactly; empty for an answer."""
    parts: list[dict[str, Any]] = document()
    """The answer's parts in streamed order; empty for a person's message."""
    stream_seq: int = 0
    """The last event of the run's stream that `parts` includes."""
    version_id: UUID | None = None
    status: str = Field(default="completed", max_length=32)
    """Of an answer: its run's status, so that a thread draws without the run rows."""
    input_tokens: int = 0
    output_tokens: int = 0
    context_tokens: int = 0
    """Of an answer: size of the conversation after its last request."""
    cost_micros: int | None = Field(default=None, sa_type=BigInteger)
    """Of an answer: its share of the run's cost; None: not known."""
    cost_is_partial: bool = False


class ToolCall(TenantRow, table=True):
    """One call of one tool, whole."""

    __table_args__ = (
        same_tenant("message_id", "messages"),
        same_tenant("run_id", "runs"),
        UniqueConstraint("run_id", "position"),
        Index("ix_tool_calls_message", "message_id"),
    )

    run_id: UUID
    message_id: UUID | None = None
    position: int
    """Counts the calls of a run from 0."""
    reference: str = Field(max_length=128)
    """The provider's id of the call; unique within one run only by custom."""
    tool: str = Field(max_length=128)
    arguments: dict[str, Any] = document()
    result: str | None = Field(default=None, sa_type=Text)
    status: str = Field(max_length=16)
    card: dict[str, Any] | None = document(nullable=True)
    """What it shows to the person."""
    started_at: datetime = utc()
    milliseconds: int | None = None


class File(TenantRow, table=True):
    """A file that somebody attached. Its bytes are in the file storage under `{organization}/{id}`."""

    __table_args__ = (
        tenant_key(),
        same_tenant("conversation_id", "conversations"),
        same_tenant("message_id", "messages", ondelete="SET NULL"),
        Index("ix_files_message", "message_id"),
        Index("ix_files_conversation", "conversation_id"),
    )

    user_id: UUID = Field(foreign_key="users.id", ondelete="CASCADE")
    conversation_id: UUID | None = None
    """None until the message that carries it is sent."""
    message_id: UUID | None = None
    name: str = Field(max_length=255)
    media_type: str = Field(max_length=128)
    size_bytes: int
    sha256: bytes
    lines: int
    """Lines of its text."""


class FileText(TenantRow, table=True):
    """The text of a file, apart from the rows that lists read."""

    __table_args__ = (same_tenant("file_id", "files"), UniqueConstraint("file_id"))

    file_id: UUID
    text: str = Field(sa_type=Text)
