"""Money: what a month has spent and reserved, and what is reserved for whom."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field

from agenticos_app.models.base import TenantRow, same_tenant, utc


class Spending(TenantRow, table=True):
    """What one organization or agent has spent in one calendar month (UTC). A counter, kept by settling."""

    __table_args__ = (
        UniqueConstraint("organization_id", "month", "kind", "subject_id"),
        CheckConstraint("kind IN ('organization', 'agent')", name="kind"),
        CheckConstraint("reserved_micros >= 0", name="reserved"),
    )

    month: date
    """Its first day."""
    kind: str = Field(max_length=16)
    subject_id: UUID
    spent_micros: int = Field(default=0, sa_type=BigInteger)
    reserved_micros: int = Field(default=0, sa_type=BigInteger)


class Reservation(TenantRow, table=True):
    """Money kept for one request that is on its way. Gone when it is settled."""

    __table_args__ = (
        same_tenant("run_id", "runs"),
        same_tenant("agent_id", "agents"),
        UniqueConstraint("run_id", "number"),
        Index("ix_reservations_expiry", "expires_at", postgresql_where=text("NOT is_booked")),
    )

    run_id: UUID
    agent_id: UUID
    number: int
    """The request's number in its run."""
    month: date
    micros: int = Field(sa_type=BigInteger)
    expires_at: datetime = utc()
    is_booked: bool = False
    """Whoever held it was lost, so it was booked as spent; a late settlement corrects that."""
