"""Runs: the rows that say what was executed and how it ended."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.prices import Tokens
from agenticos_app.contracts.recording import RequestRecord
from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.models import (
    Agent,
    AgentVersion,
    ApiKey,
    Message,
    Reservation,
    Run,
    RunRequest,
    ToolCall,
    User,
)
from agenticos_app.repos.scope import all_of, first, scoped, table_of

INTERRUPTED = "interrupted"


AS_SQL = {"synchronize_session": False}
"""No row of the table is held in the session, so none has to be brought up to date with an UPDATE."""


async def get(tx: Tx, run_id: UUID, *, lock: bool = False) -> Run | None:
    """Return the run, or None when it is not in the actor's organization."""
    query = scoped(Run, tx).where(col(Run.id) == run_id)
    return await first(tx, query.with_for_update() if lock else query)


async def last_model_label(tx: Tx, version_id: UUID) -> str:
    """Return what the model of the version's last run was called; empty when none is known."""
    query = (
        select(col(Run.model_label))
        .where(
            col(Run.organization_id) == tx.actor.organization_id,
            col(Run.version_id) == version_id,
            col(Run.model_label) != "",
        )
        .order_by(col(Run.started_at).desc(), col(Run.id).desc())
        .limit(1)
    )
    return (await tx.session.execute(query)).scalar_one_or_none() or ""


async def claimed(tx: SystemTx, run_id: UUID, host_id: UUID) -> Run | None:
    """Return an open run that this host holds."""
    query = select(Run).where(
        col(Run.id) == run_id, col(Run.host_id) == host_id, col(Run.status) == RunStatus.RUNNING.value
    )
    return (await tx.session.execute(query)).scalar_one_or_none()


async def answer_of(tx: Tx, run_id: UUID) -> Message | None:
    """Return the message that holds the run's answer."""
    return await first(
        tx, scoped(Message, tx).where(col(Message.run_id) == run_id, col(Message.role) == "assistant")
    )


async def question_of(tx: Tx, run_id: UUID) -> Message | None:
    """Return the person's message that the run answers."""
    return await first(
        tx, scoped(Message, tx).where(col(Message.run_id) == run_id, col(Message.role) == "user")
    )


Listed = tuple[Run, str, int | None, str | None, str | None, str]
"""A run, its agent's name, its version's number, its person's and key's name, the question's beginning."""


async def page(
    tx: Tx,
    after: tuple[datetime, UUID] | None,
    *,
    limit: int,
    statuses: Collection[RunStatus] = (),
    agent_id: UUID | None = None,
    surface: str = "",
    only_user: UUID | None = None,
    run_id: UUID | None = None,
    is_test: bool | None = None,
) -> list[Listed]:
    """Return runs, the latest first; with `is_test` only tests, or only others."""
    asked = func.left(func.coalesce(col(Message.text), col(Run.prompt)), 300)
    query = (
        select(Run, col(Agent.name), col(AgentVersion.number), col(User.full_name), col(ApiKey.name), asked)
        .join(Agent, col(Agent.id) == col(Run.agent_id))
        .outerjoin(AgentVersion, col(AgentVersion.id) == col(Run.version_id))
        .outerjoin(User, col(User.id) == col(Run.user_id))
        .outerjoin(ApiKey, col(ApiKey.id) == col(Run.api_key_id))
        .outerjoin(Message, and_(col(Message.run_id) == col(Run.id), col(Message.role) == "user"))
        .where(col(Run.organization_id) == tx.actor.organization_id, col(Run.parent_run_id).is_(None))
    )
    if statuses:
        query = query.where(col(Run.status).in_([status.value for status in statuses]))
    if agent_id is not None:
        query = query.where(col(Run.agent_id) == agent_id)
    if surface:
        query = query.where(col(Run.surface) == surface)
    if only_user is not None:
        query = query.where(col(Run.user_id) == only_user)
    if run_id is not None:
        query = query.where(col(Run.id) == run_id)
    if is_test is not None:
        query = query.where(col(Run.is_test).is_(is_test))
    if after is not None:
        query = query.where(tuple_(col(Run.started_at), col(Run.id)) < after)
    query = query.order_by(col(Run.started_at).desc(), col(Run.id).desc()).limit(limit)
    rows = (await tx.session.execute(query)).all()
    return [(row[0], row[1], row[2], row[3], row[4], row[5]) for row in rows]


async def call(tx: Tx, run_id: UUID, call_id: UUID) -> ToolCall | None:
    """Return one of the run's tool calls."""
    return await first(
        tx, scoped(ToolCall, tx).where(col(ToolCall.run_id) == run_id, col(ToolCall.id) == call_id)
    )


async def calls_of(tx: Tx, run_id: UUID) -> list[ToolCall]:
    """Return the run's tool calls in their order."""
    return await all_of(
        tx, scoped(ToolCall, tx).where(col(ToolCall.run_id) == run_id).order_by(col(ToolCall.position))
    )


async def requests_of(tx: Tx, run_id: UUID) -> list[RunRequest]:
    """Return the run's model requests in their order."""
    return await all_of(
        tx, scoped(RunRequest, tx).where(col(RunRequest.run_id) == run_id).order_by(col(RunRequest.number))
    )


async def waiting(tx: SystemTx) -> int:
    """Return how many runs no host has taken yet."""
    query = (
        select(func.count())
        .select_from(Run)
        .where(col(Run.status) == RunStatus.RUNNING.value, col(Run.host_id).is_(None))
    )
    return (await tx.session.execute(query)).scalar_one()


async def claim_waiting(tx: SystemTx, host_id: UUID, *, until: datetime, limit: int) -> list[Run]:
    """Take runs that wait, fairly: first of the organization with the fewest runs at work."""
    busy = (
        select(col(Run.organization_id), func.count().label("at_work"))
        .where(col(Run.status) == RunStatus.RUNNING.value, col(Run.host_id).is_not(None))
        .group_by(col(Run.organization_id))
        .subquery()
    )
    turn = func.row_number().over(partition_by=col(Run.organization_id), order_by=col(Run.started_at))
    ranked = (
        select(col(Run.id), (func.coalesce(busy.c.at_work, 0) + turn).label("rank"), col(Run.started_at))
        .outerjoin(busy, busy.c.organization_id == col(Run.organization_id))
        .where(col(Run.status) == RunStatus.RUNNING.value, col(Run.host_id).is_(None))
        .subquery()
    )
    query = (
        select(Run)
        .join(ranked, ranked.c.id == col(Run.id))
        .where(col(Run.host_id).is_(None))
        .order_by(ranked.c.rank, ranked.c.started_at)
        .limit(limit)
        .with_for_update(of=Run, skip_locked=True)
    )
    rows = list((await tx.session.execute(query)).scalars())
    for row in rows:
        row.host_id, row.lease_until = host_id, until
    await tx.session.flush()
    return rows


async def renew(
    tx: SystemTx, host_id: UUID, run_ids: Collection[UUID], *, until: datetime
) -> dict[UUID, bool]:
    """Keep these runs of the host; return each that it still has, with whether somebody asked to stop it."""
    query = (
        update(Run)
        .where(
            col(Run.id).in_(run_ids),
            col(Run.host_id) == host_id,
            col(Run.status) == RunStatus.RUNNING.value,
        )
        .values(lease_until=until)
        .returning(col(Run.id), col(Run.stop_requested_at))
    )
    return {row[0]: row[1] is not None for row in (await tx.session.execute(query)).all()}


async def hand_over(tx: SystemTx, run_id: UUID, host_id: UUID) -> None:
    """Give a run back that was not begun."""
    await tx.session.execute(
        update(Run)
        .where(col(Run.id) == run_id, col(Run.host_id) == host_id, col(Run.status) == RunStatus.RUNNING.value)
        .values(host_id=None, lease_until=None)
    )


async def claim_lost(
    tx: SystemTx, host_id: UUID, *, at: datetime, until: datetime, abandoned: bool
) -> list[Run]:
    """Take runs whose host is gone, to end them; with `abandoned` those of every other host."""
    lost = col(Run.lease_until) < at
    if abandoned:
        lost = lost | (col(Run.host_id) != host_id)
    query = (
        select(Run)
        .where(col(Run.status) == RunStatus.RUNNING.value, col(Run.host_id).is_not(None), lost)
        .limit(100)
        .with_for_update(skip_locked=True)
    )
    rows = list((await tx.session.execute(query)).scalars())
    for row in rows:
        row.host_id, row.lease_until = host_id, until
    await tx.session.flush()
    return rows


def request_values(organization_id: UUID, run_id: UUID, request: RequestRecord) -> dict[str, object]:
    """Return the columns of a request's row."""
    return {
        "id": UUID(int=run_id.int ^ (request.number << 8)),
        "created_at": request.started_at,
        "organization_id": organization_id,
        "run_id": run_id,
        "number": request.number,
        "started_at": request.started_at,
        "milliseconds": request.milliseconds,
        "provider": request.provider,
        "model": request.model[:200],
        "profile_id": request.profile_id,
        "secret_id": request.secret_id,
        "input_tokens": request.tokens.input,
        "output_tokens": request.tokens.output,
        "cache_read_tokens": request.tokens.cache_read,
        "cache_write_tokens": request.tokens.cache_write,
        "is_estimated": request.is_estimated,
        "cost_micros": request.cost_micros,
        "failed": request.failed,
    }


async def add_lost(tx: Tx, lost: Reservation) -> None:
    """Add a request that nobody knows the end of, at what was reserved for it."""
    request = request_values(tx.actor.organization_id, lost.run_id, lost_request(lost))
    await tx.session.execute(insert(table_of(RunRequest)).on_conflict_do_nothing(), [request])
    for table, its_run in ((Run, col(Run.id)), (Message, col(Message.run_id))):
        query = (
            update(table)
            .where(col(table.organization_id) == tx.actor.organization_id, its_run == lost.run_id)
            .values(cost_micros=func.coalesce(col(table.cost_micros), 0) + lost.micros, cost_is_partial=True)
        )
        if table is Message:
            query = query.where(col(Message.role) == "assistant")
        await tx.session.execute(query, execution_options=AS_SQL)


def request_record(row: RunRequest) -> RequestRecord:
    """Return a stored request."""
    return RequestRecord(
        number=row.number,
        started_at=row.started_at,
        milliseconds=row.milliseconds,
        provider=row.provider,
        model=row.model,
        profile_id=row.profile_id,
        secret_id=row.secret_id,
        tokens=Tokens(
            input=row.input_tokens,
            output=row.output_tokens,
            cache_read=row.cache_read_tokens,
            cache_write=row.cache_write_tokens,
        ),
        is_estimated=row.is_estimated,
        cost_micros=row.cost_micros,
        failed=row.failed,
    )


def lost_request(lost: Reservation) -> RequestRecord:
    """Return the record of a request whose host is lost."""
    return RequestRecord(
        number=lost.number,
        started_at=lost.created_at,
        milliseconds=0,
        is_estimated=True,
        cost_micros=lost.micros,
        failed="Interrupted",
    )
