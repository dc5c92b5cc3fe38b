"""More for an agent, from a card in the chat: enabled by who may edit it, asked for by everybody else."""

from agenticos_app.contracts.audit import Action
from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, InvalidInput, NotFound
from agenticos_app.kernel.ids import AgentId, CapabilityRequestId
from agenticos_app.kernel.text import storable
from agenticos_app.repos import capability_requests as repo
from agenticos_app.schemas.agents import CapabilityAsk, CapabilityEnabled, CapabilityRequestRow
from agenticos_app.security.access import AGENT
from agenticos_app.services import access, agent_cards, bindings, drafts, publishing, registry, spec_check
from agenticos_app.services.agent_access import EDIT, PUBLISH, VIEW, held

MOST = 200
"""Requests that are shown."""


async def enable_capability(tx: Tx, agent_id: AgentId, capability_id: str) -> CapabilityEnabled:
    """Switch a capability on, bound as the starter agent binds it.

    It is published at once when the draft held nothing unpublished and the actor may publish; else it waits
    in the draft. One that is on already changes nothing.

    Raises:
        NotFound: There is no such agent for the actor.
        Forbidden: The actor may see the agent but not change it.
        InvalidInput: There is no such capability (`capability_id`).
        Conflict: The agent is archived (`reason="archived"`).
        NotPublishable: The agent could not be published with it.
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    _require_known(capability_id)
    if agent.archived_at is not None:
        raise Conflict(reason="archived", agent_id=agent_id)
    before = read_spec(agent.draft)
    spec = bindings.switched(before, capability_id, on=True)
    if spec == before:
        return CapabilityEnabled(published_version=0, draft_revision=agent.draft_revision)
    held_nothing = not await agent_cards.differs(tx, agent.id)
    publishing.require_publishable(await spec_check.problems_of(tx, spec))
    await drafts.replace(tx, agent, spec, "card")
    number = 0
    if held_nothing and await access.allowed(tx, AGENT, [agent], PUBLISH):
        version = await publishing.freeze(
            tx, agent, spec, note="", action=Action.AGENT_PUBLISHED, capability=capability_id
        )
        number = version.number
    return CapabilityEnabled(published_version=number, draft_revision=agent.draft_revision)


async def ask_for(tx: Tx, agent_id: AgentId, body: CapabilityAsk) -> None:
    """Ask the agent's owner for a capability; who asks again changes the reason.

    Raises:
        NotFound: There is no such agent for the actor.
        InvalidInput: There is no such capability (`capability_id`).
        Conflict: The agent has it (`reason="enabled"`).
    """
    agent = await held(tx, agent_id, VIEW)
    _require_known(body.capability_id)
    if body.capability_id in _enabled(read_spec(agent.draft)):
        raise Conflict(reason="enabled", capability_id=body.capability_id)
    await repo.put(tx, agent.id, body.capability_id, tx.actor.person, storable(body.reason.strip()))


async def requests(tx: Tx, agent_id: AgentId) -> list[CapabilityRequestRow]:
    """Return what people ask for and the draft does not have, the latest first.

    Raises:
        NotFound: There is no such agent for the actor.
        Forbidden: The actor may see the agent but not change it.
    """
    agent = await held(tx, agent_id, EDIT)
    has = _enabled(read_spec(agent.draft))
    return [
        CapabilityRequestRow(
            id=request.id,
            capability_id=request.capability_id,
            person=person,
            reason=request.reason,
            asked_at=request.created_at,
        )
        for request, person in await repo.of_agent(tx, agent.id, limit=MOST)
        if request.capability_id not in has
    ]


async def dismiss(tx: Tx, agent_id: AgentId, request_id: CapabilityRequestId) -> None:
    """Put a request away.

    Raises:
        NotFound: There is no such agent or request for the actor.
        Forbidden: The actor may see the agent but not change it.
    """
    agent = await held(tx, agent_id, EDIT)
    request = await repo.get(tx, agent.id, request_id)
    if request is None:
        raise NotFound
    await tx.delete(request)


def _require_known(capability_id: str) -> None:
    if capability_id not in registry.current().capabilities:
        raise InvalidInput({"field": "capability_id", "message": "invalid"})


def _enabled(spec: AgentSpec) -> set[str]:
    return {binding.id for binding in spec.enabled}
