"""The ends and copies of agents: archived, taken back, cloned, deleted; claimed when nobody owns them."""

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.spec import read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId
from agenticos_app.models import Agent
from agenticos_app.repos import agents as repo
from agenticos_app.repos import environments, grants, versions
from agenticos_app.schemas.agents import AgentCard, AgentDeleted
from agenticos_app.security.access import AGENT
from agenticos_app.services import access, agents, audit
from agenticos_app.services.agent_access import EDIT, VIEW, held
from agenticos_app.services.agent_pictures import delete_later

LONGEST_NAME = 128


async def archive(tx: Tx, agent_id: AgentId) -> AgentCard:
    """Take an agent out of use: it keeps everything, takes no new run and is in no picker.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    if agent.archived_at is None:
        agent.archived_at = agent.changed_at = now()
        await _record(tx, Action.AGENT_ARCHIVED, agent)
    return await agents.get_agent(tx, agent_id)


async def unarchive(tx: Tx, agent_id: AgentId) -> AgentCard:
    """Take an agent into use again: published when it has a version, else a draft.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        Conflict: There are too many agents (`reason="agents_full"`).
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    if agent.archived_at is not None:
        await agents.require_room(tx)
        agent.archived_at, agent.changed_at = None, now()
        await _record(tx, Action.AGENT_UNARCHIVED, agent)
    return await agents.get_agent(tx, agent_id)


async def clone(tx: Tx, agent_id: AgentId) -> AgentCard:
    """Copy the draft into a new draft agent of the actor, `X (copy)` or `X (copy, 2)`.

    What the copy refers to is checked when it is published, with the access of whoever does that.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may not make agents.
        Conflict: There are too many agents (`reason="agents_full"`).
    """
    agent = await held(tx, agent_id, VIEW)
    tx.actor.require(EDIT)
    await agents.require_room(tx)
    copy = await agents.begin(
        tx,
        name=await _free_name(tx, agent.name),
        description=agent.description,
        visibility=agent.visibility,
        spec=read_spec(agent.draft),
        how="created",
        action=Action.AGENT_CLONED,
    )
    copy.categories, copy.tags = agent.categories, agent.tags
    await tx.flush()
    return await agents.get_agent(tx, AgentId(copy.id))


async def _free_name(tx: Tx, name: str) -> str:
    """Return a name for a copy whose name and handle are free."""
    number = 1
    while True:
        ending = " (copy)" if number == 1 else f" (copy, {number})"
        free = f"{name[: LONGEST_NAME - len(ending)]}{ending}"
        if await repo.by_slug(tx, agents.handle_of(free)) is None:
            return free
        number += 1


async def delete(tx: Tx, agent_id: AgentId) -> AgentDeleted:
    """Delete an archived agent with its versions, environments, grants and runs; return what is lost.

    Conversations stay, without the agent's name.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        Conflict: It is not archived (`reason="not_archived"`), or runs of it are not over
            (`reason="runs_open"`).
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    if agent.archived_at is None:
        raise Conflict(reason="not_archived", agent_id=agent_id)
    if await versions.runs_of(tx, agent.id, status=RunStatus.RUNNING.value):
        raise Conflict(reason="runs_open", agent_id=agent_id)
    lost = await loss(tx, agent_id)
    await grants.forget_row(tx, AGENT.name, agent.id)
    told = {"name": agent.name, "versions": lost.versions, "runs": lost.runs}
    await audit.record(tx, Action.AGENT_DELETED, Target(AGENT.name, agent.id), told)
    delete_later(tx, agent.avatar_key)
    await tx.delete(agent)
    return lost


async def loss(tx: Tx, agent_id: AgentId) -> AgentDeleted:
    """Return what deleting an agent takes along.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
    """
    agent = await held(tx, agent_id, EDIT)
    return AgentDeleted(
        versions=await versions.count(tx, agent.id),
        environments=await environments.count(tx, agent.id),
        runs=await versions.runs_of(tx, agent.id),
    )


async def claim(tx: Tx, agent_id: AgentId) -> AgentCard:
    """Become the owner of an agent whose owner's account is gone or who left the organization.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        Conflict: It has an owner (`reason="owned"`).
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    if not await agents.is_ownerless(tx, agent):
        raise Conflict(reason="owned", agent_id=agent_id)
    agent.owner_user_id, agent.changed_at = tx.actor.person, now()
    await _record(tx, Action.RESOURCE_CLAIMED, agent)
    return await agents.get_agent(tx, agent_id)


async def may_claim(tx: Tx, agent_id: AgentId) -> bool:
    """Tell whether the actor may become the owner of an agent, because nobody of the organization owns it.

    Raises:
        NotFound: There is none, or the actor may not see it.
    """
    agent = await held(tx, agent_id, VIEW)
    return bool(await access.allowed(tx, AGENT, [agent], EDIT)) and await agents.is_ownerless(tx, agent)


async def _record(tx: Tx, action: Action, agent: Agent) -> None:
    await tx.flush()
    await audit.record(tx, action, Target(AGENT.name, agent.id))
