"""Frozen versions of agents."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import exists, func, literal, select, tuple_
from sqlalchemy.orm import defer
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import AgentEnvironment, AgentVersion, Run
from agenticos_app.repos.scope import all_of, first, scoped


async def get(tx: Tx, version_id: UUID) -> AgentVersion | None:
    """Return a frozen version."""
    return await first(tx, scoped(AgentVersion, tx).where(col(AgentVersion.id) == version_id))


async def by_number(tx: Tx, agent_id: UUID, number: int) -> AgentVersion | None:
    """Return an agent's version by its number."""
    query = scoped(AgentVersion, tx).where(
        col(AgentVersion.agent_id) == agent_id, col(AgentVersion.number) == number
    )
    return await first(tx, query)


async def page(
    tx: Tx, agent_id: UUID, *, after: tuple[datetime, UUID] | None, limit: int
) -> list[AgentVersion]:
    """Return an agent's versions without their specs, the latest first."""
    query = scoped(AgentVersion, tx).where(col(AgentVersion.agent_id) == agent_id)
    if after is not None:
        query = query.where(
            tuple_(col(AgentVersion.created_at), col(AgentVersion.id)) < tuple_(*map(literal, after))
        )
    query = query.order_by(col(AgentVersion.created_at).desc(), col(AgentVersion.id).desc()).limit(limit)
    return await all_of(tx, query.options(defer(AgentVersion.spec, raiseload=True)))  # pyright: ignore[reportArgumentType]  # a column at run time


async def count(tx: Tx, agent_id: UUID, *, above: int = 0) -> int:
    """Return how many versions an agent has with a number above this one."""
    query = select(func.count(col(AgentVersion.id))).where(
        col(AgentVersion.organization_id) == tx.actor.organization_id,
        col(AgentVersion.agent_id) == agent_id,
        col(AgentVersion.number) > above,
    )
    return (await tx.session.execute(query)).scalar_one()


async def numbers(tx: Tx, agent_id: UUID) -> list[int]:
    """Return the numbers of an agent's versions, in order."""
    query = select(col(AgentVersion.number)).where(
        col(AgentVersion.organization_id) == tx.actor.organization_id, col(AgentVersion.agent_id) == agent_id
    )
    return list((await tx.session.execute(query.order_by(col(AgentVersion.number)))).scalars())


async def is_pointed_to(tx: Tx, version_id: UUID) -> bool:
    """Tell whether an environment points to the version."""
    query = select(
        exists().where(
            col(AgentEnvironment.organization_id) == tx.actor.organization_id,
            col(AgentEnvironment.version_id) == version_id,
        )
    )
    return bool((await tx.session.execute(query)).scalar_one())


async def runs_of(tx: Tx, agent_id: UUID, *, status: str | None = None) -> int:
    """Return how many runs an agent has, of this status if one is given."""
    query = select(func.count(col(Run.id))).where(
        col(Run.organization_id) == tx.actor.organization_id, col(Run.agent_id) == agent_id
    )
    if status is not None:
        query = query.where(col(Run.status) == status)
    return (await tx.session.execute(query)).scalar_one()
