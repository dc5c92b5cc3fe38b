"""The chat's State: what it takes over when signals were missed."""

import pytest

from agenticos_app.kernel.ids import AgentId, RunId
from agenticos_app.schemas.runs import Ask
from agenticos_app.services import runs
from state.chat import ChatState
from tests.fakes.reflex_state import page_state
from tests.world import House, acting_as, build_house, past_run

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def test_turns_and_ends_that_nobody_told_are_taken_over(house: House) -> None:
    ended = await past_run(house, house.owner)
    async with acting_as(house.owner) as tx:
        where = (await runs.get_run(tx, RunId(ended))).conversation_id
    state = page_state(ChatState, f"/chat?c={where}", cookie=house.owner.cookie)
    await state.load()
    settled = [turn.id for turn in state.turns]
    async with acting_as(house.owner) as tx:
        ask = Ask(prompt="From another tab", conversation_id=where)
        started = await runs.start(tx, AgentId(house.agent_id), ask)
    await state.hear("missed", "", "")
    assert [turn.text for turn in state.recent] == ["From another tab"]
    assert state.running_run_id == str(started.run_id)
    async with acting_as(house.owner) as tx:
        await runs.stop(tx, RunId(started.run_id))
    await state.hear("missed", "", "")
    assert [turn.status for turn in state.recent] == ["cancelled"]
    assert state.running_run_id == ""
    await state.hear("missed", "", "")
    assert ([turn.id for turn in state.turns], len(state.recent)) == (settled, 1)
