"""What all tables share: names, ids, times, the tenant."""

import re
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, ForeignKey, ForeignKeyConstraint, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import declared_attr
from sqlmodel import Field, SQLModel

from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Row(SQLModel):
    """A table row. `AgentVersion` is kept in `agent_versions`."""

    id: UUID = Field(default_factory=new_id, primary_key=True)
    created_at: datetime = Field(default_factory=now, sa_type=DateTime(timezone=True))  # pyright: ignore[reportArgumentType]  # an instance is what SQLAlchemy takes

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805  # pyright: ignore[reportIncompatibleVariableOverride, reportIncompatibleMethodOverride]
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower() + "s"


class TenantRow(Row):
    """A row that belongs to one organization and goes with it."""

    organization_id: UUID = Field(foreign_key="organizations.id", ondelete="CASCADE")


def utc(*, nullable: bool = False, index: bool = False) -> Any:  # a field descriptor
    """Return a column for an aware time."""
    return Field(
        default=None if nullable else ...,
        nullable=nullable,
        index=index,
        sa_type=DateTime(timezone=True),  # pyright: ignore[reportArgumentType]
    )


def document(*, nullable: bool = False) -> Any:
    """Return a column for a JSON document."""
    kind = JSONB(none_as_null=True)
    return Field(default=None if nullable else ..., nullable=nullable, sa_type=kind)  # pyright: ignore[reportArgumentType]


def reference(target: str, *, ondelete: str = "SET NULL", index: bool = False) -> Any:
    """Return an optional reference to another row, `target` being `table.column`."""
    return Field(
        default=None, sa_column_args=[ForeignKey(target, ondelete=ondelete)], nullable=True, index=index
    )


def same_tenant(
    column: str,
    table: str,
    *,
    ondelete: str = "CASCADE",
    deferred: bool = False,
    circular: bool = False,
    tenant: str = "organization_id",
) -> ForeignKeyConstraint:
    """Return a key that also compares the organization, so that no row can point into another one.

    `ondelete="SET NULL"` empties the reference alone (PostgreSQL 15 and newer). A `circular` one is checked
    at the end of the transaction and stays out of the order of tables. `tenant` names the column that holds
    the organization.
    """
    return ForeignKeyConstraint(
        [tenant, column],
        [f"{table}.organization_id", f"{table}.id"],
        ondelete=f"SET NULL ({column})" if ondelete == "SET NULL" else ondelete,
        deferrable=True if deferred or circular else None,
        initially="DEFERRED" if deferred or circular else None,
        use_alter=circular,
    )


def tenant_key() -> UniqueConstraint:
    """Return the key that `same_tenant` points to."""
    return UniqueConstraint("organization_id", "id")
