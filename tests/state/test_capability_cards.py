"""Cards about missing capabilities: what each person can do from one."""

import pytest

from agenticos_app.contracts.spec import read_spec
from agenticos_app.kernel.ids import AgentId
from agenticos_app.repos import agents as agent_repo
from agenticos_app.repos import versions as version_repo
from agenticos_app.services import more_capabilities
from state.capability_cards import CapabilityCardsState, Standing
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, acting_as, build_house, past_run

pytestmark = pytest.mark.usefixtures("console")
LACKED = "thinking"


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def card(house: House, person: Person) -> tuple[CapabilityCardsState, str]:
    run = str(await past_run(house, person))
    state = page_state(CapabilityCardsState, "/chat", cookie=person.cookie)
    await state.look(run, LACKED)
    return state, run


def standing(state: CapabilityCardsState, run: str) -> Standing:
    return state.cards[f"{run}:{LACKED}"]


async def enabled(house: House) -> tuple[bool, bool]:
    """Tell whether the draft and the live version have it."""
    async with acting_as(house.owner) as tx:
        agent = await agent_repo.get(tx, house.agent_id)
        assert agent is not None
        assert agent.live_version_id is not None
        version = await version_repo.get(tx, agent.live_version_id)
        assert version is not None
        draft, live = (
            LACKED in {binding.id for binding in read_spec(spec).enabled}
            for spec in (agent.draft, version.spec)
        )
        return draft, live


@pytest.mark.req("CAP-REG-20", "CAP-REG-21", "CAP-REG-22")
async def test_who_may_publish_enables_it_at_once(house: House) -> None:
    state, run = await card(house, house.owner)
    assert (standing(state, run).state, standing(state, run).can_edit) == ("missing", True)
    assert await state.enable(run, LACKED) is None
    assert (standing(state, run).state, standing(state, run).is_new) == ("live", True)
    assert await enabled(house) == (True, True)
    later = page_state(CapabilityCardsState, "/chat", cookie=house.owner.cookie)
    await later.look(run, LACKED)
    assert standing(later, run).state == "live"


@pytest.mark.req("CAP-REG-23")
async def test_beside_unpublished_changes_it_waits_in_the_draft(house: House) -> None:
    async with acting_as(house.owner) as tx:
        agent = await agent_repo.get(tx, house.agent_id, lock=True)
        assert agent is not None
        agent.draft = {**agent.draft, "instructions": "Something new"}
    state, run = await card(house, house.owner)
    await state.enable(run, LACKED)
    assert standing(state, run).state == "draft"
    assert standing(state, run).agent_id == str(house.agent_id)
    assert await enabled(house) == (True, False)


@pytest.mark.req("CAP-REG-24")
async def test_who_may_not_edit_asks_the_owner_and_cannot_enable(house: House) -> None:
    member = house.people["member"]
    state, run = await card(house, member)
    assert (standing(state, run).state, standing(state, run).can_edit) == ("missing", False)
    assert await state.enable(run, LACKED) is not None
    assert await enabled(house) == (False, False)
    assert await state.ask(run, LACKED, "The question needs a plan.") is None
    assert standing(state, run).state == "asked"
    async with acting_as(house.owner) as tx:
        (asked,) = await more_capabilities.requests(tx, AgentId(house.agent_id))
    assert (asked.capability_id, asked.person) == (LACKED, member.name)
    assert asked.reason == "The question needs a plan."


async def test_a_run_that_the_person_may_not_read_has_no_card(house: House) -> None:
    elsewhere = await build_house("Other")
    run = str(await past_run(elsewhere, elsewhere.owner))
    state = page_state(CapabilityCardsState, "/chat", cookie=house.owner.cookie)
    await state.look(run, LACKED)
    assert state.cards == {}
    assert await state.enable(run, LACKED) is not None
    assert await enabled(elsewhere) == (False, False)
