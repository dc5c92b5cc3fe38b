"""The Builder's section Basics: each change holds at once, and what is refused is told beside its field."""

import pytest

from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.schemas.agents import MOST_CATEGORIES, MOST_TAGS
from agenticos_app.services import agent_pictures
from state.agent_basics import AgentBasicsState
from tests.building import card_of, draft_of, made
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, actor_of, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def opened(person: Person, agent_id: AgentId) -> AgentBasicsState:
    state = page_state(AgentBasicsState, "/agents/edit", cookie=person.cookie)
    await state.open(str(agent_id))
    return state


@pytest.mark.req("DOM-AGENT-36")
async def test_name_and_description_hold_at_once_and_leave_the_draft_alone(house: House) -> None:
    agent_id = await made(house.owner)
    before = await draft_of(house.owner, agent_id)
    state = await opened(house.owner, agent_id)
    assert (state.name, state.description, state.is_saved) == ("Claims Desk", "", False)
    await state.set_name("Returns Desk ")
    await state.set_description("Knows the rules.")
    card = await card_of(house.owner, agent_id)
    assert (card.name, card.description, card.slug) == ("Returns Desk", "Knows the rules.", "claims-desk")
    assert (state.is_saved, state.name) == (True, "Returns Desk ")
    await state.set_name("  ")
    assert (state.problems, state.is_saved, state.name) == ({"name": "missing"}, False, "  ")
    assert (await card_of(house.owner, agent_id)).name == "Returns Desk"
    assert (await draft_of(house.owner, agent_id)).revision == before.revision


@pytest.mark.req("DOM-AGENT-29")
async def test_labels_are_added_and_taken_away_up_to_their_limits(house: House) -> None:
    agent_id = await made(house.owner)
    state = await opened(house.owner, agent_id)
    await state.add_category({"category": " Customer   Care "})
    await state.add_category({"category": "customer care"})
    await state.add_tag({"tag": "Refunds"})
    card = await card_of(house.owner, agent_id)
    assert (card.categories, card.tags) == (["customer care"], ["refunds"])
    await state.add_tag({"tag": " "})
    assert state.problems == {"tags": "missing"}
    await state.add_tag({"tag": "t" * 33})
    assert state.problems == {"tags": "too_long"}
    for number in range(1, MOST_TAGS):
        await state.add_tag({"tag": f"tag {number}"})
    for number in range(1, MOST_CATEGORIES):
        await state.add_category({"category": f"category {number}"})
    assert state.problems == {}
    await state.add_tag({"tag": "one more"})
    assert state.problems == {"tags": "too_many"}
    await state.add_category({"category": "one more"})
    assert state.problems == {"categories": "too_many"}
    await state.remove_tag("refunds")
    await state.remove_category("customer care")
    card = await card_of(house.owner, agent_id)
    assert (len(card.tags), len(card.categories)) == (MOST_TAGS - 1, MOST_CATEGORIES - 1)
    other = await opened(house.owner, await made(house.owner, "Returns Desk"))
    assert "tag 1" in other.known_tags
    assert "category 1" in other.known_categories


@pytest.mark.req("DOM-AGENT-35")
async def test_a_picture_is_shown_and_taken_away(house: House) -> None:
    agent_id = await made(house.owner)
    state = await opened(house.owner, agent_id)
    state.picture_refused("too_large")
    assert state.problems == {"picture": "too_large"}
    png = b"\x89PNG\r\n\x1a\n" + bytes(32)
    await agent_pictures.set_picture(await actor_of(house.owner), agent_id, png)
    await state.picture_saved()
    assert state.agent is not None
    assert state.agent.avatar_version
    assert state.problems == {}
    await state.remove_picture()
    assert (await card_of(house.owner, agent_id)).avatar_version == ""


async def test_who_may_only_look_changes_nothing(house: House) -> None:
    agent_id = await made(house.owner)
    state = await opened(house.people["viewer"], agent_id)
    assert state.agent is not None
    assert not state.agent.can_edit
    with pytest.raises(Forbidden):
        await state.set_name("Mine")
    state.agent_id = str(new_id())
    with pytest.raises(NotFound):
        await state.add_tag({"tag": "mine"})
