"""Agents, built as people build them."""

from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import AgentCard, AgentCreate, Draft, DraftChange, Publish, VersionRow
from agenticos_app.services import agents, drafts, publishing
from tests.world import Person, acting_as


async def made(person: Person, name: str = "Claims Desk", **more: object) -> AgentId:
    async with acting_as(person) as tx:
        return AgentId((await agents.create(tx, AgentCreate.model_validate({"name": name, **more}))).id)


async def draft_of(person: Person, agent_id: AgentId) -> Draft:
    async with acting_as(person) as tx:
        return await drafts.get_draft(tx, agent_id)


async def saved(person: Person, agent_id: AgentId, **changed: object) -> Draft:
    draft = await draft_of(person, agent_id)
    async with acting_as(person) as tx:
        spec = AgentSpec.model_validate({**draft.spec.model_dump(), **changed})
        return await drafts.save(tx, agent_id, DraftChange(revision=draft.revision, spec=spec))


async def published(person: Person, agent_id: AgentId, note: str = "") -> VersionRow:
    async with acting_as(person) as tx:
        return await publishing.publish(tx, agent_id, Publish(note=note))


async def card_of(person: Person, agent_id: AgentId) -> AgentCard:
    async with acting_as(person) as tx:
        return await agents.get_agent(tx, agent_id)
