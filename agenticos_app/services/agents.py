"""Agents as people meet them: which there are, which may be asked."""

from agenticos_app.db.work import Tx
from agenticos_app.kernel.ids import AgentId
from agenticos_app.models import Agent
from agenticos_app.repos import agents as repo
from agenticos_app.schemas.agents import AgentRow
from agenticos_app.security.access import AGENT
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access


async def list_agents(tx: Tx, *, published: bool = False) -> list[AgentRow]:
    """Return the agents that the actor may see, by name; with `published` those with a live version."""
    rows = await repo.list_visible(tx, await access.visible(tx, AGENT), published=published)
    runnable = await access.allowed(tx, AGENT, rows, Permission.AGENTS_RUN)
    return [_row(agent, may_run=agent.id in runnable) for agent in rows]


async def get_agent(tx: Tx, agent_id: AgentId) -> AgentRow:
    """Return one agent.

    Raises:
        NotFound: Not in the organization, or not visible to the actor.
    """
    agent = await repo.get(tx, agent_id)
    await access.require(tx, AGENT, agent, Permission.AGENTS_VIEW)
    assert agent is not None
    runnable = await access.allowed(tx, AGENT, [agent], Permission.AGENTS_RUN)
    return _row(agent, may_run=bool(runnable))


def _row(agent: Agent, *, may_run: bool) -> AgentRow:
    return AgentRow(
        id=agent.id,
        name=agent.name,
        description=agent.description,
        live_version=agent.live_version,
        may_run=may_run,
        changed_at=agent.changed_at,
    )
