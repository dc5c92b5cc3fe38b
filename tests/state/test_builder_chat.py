"""The Builder's test chat."""

import pytest

from state.builder_chat import BuilderChatState
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, build_house

pytestmark = [pytest.mark.usefixtures("console"), pytest.mark.req("DOM-RUN-06")]


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


def panel(house: House, person: Person | None = None) -> BuilderChatState:
    state = page_state(BuilderChatState, "/agents", cookie=(person or house.owner).cookie)
    state.open(str(house.agent_id))
    return state


async def stopped(state: BuilderChatState) -> None:
    run_id = state.running_run_id
    await state.stop()
    await state.ended(run_id, "cancelled")


async def test_a_chat_of_several_turns_with_what_they_cost(house: House) -> None:
    state = panel(house)
    await state.send("One", [])
    assert (state.accepted, [turn.text for turn in state.turns]) == (1, ["One"])
    assert state.running_run_id == str(state.turns[0].run_id)
    await state.ended(state.running_run_id, "completed")
    assert state.running_run_id, "it still works, whatever a browser says"
    first = state.conversation_id
    await stopped(state)
    assert (state.running_run_id, state.turns[0].status, state.cost_usd) == ("", "cancelled", "0")
    state.choose("1")
    await state.send("Two", [])
    assert [turn.text for turn in state.turns] == ["One", "Two"]
    assert state.conversation_id == first


async def test_the_last_question_again_knows_nothing_of_what_was_said(house: House) -> None:
    state = panel(house)
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
    state = panel(house)
    await state.send("One", [])
    state.open(str(house.agent_id))
    state.clear()
    assert len(state.turns) == 1, "a run works"
    await stopped(state)
    state.clear()
    assert (state.turns, state.conversation_id, state.last_prompt) == ([], "", "")
    await state.send("One", [])
    state.open("another")
    assert (state.turns, state.tested) == ([], "draft")


async def test_a_refusal_is_told_and_nothing_is_lost(house: House) -> None:
    state = panel(house, house.people["viewer"])
    assert await state.send("One", []) is not None
    assert (state.accepted, state.refused, state.turns) == (0, 1, [])
    state = panel(house)
    state.choose("7")
    assert await state.send("One", []) is not None
    state.choose("anything")
    assert state.tested == "draft"
