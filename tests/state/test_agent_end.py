"""Files, copies and the end of an agent, in the Builder."""

from uuid import UUID

import pytest

from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import AgentId
from agenticos_app.services import agent_files
from state.agent_end import AgentEndState
from tests.building import card_of, draft_of, made, published, saved
from tests.fakes.reflex_state import led_to, page_state
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def opened(person: Person, agent_id: AgentId) -> AgentEndState:
    state = page_state(AgentEndState, "/agents/edit", cookie=person.cookie)
    await state.open(str(agent_id))
    return state


async def file_of(person: Person, agent_id: AgentId) -> str:
    async with acting_as(person) as tx:
        return (await agent_files.export(tx, agent_id))[1]


@pytest.mark.req("DOM-AGENT-27")
async def test_a_file_takes_the_drafts_place(house: House) -> None:
    agent_id = await made(house.owner)
    text = await file_of(house.owner, agent_id)
    draft = await saved(house.owner, agent_id, instructions="Something else.")
    state = await opened(house.owner, agent_id)
    await state.ask_import(draft.revision)
    for document, told in (
        ("not: [an agent", ("invalid", "document")),
        ("- a list", ("no_mapping", "document")),
        ("instructions: x\nsurprise: 1", ("unexpected", "surprise")),
        ("spec_version: 999", ("newer", "spec_version")),
    ):
        await state.import_file({"document": document})
        assert (state.problem, state.place) == told
    assert (state.doing, state.imported) == ("import", 0)
    await state.import_file({"document": text})
    after = await draft_of(house.owner, agent_id)
    assert (state.doing, state.imported) == ("", after.revision)
    assert await file_of(house.owner, agent_id) == text
    assert after.how == "import"


@pytest.mark.req("DOM-AGENT-05")
async def test_a_change_of_somebody_else_is_named_before_a_file_replaces_it(house: House) -> None:
    agent_id = await made(house.owner)
    text = await file_of(house.owner, agent_id)
    shown = await draft_of(house.owner, agent_id)
    admin = house.people["admin"]
    await saved(admin, agent_id, instructions="The admin's words.")
    state = await opened(house.owner, agent_id)
    await state.ask_import(shown.revision)
    await state.import_file({"document": text})
    assert (state.changed_by, state.changed_how, state.doing) == (admin.name, "typing", "import")
    assert (await draft_of(house.owner, agent_id)).spec.instructions == "The admin's words."
    await state.import_file({"document": text})
    assert (state.doing, state.changed_how) == ("", "")
    assert await file_of(house.owner, agent_id) == text


@pytest.mark.req("DOM-AGENT-25")
async def test_an_agent_is_archived_taken_back_and_deleted_after_it_said_what_is_lost(house: House) -> None:
    agent_id = await made(house.owner)
    await published(house.owner, agent_id)
    state = await opened(house.owner, agent_id)
    await state.ask("archive")
    await state.archive()
    assert state.agent is not None
    assert (state.agent.status, state.doing) == ("archived", "")
    await state.unarchive()
    assert (await card_of(house.owner, agent_id)).status == "published"
    await state.ask("delete")
    assert state.lost is not None
    assert (state.lost.versions, state.lost.environments, state.lost.runs) == (1, 1, 0)
    assert await state.delete() is None
    assert state.problem == "not_archived"
    await state.archive()
    await state.ask("delete")
    assert led_to(await state.delete()) == "/agents"
    with pytest.raises(NotFound):
        await card_of(house.owner, agent_id)


@pytest.mark.req("DOM-AGENT-26")
async def test_a_copy_is_shown_in_the_builder(house: House) -> None:
    agent_id = await made(house.owner)
    state = await opened(house.owner, agent_id)
    address = led_to(await state.clone())
    card = await card_of(house.owner, AgentId(UUID(address.split("?a=")[1])))
    assert (card.name, card.status, card.is_mine) == ("Claims Desk (copy)", "draft", True)
