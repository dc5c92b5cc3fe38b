"""The catalogue's State: filters live in the address, each state of the list is told apart."""

import pickle

import pytest

from agenticos_app.db import session as db
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound
from agenticos_app.kernel.ids import AgentId, UserId, new_id
from agenticos_app.schemas.agents import AgentChange, AgentCreate
from agenticos_app.security.access import AGENT
from agenticos_app.services import agents, sharing
from state.agents import CARDS, AgentsState, read_filters
from tests.building import card_of, made, published, saved
from tests.fakes.reflex_state import led_to, page_state, visit
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("owner", "builder", "viewer"))


async def opened(person: Person, query: str = "") -> AgentsState:
    state = page_state(AgentsState, f"/agents{query}", cookie=person.cookie)
    await state.load()
    return state


def names(state: AgentsState) -> list[str]:
    return [row.name for row in state.rows]


async def labelled(person: Person, name: str, *, categories: list[str], tags: list[str]) -> AgentId:
    agent_id = await made(person, name)
    async with acting_as(person) as tx:
        await agents.change(tx, agent_id, AgentChange(categories=categories, tags=tags))
    return agent_id


@pytest.mark.req("DOM-UI-06")
async def test_a_card_says_what_is_live_and_what_waits(house: House) -> None:
    desk = await made(house.owner)
    draft = (await opened(house.owner)).rows[0]
    assert (draft.name, draft.status, draft.live_version, draft.audience) == (
        "Claims Desk", "draft", 0, "everyone",
    )  # fmt: skip
    await published(house.owner, desk)
    await saved(house.owner, desk, instructions="Be brief.", monthly_budget_micros=5_000_000)
    card = (await opened(house.owner)).rows[0]
    assert (card.status, card.live_version, card.draft_differs, card.model_problem) == (
        "published", 1, True, "",
    )  # fmt: skip
    assert (card.can_run, card.can_edit, card.model_label != "") == (True, True, True)


@pytest.mark.req("DOM-UI-06", "DOM-AGENT-29")
async def test_labels_widen_within_a_kind_and_narrow_across_kinds(house: House) -> None:
    await labelled(house.owner, "Books", categories=["Finance"], tags=["weekly"])
    await labelled(house.owner, "Claims", categories=["legal"], tags=["weekly", "slow"])
    await labelled(house.owner, "Depot", categories=["Logistics"], tags=["slow"])
    state = await opened(house.owner, "?category=Finance&category=%20legal&tag=weekly")
    assert (names(state), state.categories, state.tags) == (
        ["Claims", "Books"], ["finance", "legal"], ["weekly"],
    )  # fmt: skip
    assert {(one.label, one.agents) for one in state.known_tags} == {("weekly", 2), ("slow", 2)}
    assert [one.agents for one in state.known_categories] == [1, 1, 1]
    assert names(await opened(house.owner, "?category=finance&tag=slow")) == []


@pytest.mark.req("DOM-UI-06")
async def test_own_shared_and_archived_agents_are_found_apart(house: House) -> None:
    builder = house.people["builder"]
    own = await made(builder, "Mine")
    given = await made(house.owner, "Given", visibility="private")
    async with acting_as(house.owner) as tx:
        await sharing.share(tx, AGENT, given, UserId(builder.user_id), "use")
    assert names(await opened(builder, "?whose=mine")) == ["Mine"]
    assert names(await opened(builder, "?whose=shared")) == ["Given"]
    page = await opened(builder)
    await page.archive(str(own))
    assert (page.said, names(page)) == ("archived", ["Given", "Assistant"])
    archived = await opened(builder, "?status=archived")
    assert names(archived) == ["Mine"]
    await archived.unarchive(str(own))
    assert (archived.said, names(archived)) == ("unarchived", [])
    assert (await card_of(builder, own)).status == "draft"


async def test_filters_are_changed_by_leading_to_another_address(house: House) -> None:
    state = await opened(house.owner, "?q=desk&whose=mine&tag=a%26b&org=harbor-supply")
    assert (state.search, state.whose, state.tags) == ("desk", "mine", ["a&b"])
    assert led_to(state.toggle_category("finance")) == (
        "/agents?q=desk&whose=mine&category=finance&tag=a%26b&org=harbor-supply"
    )
    assert led_to(state.set_status("draft")) == (
        "/agents?q=desk&whose=mine&status=draft&category=finance&tag=a%26b&org=harbor-supply"
    )
    assert "status" not in led_to(state.set_status("draft"))
    assert "tag" not in led_to(state.toggle_tag("a&b"))
    assert led_to(state.set_search("invoices")).startswith("/agents?q=invoices&whose=mine")
    assert "whose" not in led_to(state.set_whose(""))
    assert led_to(state.clear_filters()) == "/agents?org=harbor-supply"


@pytest.mark.parametrize("query", ["?status=excellent", "?whose=theirs"])
async def test_an_unknown_filter_is_refused_and_shows_no_empty_list(house: House, query: str) -> None:
    state = await opened(house.owner, query)
    assert (state.refused, state.rows) == (True, [])
    with pytest.raises(InvalidInput):
        read_filters(query[1:])
    visit(state, "/agents")
    await state.load()
    assert (state.refused, names(state)) == (False, ["Assistant"])


@pytest.mark.req("DOM-UI-27")
async def test_loading_empty_filtered_and_failed_are_told_apart(house: House) -> None:
    state = page_state(AgentsState, "/agents?q=nothing+like+it", cookie=house.owner.cookie)
    assert (state.loaded, state.failure) == (False, "")
    await state.load()
    assert (state.loaded, state.rows, state.search) == (True, [], "nothing like it")
    visit(state, "/agents")
    working = db.current()
    db.use(db.Database("postgresql+psycopg://nobody@127.0.0.1:1/none", connections=1))
    await state.load()
    assert len(state.failure) == 8
    await db.current().close()
    db.use(working)
    await state.load()
    assert (state.failure, names(state)) == ("", ["Assistant"])


async def test_more_cards_follow_without_repetition_and_the_state_stays_small(house: House) -> None:
    async with acting_as(house.owner) as tx:
        for n in range(CARDS + 3):
            await agents.create(tx, AgentCreate(name=f"Agent number {n}"))
    state = await opened(house.owner)
    assert (len(state.rows), bool(state.next_cursor)) == (CARDS, True)
    assert len(pickle.dumps(state.rows)) < 40_000
    await state.load_more()
    assert (len(set(names(state))), state.next_cursor) == (CARDS + 4, "")


@pytest.mark.req("DOM-AGENT-26")
async def test_a_copy_belongs_to_who_made_it(house: House) -> None:
    builder = house.people["builder"]
    page = await opened(builder)
    await page.clone(str(house.agent_id))
    assert (page.said, names(page)) == ("cloned", ["Assistant (copy)", "Assistant"])
    assert (page.rows[0].is_mine, page.rows[0].status) == (True, "draft")
    viewer = await opened(house.people["viewer"])
    assert not viewer.may_create
    with pytest.raises(Forbidden):
        await viewer.clone(str(house.agent_id))


@pytest.mark.req("DOM-UI-06")
async def test_an_archived_agent_is_deleted_once_it_was_asked(house: House) -> None:
    desk = await made(house.owner)
    await published(house.owner, desk)
    page = await opened(house.owner)
    await page.delete()
    await page.ask_delete(str(desk))
    assert page.lost is not None
    assert (page.agent_name, page.lost.versions, page.lost.environments, page.lost.runs) == (
        "Claims Desk", 1, 1, 0,
    )  # fmt: skip
    with pytest.raises(Conflict):
        await page.delete()
    await page.archive(str(desk))
    await page.ask_delete(str(desk))
    page.close_delete(False)
    await page.delete()
    assert (await card_of(house.owner, desk)).status == "archived"
    await page.ask_delete(str(desk))
    await page.delete()
    assert (page.said, page.lost, names(page)) == ("deleted", None, ["Assistant"])
    with pytest.raises(NotFound):
        await card_of(house.owner, desk)
    with pytest.raises(NotFound):
        await page.ask_delete(str(new_id()))
