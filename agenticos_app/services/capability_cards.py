"""What a card about a missing capability can offer to the person who looks at it."""

from agenticos_app.contracts.spec import read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import AgentId, RunId
from agenticos_app.repos import agents as agent_repo
from agenticos_app.repos import versions as version_repo
from agenticos_app.schemas.agents import CapabilityAsk, CapabilityStanding
from agenticos_app.security.access import AGENT
from agenticos_app.services import access, more_capabilities, runs
from agenticos_app.services.agent_access import EDIT


async def standing(tx: Tx, run_id: RunId, capability_id: str) -> CapabilityStanding:
    """Return whether the agent of a run has a capability by now, and whether the actor may switch it on.

    Raises:
        NotFound: Not a run that the actor may read.
    """
    agent = await agent_repo.get(tx, (await runs.readable(tx, run_id)).agent_id)
    if agent is None:
        raise NotFound(run_id=run_id)
    version = await version_repo.get(tx, agent.live_version_id) if agent.live_version_id else None
    specs = {"draft": agent.draft} | ({"live": version.spec} if version else {})
    has = [
        name
        for name, spec in specs.items()
        if any(binding.id == capability_id for binding in read_spec(spec).enabled)
    ]
    can_edit = bool(await access.allowed(tx, AGENT, [agent], EDIT)) and agent.archived_at is None
    state = "live" if "live" in has else "draft" if has else "missing"
    return CapabilityStanding(agent_id=agent.id, state=state, can_edit=can_edit)


async def enable(tx: Tx, run_id: RunId, capability_id: str) -> CapabilityStanding:
    """Switch the capability on for the agent of a run, and return how it stands now.

    Raises:
        AppError: As `more_capabilities.enable_capability`.
    """
    run = await runs.readable(tx, run_id)
    await more_capabilities.enable_capability(tx, AgentId(run.agent_id), capability_id)
    return await standing(tx, run_id, capability_id)


async def ask_for(tx: Tx, run_id: RunId, body: CapabilityAsk) -> None:
    """Ask the owner of the run's agent for the capability.

    Raises:
        AppError: As `more_capabilities.ask_for`.
    """
    run = await runs.readable(tx, run_id)
    await more_capabilities.ask_for(tx, AgentId(run.agent_id), body)
