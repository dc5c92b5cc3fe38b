"""What can be tried out of an agent, and what is in the way; the runs themselves are `runs.start_test`."""

from typing import Literal

from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.kernel.ids import AgentId
from agenticos_app.models import Agent
from agenticos_app.repos import versions
from agenticos_app.schemas.agents import ModelProblem, TryoutStanding
from agenticos_app.security.access import AGENT
from agenticos_app.services import access, agent_cards
from agenticos_app.services.agent_access import EDIT, RUN, VIEW, held

SHOWN = 50
"""Versions that are offered, the latest ones."""


async def standing(tx: Tx, agent_id: AgentId, number: int = 0) -> TryoutStanding:
    """Return how it stands with trying out the draft, for 0, or a version.

    Raises:
        NotFound: There is none, or the actor may not see it.
    """
    agent = await held(tx, agent_id, VIEW)
    numbers = sorted(await versions.numbers(tx, agent.id), reverse=True)
    return TryoutStanding(
        agent_name=agent.name,
        revision=agent.draft_revision,
        versions=numbers[:SHOWN],
        problem=await _problem(tx, agent, number),
    )


async def _problem(tx: Tx, agent: Agent, number: int) -> ModelProblem | Literal["archived", "reserved"]:
    for permission in (EDIT, RUN):
        if not await access.allowed(tx, AGENT, [agent], permission):
            return "reserved"
    if agent.archived_at is not None:
        return "archived"
    return await agent_cards.model_problem(tx, await _spec(tx, agent, number))


async def _spec(tx: Tx, agent: Agent, number: int) -> AgentSpec:
    version = await versions.by_number(tx, agent.id, number) if number else None
    return read_spec(version.spec if version else agent.draft)
