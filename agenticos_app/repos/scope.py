"""The organization filter that every query of a tenant's rows begins with."""

from typing import Any, TypeVar, cast

from sqlalchemy import Select, Table, inspect, select
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models.base import Row, TenantRow

T = TypeVar("T", bound=TenantRow)


def scoped(table: type[T], tx: Tx) -> "Select[T]":
    """Return a select of the organization's rows of one table."""
    return select(table).where(col(table.organization_id) == tx.actor.organization_id)


async def first(tx: Tx, query: "Select[T]") -> T | None:
    """Return the only row, or None."""
    return (await tx.session.execute(query)).scalar_one_or_none()


async def all_of(tx: Tx, query: "Select[T]") -> list[T]:
    """Return the rows."""
    return list((await tx.session.execute(query)).scalars())


def table_of(row: type[Row]) -> "Table[Any]":
    """Return the table of a class of rows, for statements that touch no object in the session."""
    return cast("Table[Any]", inspect(row).local_table)
