"""Frozen versions of agents."""

from uuid import UUID

from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import AgentVersion
from agenticos_app.repos.scope import first, scoped


async def by_number(tx: Tx, agent_id: UUID, number: int) -> AgentVersion | None:
    """Return an agent's version by its number."""
    query = scoped(AgentVersion, tx).where(
        col(AgentVersion.agent_id) == agent_id, col(AgentVersion.number) == number
    )
    return await first(tx, query)
