"""Who changed what."""

from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from agenticos_app.models.base import Row, document, reference


class AuditEntry(Row, table=True):
    """One change of access or money, written in the transaction that made it. Never changed."""

    __tablename__ = "audit_entries"  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]
    __table_args__ = (Index(None, "organization_id", "created_at", "id"),)

    organization_id: UUID | None = reference("organizations.id", ondelete="CASCADE")
    """None: the change was one of the deployment."""
    actor_user_id: UUID | None = reference("users.id")
    """None: a sweep or the command line, or an account that is gone."""
    impersonator_user_id: UUID | None = reference("users.id")
    action: str = Field(max_length=64)
    target_type: str = Field(max_length=32)
    target_id: UUID | None = None
    details: dict[str, Any] = document()
    """Names of fields, ids and counts; never values."""
    ip_address: str = Field(default="", max_length=64)
