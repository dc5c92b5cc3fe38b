"""Environments of agents."""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy import func, select, update
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import AgentEnvironment, AgentVersion
from agenticos_app.repos.scope import first, scoped

Pointing = tuple[AgentEnvironment, int]
"""An environment with the number of the version that it points to."""


async def of_agent(tx: Tx, agent_id: UUID) -> list[Pointing]:
    """Return an agent's environments: the default one, then the others by name."""
    query = (
        select(AgentEnvironment, col(AgentVersion.number))
        .join(AgentVersion, col(AgentVersion.id) == col(AgentEnvironment.version_id))
        .where(
            col(AgentEnvironment.organization_id) == tx.actor.organization_id,
            col(AgentEnvironment.agent_id) == agent_id,
        )
        .order_by(col(AgentEnvironment.is_default).desc(), col(AgentEnvironment.name))
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def get(tx: Tx, agent_id: UUID, environment_id: UUID, *, lock: bool = False) -> AgentEnvironment | None:
    """Return an environment of this agent."""
    query = scoped(AgentEnvironment, tx).where(
        col(AgentEnvironment.id) == environment_id, col(AgentEnvironment.agent_id) == agent_id
    )
    return await first(tx, query.with_for_update() if lock else query)


async def by_name(tx: Tx, agent_id: UUID, name: str) -> AgentEnvironment | None:
    """Return the agent's environment with this name."""
    query = scoped(AgentEnvironment, tx).where(
        col(AgentEnvironment.agent_id) == agent_id, col(AgentEnvironment.name) == name
    )
    return await first(tx, query)


async def count(tx: Tx, agent_id: UUID) -> int:
    """Return how many environments an agent has."""
    query = select(func.count(col(AgentEnvironment.id))).where(
        col(AgentEnvironment.organization_id) == tx.actor.organization_id,
        col(AgentEnvironment.agent_id) == agent_id,
    )
    return (await tx.session.execute(query)).scalar_one()


async def follow(tx: Tx, agent_id: UUID, version_id: UUID) -> list[AgentEnvironment]:
    """Point the environments that track the latest version to this one; return them."""
    statement = (
        update(AgentEnvironment)
        .where(
            col(AgentEnvironment.organization_id) == tx.actor.organization_id,
            col(AgentEnvironment.agent_id) == agent_id,
            col(AgentEnvironment.tracks_latest),
        )
        .values(version_id=version_id)
        .returning(AgentEnvironment)
    )
    return list((await tx.session.execute(statement)).scalars())


async def names_by_version(tx: Tx, version_ids: Collection[UUID]) -> dict[UUID, list[str]]:
    """Return the names of the environments that point to each version."""
    query = (
        select(col(AgentEnvironment.version_id), col(AgentEnvironment.name))
        .where(
            col(AgentEnvironment.organization_id) == tx.actor.organization_id,
            col(AgentEnvironment.version_id).in_(version_ids),
        )
        .order_by(col(AgentEnvironment.is_default).desc(), col(AgentEnvironment.name))
    )
    found: dict[UUID, list[str]] = {}
    for version_id, name in (await tx.session.execute(query)).all():
        found.setdefault(version_id, []).append(name)
    return found
