"""The statements that keep money. Counters are locked in one order: the organization's, then the agent's."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, Date, DateTime, Uuid, bindparam, delete, exists, select, text, update
from sqlmodel import col

from agenticos_app.contracts.money import Cap
from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.models import Organization, Reservation, Run, Spending
from agenticos_app.repos.runs import AS_SQL
from agenticos_app.repos.scope import all_of, scoped

# Everybody waits for the organization's counter, so its commit does not wait for the disk: a machine that
# loses power loses the reservation whole. `needed` must still fit; an unpriced request reserves nothing, but
# needs a cap that is not used up.
_RESERVE = text("""
    WITH organization_kept AS (
        INSERT INTO spendings AS s
            (id, created_at, organization_id, month, kind, subject_id, spent_micros, reserved_micros)
        SELECT gen_random_uuid(), now(), o.id, :month, 'organization', o.id, 0, :micros
        FROM organizations o
        WHERE o.id = :organization_id
            AND (o.monthly_budget_micros IS NULL OR :needed <= o.monthly_budget_micros)
        ON CONFLICT (organization_id, month, kind, subject_id) DO UPDATE
            SET reserved_micros = s.reserved_micros + :micros
            WHERE s.spent_micros + s.reserved_micros + :needed <= coalesce(
                (SELECT monthly_budget_micros FROM organizations WHERE id = :organization_id),
                9223372036854775807)
        RETURNING organization_id
    ), agent_kept AS (
        INSERT INTO spendings AS s
            (id, created_at, organization_id, month, kind, subject_id, spent_micros, reserved_micros)
        SELECT gen_random_uuid(), now(), k.organization_id, :month, 'agent', :agent_id, 0, :micros
        FROM organization_kept k
        WHERE CAST(:agent_cap AS bigint) IS NULL OR :needed <= CAST(:agent_cap AS bigint)
        ON CONFLICT (organization_id, month, kind, subject_id) DO UPDATE
            SET reserved_micros = s.reserved_micros + :micros
            WHERE s.spent_micros + s.reserved_micros + :needed
                <= coalesce(CAST(:agent_cap AS bigint), 9223372036854775807)
        RETURNING organization_id
    )
    INSERT INTO reservations
        (id, created_at, organization_id, run_id, agent_id, number, month, micros, expires_at, is_booked)
    SELECT :id, now(), k.organization_id, :run_id, :agent_id, :number, :month, :micros, :expires_at, false
    FROM agent_kept k
    RETURNING (SELECT monthly_budget_micros IS NOT NULL FROM organizations WHERE id = :organization_id),
        set_config('synchronous_commit', 'off', true)
""").bindparams(
    bindparam("id", type_=Uuid()),
    bindparam("organization_id", type_=Uuid()),
    bindparam("agent_id", type_=Uuid()),
    bindparam("run_id", type_=Uuid()),
    bindparam("month", type_=Date()),
    bindparam("micros", type_=BigInteger()),
    bindparam("needed", type_=BigInteger()),
    bindparam("expires_at", type_=DateTime(timezone=True)),
)

# What is no longer reserved, and what is spent instead, moves both counters; the organization's first.
_MOVED = """
    moved AS (
        SELECT organization_id, agent_id, month, sum(released) AS released, sum(spent) AS spent
        FROM freed GROUP BY organization_id, agent_id, month
    ), organization_moved AS (
        UPDATE spendings s
        SET reserved_micros = s.reserved_micros - m.released, spent_micros = s.spent_micros + m.spent
        FROM moved m
        WHERE s.organization_id = m.organization_id AND s.month = m.month AND s.kind = 'organization'
            AND s.subject_id = m.organization_id
        RETURNING s.month
    ), agent_moved AS (
        UPDATE spendings s
        SET reserved_micros = s.reserved_micros - m.released, spent_micros = s.spent_micros + m.spent
        FROM moved m JOIN organization_moved o ON o.month = m.month
        WHERE s.organization_id = m.organization_id AND s.month = m.month AND s.kind = 'agent'
            AND s.subject_id = m.agent_id
    )
"""
SETTLED = f"""
    freed AS (
        DELETE FROM reservations r
        USING jsonb_to_recordset(CAST(:settled AS jsonb)) AS given (id uuid, spent bigint)
        WHERE r.id = given.id AND r.organization_id = :organization_id
        RETURNING r.organization_id, r.agent_id, r.month,
            CASE WHEN r.is_booked THEN 0 ELSE r.micros END AS released,
            given.spent - CASE WHEN r.is_booked THEN r.micros ELSE 0 END AS spent
    ), {_MOVED}"""
"""Common table expressions that book what requests cost in place of their reservations."""

_SETTLE = text(f"WITH {SETTLED} SELECT 1").bindparams(bindparam("organization_id", type_=Uuid()))
_BOOK = text(f"""
    WITH freed AS (
        UPDATE reservations SET is_booked = true
        WHERE id = :id AND organization_id = :organization_id AND NOT is_booked
        RETURNING organization_id, agent_id, month, micros AS released, micros AS spent
    ), {_MOVED}
    SELECT 1 FROM freed
""").bindparams(bindparam("id", type_=Uuid()), bindparam("organization_id", type_=Uuid()))

Settled = tuple[UUID, int]
"""A reservation and the millionths of a dollar that are booked in its place."""


def settled_as_json(settled: Collection[Settled]) -> str:
    """Return the value of `:settled`."""
    return json.dumps([{"id": str(one), "spent": spent} for one, spent in settled])


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """One cap and what its month has left; negative when it was lowered meanwhile."""

    cap: Cap
    limit: int
    left: int


async def reserve(
    tx: Tx,
    reservation_id: UUID,
    *,
    run_id: UUID,
    agent_id: UUID,
    agent_cap: int | None,
    number: int,
    month: date,
    micros: int,
    needed: int,
    expires_at: datetime,
) -> bool | None:
    """Keep money under the agent's and the organization's cap; None when one of them has not enough left.

    Returns whether the organization has a cap.
    """
    values = {
        "id": reservation_id,
        "organization_id": tx.actor.organization_id,
        "run_id": run_id,
        "agent_id": agent_id,
        "agent_cap": agent_cap,
        "number": number,
        "month": month,
        "micros": micros,
        "needed": needed,
        "expires_at": expires_at,
    }
    return (await tx.session.execute(_RESERVE, values)).scalar_one_or_none()


async def left(tx: Tx, *, agent_id: UUID, agent_cap: int | None, month: date) -> list[Left]:
    """Return the caps that there are, the agent's first."""
    limit = select(col(Organization.monthly_budget_micros)).where(
        col(Organization.id) == tx.actor.organization_id
    )
    caps: list[tuple[Cap, int | None, UUID]] = [
        ("agent", agent_cap, agent_id),
        ("organization", (await tx.session.execute(limit)).scalar_one(), tx.actor.organization_id),
    ]
    used = await used_in(tx, month, [subject for _, cap, subject in caps if cap is not None])
    return [
        Left(cap=cap, limit=micros, left=micros - used.get(subject, 0))
        for cap, micros, subject in caps
        if micros is not None
    ]


async def used_in(tx: Tx, month: date, subjects: Collection[UUID]) -> dict[UUID, int]:
    """Return what these have spent and reserved in a month."""
    query = select(
        col(Spending.subject_id), col(Spending.spent_micros) + col(Spending.reserved_micros)
    ).where(
        col(Spending.organization_id) == tx.actor.organization_id,
        col(Spending.month) == month,
        col(Spending.subject_id).in_(subjects),
    )
    return {row[0]: row[1] for row in (await tx.session.execute(query)).all()}


async def spent_in(tx: Tx, month: date) -> int:
    """Return what the organization has spent in a month."""
    query = select(col(Spending.spent_micros)).where(
        col(Spending.organization_id) == tx.actor.organization_id,
        col(Spending.month) == month,
        col(Spending.kind) == "organization",
    )
    return (await tx.session.execute(query)).scalar_one_or_none() or 0


async def has_partial(tx: Tx, month: date) -> bool:
    """Tell whether a run of the month may have cost more than is known."""
    query = select(
        exists().where(
            col(Run.organization_id) == tx.actor.organization_id,
            col(Run.cost_is_partial),
            col(Run.started_at) >= datetime(month.year, month.month, 1, tzinfo=UTC),
        )
    )
    return bool((await tx.session.execute(query)).scalar_one())


async def settle(tx: Tx, settled: Collection[Settled]) -> None:
    """Book what requests cost in place of their reservations."""
    values = {"organization_id": tx.actor.organization_id, "settled": settled_as_json(settled)}
    await tx.session.execute(_SETTLE, values)


async def book(tx: Tx, reservation_id: UUID) -> bool:
    """Book a reservation whose holder is lost as spent; False when somebody else has settled or booked it."""
    wanted = {"id": reservation_id, "organization_id": tx.actor.organization_id}
    return (await tx.session.execute(_BOOK, wanted)).first() is not None


async def open_of(tx: Tx, run_id: UUID) -> list[Reservation]:
    """Return a run's reservations that nobody has settled or booked."""
    query = scoped(Reservation, tx).where(col(Reservation.run_id) == run_id, ~col(Reservation.is_booked))
    return await all_of(tx, query.order_by(col(Reservation.number)))


async def extend(tx: SystemTx, run_ids: Collection[UUID], *, until: datetime) -> None:
    """Keep what these runs have reserved."""
    await tx.session.execute(
        update(Reservation)
        .where(col(Reservation.run_id).in_(run_ids), ~col(Reservation.is_booked))
        .values(expires_at=until),
        execution_options=AS_SQL,
    )


async def expired(tx: SystemTx, at: datetime) -> list[Reservation]:
    """Return reservations that nobody has kept up, locked."""
    query = (
        select(Reservation)
        .where(col(Reservation.expires_at) < at, ~col(Reservation.is_booked))
        .limit(100)
        .with_for_update(skip_locked=True)
    )
    return list((await tx.session.execute(query)).scalars())


async def forget_booked(tx: SystemTx, *, before: datetime) -> None:
    """Delete booked reservations that nobody will settle any more."""
    await tx.session.execute(
        delete(Reservation).where(col(Reservation.is_booked), col(Reservation.expires_at) < before)
    )
