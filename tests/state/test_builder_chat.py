"""The Builder's test chat."""

import pytest

from agenticos_app.kernel.ids import new_id
from agenticos_app.services import agent_life
from state.builder_chat import BuilderChatState
from tests.building import draft_of, made, published, saved
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, acting_as, build_house

pytestmark = [pytest.mark.usefixtures("console"), pytest.mark.req("DOM-RUN-06")]


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def panel(house: House, person: Person | None = None) -> BuilderChatState:
    state = page_state(BuilderChatState, "/agents", cookie=(person or house.owner).cookie)
    await state.open(str(house.agent_id))
    return state


async def stopped(state: BuilderChatState) -> None:
    run_id = state.running_run_id
    await state.stop()
    await state.ended(run_id, "cancelled")


async def test_a_chat_of_several_turns_with_what_they_cost(house: House) -> None:
    state = await panel(house)
    await state.send("One", [])
    assert (state.accepted, [turn.text for turn in state.turns]) == (1, ["One"])
    assert state.running_run_id == str(state.turns[0].run_id)
    await state.ended(state.running_run_id, "completed")
    assert state.running_run_id, "it still works, whatever a browser says"
    first = state.conversation_id
    await stopped(state)
    assert (state.running_run_id, state.turns[0].status, state.cost_usd) == ("", "cancelled", "0")
    await state.choose("1")
    await state.send("Two", [])
    assert [turn.text for turn in state.turns] == ["One", "Two"]
    assert state.conversation_id == first


async def test_the_last_question_again_knows_nothing_of_what_was_said(house: House) -> None:
    state = await panel(house)
    assert await state.rerun() is None
    await state.send("One", [])
    first = state.conversation_id
    await state.rerun()
    assert len(state.turns) == 1, "not while it works"
    await stopped(state)
    await state.rerun()
    assert [turn.text for turn in state.turns] == ["One", "One"]
    assert state.conversation_id not in ("", first)
    await stopped(state)
    assert [turn.status for turn in state.turns] == ["cancelled", "cancelled"]


async def test_it_is_kept_for_its_agent_until_somebody_clears_it(house: House) -> None:
    state = await panel(house)
    await state.send("One", [])
    await state.open(str(house.agent_id))
    state.clear()
    assert len(state.turns) == 1, "a run works"
    await stopped(state)
    state.clear()
    assert (state.turns, state.conversation_id, state.last_prompt) == ([], "", "")
    await state.send("One", [])
    await state.open(str(await made(house.owner)))
    assert (state.turns, state.tested) == ([], "draft")


async def test_a_refusal_is_told_and_nothing_is_lost(house: House) -> None:
    state = await panel(house, house.people["viewer"])
    assert await state.send("One", []) is not None
    assert (state.accepted, state.refused, state.turns) == (0, 1, [])
    state = await panel(house)
    await state.choose("7")
    assert await state.send("One", []) is not None
    await state.choose("anything")
    assert state.tested == "draft"


@pytest.mark.req("DOM-AGENT-34")
async def test_it_says_what_keeps_the_chosen_one_from_answering(house: House) -> None:
    agent_id = await made(house.owner)
    await published(house.owner, agent_id)
    state = page_state(BuilderChatState, "/agents/edit", cookie=house.owner.cookie)
    await state.open(str(agent_id))
    assert (state.agent_name, state.problem, state.versions) == ("Claims Desk", "", ["1"])
    draft = await saved(house.owner, agent_id, model_profile_id=new_id())
    await state.look(str(draft.revision))
    assert state.problem == "gone"
    await state.choose("1")
    assert state.problem == ""
    viewer = await panel(house, house.people["viewer"])
    assert viewer.problem == "reserved"
    async with acting_as(house.owner) as tx:
        await agent_life.archive(tx, agent_id)
    await state.look("again")
    assert state.problem == "archived"


async def test_it_knows_which_draft_answered(house: House) -> None:
    agent_id = await made(house.owner)
    state = page_state(BuilderChatState, "/agents/edit", cookie=house.owner.cookie)
    await state.open(str(agent_id))
    await state.send("One", [])
    assert state.asked_revision == (await draft_of(house.owner, agent_id)).revision
    await stopped(state)
    draft = await saved(house.owner, agent_id, instructions="Other words.")
    assert state.asked_revision < draft.revision
    await state.rerun()
    assert state.asked_revision == draft.revision
    await stopped(state)
