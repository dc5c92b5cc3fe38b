"""One agent for whoever may do something to it."""

from agenticos_app.db.work import Tx
from agenticos_app.kernel.ids import AgentId
from agenticos_app.models import Agent
from agenticos_app.repos import agents as repo
from agenticos_app.security.access import AGENT
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access

VIEW, EDIT = Permission.AGENTS_VIEW, Permission.AGENTS_EDIT
PUBLISH, RUN = Permission.AGENTS_PUBLISH, Permission.AGENTS_RUN


async def held(tx: Tx, agent_id: AgentId, permission: Permission, *, lock: bool = False) -> Agent:
    """Return the agent for somebody who may do this to it; with `lock` nobody else changes it meanwhile.

    Raises:
        NotFound: Not in the organization, or not visible to the actor.
        Forbidden: The actor sees it but may not do this.
    """
    agent = await repo.get(tx, agent_id, lock=lock)
    await access.require(tx, AGENT, agent, permission)
    assert agent is not None
    return agent
