"""The activity page's State: filters live in the address, each state of the list is told apart."""

import pickle
from datetime import timedelta

import pytest

from agenticos_app.contracts.events import RunStatus
from agenticos_app.db import session as db
from agenticos_app.errors import InvalidInput, Unauthenticated
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from state.activity import ActivityState, read_filters
from tests.fakes.reflex_state import led_to, page_state, visit
from tests.world import House, build_house, past_run, second_agent

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("owner", "member"))


def opened(house: House, query: str = "", *, role: str = "owner") -> ActivityState:
    return page_state(ActivityState, f"/activity{query}", cookie=house.people[role].cookie)


@pytest.mark.req("DOM-UI-27")
async def test_before_it_is_loaded_a_list_is_neither_empty_nor_failed(house: House) -> None:
    state = opened(house)
    assert (state.loaded, state.failure, state.refused, state.rows) == (False, "", False, [])


@pytest.mark.req("DOM-UI-27")
async def test_an_organization_without_runs_has_an_empty_list_without_filters(house: House) -> None:
    state = opened(house)
    await state.load()
    assert (state.loaded, state.failure, state.refused, state.rows) == (True, "", False, [])
    assert (state.statuses, state.agent_id, state.surface) == ([], "", "")


@pytest.mark.req("DOM-UI-27")
async def test_a_list_emptied_by_filters_says_which_are_on(house: House) -> None:
    await past_run(house, house.owner)
    state = opened(house, "?status=failed")
    await state.load()
    assert (state.loaded, state.failure, state.rows, state.statuses) == (True, "", [], ["failed"])


@pytest.mark.req("DOM-UI-27")
async def test_a_list_that_cannot_be_read_has_failed_with_an_id_and_recovers(house: House) -> None:
    await past_run(house, house.owner)
    state = opened(house)
    working = db.current()
    db.use(db.Database("postgresql+psycopg://nobody@127.0.0.1:1/none", connections=1))
    await state.load()
    assert len(state.failure) == 8
    await db.current().close()
    db.use(working)
    await state.load()
    assert (state.failure, len(state.rows)) == ("", 1)


@pytest.mark.req("DOM-RUN-03")
@pytest.mark.parametrize(
    "query", ["?status=excellent", "?status=failed,excellent", "?surface=fax", "?agent=first"]
)
async def test_an_address_with_an_unknown_filter_is_refused_and_shows_no_empty_list(
    house: House, query: str
) -> None:
    await past_run(house, house.owner)
    state = opened(house, query)
    await state.load()
    assert state.refused
    assert led_to(state.clear_filters()) == "/activity"
    visit(state, "/activity")
    await state.load()
    assert (state.refused, len(state.rows)) == (False, 1)


def test_several_states_may_be_repeated_or_separated_by_commas() -> None:
    wanted = (RunStatus.FAILED, RunStatus.CANCELLED)
    assert read_filters("status=failed&status=cancelled").statuses == wanted
    assert read_filters("status=failed,cancelled,failed").statuses == wanted
    with pytest.raises(InvalidInput):
        read_filters("status=Failed")


async def test_the_address_decides_what_is_listed(house: House) -> None:
    scout = await second_agent(house, "Scout")
    await past_run(house, house.owner)
    wanted = await past_run(house, house.owner, agent_id=scout, surface="api", status=RunStatus.FAILED)
    state = opened(house, f"?agent={scout}&surface=api&status=failed,running")
    await state.load()
    assert [row.id for row in state.rows] == [wanted]
    assert (state.statuses, state.agent_id, state.surface) == (["failed", "running"], str(scout), "api")
    assert [agent.name for agent in state.agents] == ["Assistant", "Scout"]


async def test_filters_are_changed_by_leading_to_another_address(house: House) -> None:
    agent = house.agent_id
    state = opened(house, f"?status=failed&agent={agent}&org=harbor-supply")
    await state.load()
    assert led_to(state.toggle_status("running")) == (
        f"/activity?status=failed,running&agent={agent}&org=harbor-supply"
    )
    assert led_to(state.toggle_status("failed")) == f"/activity?agent={agent}&org=harbor-supply"
    assert led_to(state.choose_agent("")) == "/activity?status=failed&org=harbor-supply"
    assert led_to(state.toggle_surface("api")) == (
        f"/activity?status=failed&agent={agent}&surface=api&org=harbor-supply"
    )
    assert led_to(state.clear_filters()) == "/activity?org=harbor-supply"


async def test_more_rows_follow_without_repetition_and_the_state_stays_small(house: House) -> None:
    began = now() - timedelta(days=1)
    made = [await past_run(house, house.owner, at=began + timedelta(minutes=n)) for n in range(53)]
    state = opened(house)
    await state.load()
    assert (len(state.rows), bool(state.next_cursor)) == (50, True)
    assert len(pickle.dumps(state.rows)) < 60_000
    await state.load_more()
    assert [row.id for row in state.rows] == made[::-1]
    assert state.next_cursor == ""
    await state.load_more()
    assert len(state.rows) == 53


async def test_a_refresh_brings_new_runs_and_new_states_and_keeps_older_rows(house: House) -> None:
    began = now() - timedelta(days=1)
    for n in range(52):
        await past_run(house, house.owner, at=began + timedelta(minutes=n))
    working = await past_run(house, house.owner, at=now(), status=RunStatus.RUNNING)
    state = opened(house)
    await state.load()
    assert state.is_live
    await state.load_more()
    newest = await past_run(house, house.owner, at=now())
    await state.refresh()
    assert [row.id for row in state.rows[:2]] == [newest, working]
    assert len(state.rows) == len({row.id for row in state.rows}) == 54


async def test_a_refresh_of_a_page_that_has_failed_or_is_refused_changes_nothing(house: House) -> None:
    state = opened(house, "?status=excellent")
    await state.load()
    await state.refresh()
    assert state.refused
    assert state.rows == []


async def test_a_member_sees_own_runs(house: House) -> None:
    await past_run(house, house.owner)
    own = await past_run(house, house.people["member"])
    state = opened(house, role="member")
    await state.load()
    assert [row.id for row in state.rows] == [own]


async def test_another_organizations_agent_finds_nothing(house: House) -> None:
    await past_run(house, house.owner)
    stranger = await build_house("Elsewhere", roles=())
    state = page_state(ActivityState, f"/activity?agent={house.agent_id}", cookie=stranger.owner.cookie)
    await state.load()
    assert (state.rows, state.refused) == ([], False)


async def test_somebody_who_is_signed_out_is_sent_to_sign_in(house: House) -> None:
    state = page_state(ActivityState, "/activity", cookie=f"{new_id().hex}.wrong")
    with pytest.raises(Unauthenticated):
        await state.load()
