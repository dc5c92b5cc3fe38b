"""The Builder's lists of versions and environments."""

import pytest

from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import AgentId, ModelProfileId, new_id
from agenticos_app.services import models
from state.agent_environments import AgentEnvironmentsState
from state.agent_versions import AgentVersionsState
from tests.building import draft_of, made, published, saved
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def with_versions(person: Person, *texts: str) -> AgentId:
    agent_id = await made(person)
    for text in texts:
        await saved(person, agent_id, instructions=text)
        await published(person, agent_id, note=f"says {text}")
    return agent_id


async def listed(person: Person, agent_id: AgentId) -> AgentVersionsState:
    state = page_state(AgentVersionsState, "/agents/edit", cookie=person.cookie)
    await state.open(str(agent_id))
    return state


async def pointers(person: Person, agent_id: AgentId) -> AgentEnvironmentsState:
    state = page_state(AgentEnvironmentsState, "/agents/edit", cookie=person.cookie)
    await state.open(str(agent_id))
    return state


@pytest.mark.req("DOM-AGENT-07", "DOM-AGENT-08")
async def test_each_version_says_what_changed_in_it(house: House) -> None:
    agent_id = await with_versions(house.owner, "one", "two")
    state = await listed(house.owner, agent_id)
    assert [(row.number, row.note, row.is_live, row.is_latest) for row in state.rows] == [
        (2, "says two", True, True),
        (1, "says one", False, False),
    ]
    assert (state.rows[0].environments, state.rows[0].published_by) == (["production"], house.owner.name)
    await state.toggle(2)
    assert (state.opened, state.since) == (2, 1)
    assert [(one.at, one.before, one.after) for one in state.changes] == [("instructions", "one", "two")]
    await state.toggle(1)
    assert (state.opened, state.since) == (1, 0)
    await state.toggle(1)
    assert (state.opened, state.changes) == (0, [])
    with pytest.raises(NotFound):
        await state.toggle(3)


@pytest.mark.req("DOM-AGENT-09")
async def test_going_back_publishes_the_old_version_again_and_makes_it_the_draft(house: House) -> None:
    agent_id = await with_versions(house.owner, "one", "two")
    await saved(house.owner, agent_id, instructions="unpublished")
    state = await listed(house.owner, agent_id)
    await state.ask(1, "rollback")
    assert (state.doing, state.number, state.following) == ("rollback", 1, ["production"])
    await state.roll_back()
    assert (state.doing, state.published) == ("", 3)
    assert next((row.number, row.note) for row in state.rows) == (3, "rollback to v1")
    draft = await draft_of(house.owner, agent_id)
    assert (draft.spec.instructions, draft.how, draft.differs) == ("one", "rollback", False)


@pytest.mark.req("DOM-AGENT-09", "DOM-UI-29")
async def test_what_cannot_be_published_again_says_why_and_changes_nothing(house: House) -> None:
    agent_id = await with_versions(house.owner, "one", "two")
    state = await listed(house.owner, agent_id)
    await state.ask(1, "rollback")
    async with acting_as(house.owner) as tx:
        for row in await models.list_profiles(tx):
            await models.delete(tx, ModelProfileId(row.id))
    await state.roll_back()
    assert (state.doing, state.published) == ("rollback", 0)
    assert [one.code for one in state.problems] == ["model_unknown"]
    state.close(False)
    assert state.problems == []
    await state.load()
    assert len(state.rows) == 2


@pytest.mark.req("DOM-AGENT-08")
async def test_only_a_version_that_nothing_uses_is_deleted(house: House) -> None:
    agent_id = await with_versions(house.owner, "one", "two")
    state = await listed(house.owner, agent_id)
    await state.ask(2, "delete")
    await state.delete()
    assert (state.problem, len(state.rows)) == ("version_in_use", 2)
    await state.ask(1, "delete")
    await state.delete()
    assert ([row.number for row in state.rows], state.doing) == ([2], "")
    with pytest.raises(NotFound):
        await state.ask(1, "rollback")


async def test_who_may_only_look_changes_no_version(house: House) -> None:
    agent_id = await with_versions(house.owner, "one", "two")
    state = await listed(house.people["viewer"], agent_id)
    assert (len(state.rows), state.may_edit, state.may_publish) == (2, False, False)
    state.number = 1
    with pytest.raises(Forbidden):
        await state.roll_back()
    with pytest.raises(Forbidden):
        await state.delete()


@pytest.mark.req("DOM-AGENT-10", "DOM-AGENT-11")
async def test_environments_are_made_promoted_renamed_and_deleted(house: House) -> None:
    agent_id = await with_versions(house.owner, "one", "two")
    state = await pointers(house.owner, agent_id)
    assert [(row.name, row.is_default, row.tracks_latest) for row in state.rows] == [
        ("production", True, True)
    ]
    assert state.versions == [2, 1]
    state.ask_create()
    await state.create({"environment": "Staging", "version": "1"})
    assert (state.problems, state.doing) == ({"name": "invalid"}, "create")
    await state.create({"environment": "production", "version": "1"})
    assert state.problems == {"name": "taken"}
    await state.create({"environment": "staging", "version": "1"})
    staging = state.rows[1]
    assert (state.doing, staging.name, staging.version, staging.behind_by) == ("", "staging", 1, 1)
    await state.ask(str(staging.id), "promote")
    assert (state.doing, state.environment_name, state.version) == ("promote", "staging", 1)
    await state.promote({"version": "2"})
    assert (state.rows[1].version, state.rows[1].behind_by) == (2, 0)
    await state.follow(str(staging.id), True)
    await saved(house.owner, agent_id, instructions="three")
    await published(house.owner, agent_id)
    await state.load()
    assert [(row.name, row.version) for row in state.rows] == [("production", 3), ("staging", 3)]
    await state.ask(str(staging.id), "rename")
    await state.rename({"environment": "preview"})
    assert state.rows[1].name == "preview"
    await state.ask(str(state.rows[0].id), "delete")
    await state.delete()
    assert state.problems == {"form": "default_environment"}
    await state.ask(str(staging.id), "delete")
    await state.delete()
    assert [row.name for row in state.rows] == ["production"]
    with pytest.raises(NotFound):
        await state.ask(str(new_id()), "rename")


@pytest.mark.req("DOM-AGENT-11")
async def test_nothing_published_has_no_environment(house: House) -> None:
    state = await pointers(house.owner, await made(house.owner))
    assert (state.rows, state.loaded) == ([], True)
    state.ask_create()
    await state.create({"environment": "staging"})
    assert state.problems == {"form": "not_published"}
