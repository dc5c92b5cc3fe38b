"""The Toolbox's State: what is changed is in the draft, and what a page holds stays small."""

from collections.abc import Iterator

import pytest

from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.kernel.scopes import Scope
from agenticos_app.schemas.agents import CapabilityAsk
from agenticos_app.schemas.capabilities import CapabilityRow
from agenticos_app.services import more_capabilities, registry, toolbox
from state.builder import BuilderState
from state.toolbox import ToolboxState
from tests.building import draft_of, made, published, saved
from tests.fakes.capabilities import GALLERY, WEATHER, offering
from tests.fakes.reflex_state import page_state, visit
from tests.state.test_vault import add
from tests.world import House, Person, acting_as, api_of, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture(autouse=True)
def _offered(console: object) -> Iterator[None]:
    with offering(GALLERY, WEATHER):
        yield


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("builder", "member"))


async def shown(person: Person, agent_id: AgentId, language: str = "en") -> ToolboxState:
    state = page_state(ToolboxState, f"/agents/edit?a={agent_id}&s=toolbox", cookie=person.cookie)
    await (await state.get_state(BuilderState)).load()
    await state.show(language)
    return state


async def spec_of(person: Person, agent_id: AgentId) -> AgentSpec:
    return (await draft_of(person, agent_id)).spec


def names(state: ToolboxState) -> dict[str, list[str]]:
    return {group.name: [card.id for card in group.cards] for group in state.groups}


@pytest.mark.req("CAP-REG-06", "CAP-REG-08")
async def test_list_and_forms_are_drawn_from_the_apis_answer_alone(house: House) -> None:
    agent_id = await made(house.owner)
    state = await shown(house.owner, agent_id, "pl")
    await state.open_capability("gallery")
    async with api_of(house.owner) as api:
        answer = await api.get("/api/v1/agents/capabilities", headers={"accept-language": "pl"})
    rows = [CapabilityRow.model_validate(row) for row in answer.json()]
    spec = await spec_of(house.owner, agent_id)
    drawn = {card.id: card for group in state.groups for card in group.cards}
    drawn |= {card.id: card for card in state.tuning}
    assert drawn == {card.id: card for card in toolbox.cards(rows, spec, [], "pl")}
    (row,) = [row for row in rows if row.id == "gallery"]
    assert state.opened == toolbox.opened(row, spec, [], "pl")
    assert state.opened.name == "Galeria łąk"


@pytest.mark.req("CAP-REG-13", "CAP-REG-16", "CAP-BIND-11")
async def test_a_new_agents_capabilities_are_recommended_on_and_can_be_switched_off(house: House) -> None:
    agent_id = await made(house.owner)
    state = await shown(house.owner, agent_id)
    cards = [card for group in state.groups for card in group.cards] + state.tuning
    recommended = {card.id for card in cards if card.recommended}
    assert recommended == {card.id for card in cards if card.is_on} != set()
    assert (state.total, state.count_on) == (len(registry.catalogue("en")), len(recommended))
    for capability in recommended:
        await state.set_setting(capability, "no such setting", "x")
        await state.switch(capability, False)
    spec = await spec_of(house.owner, agent_id)
    assert spec.enabled == ()
    assert {one.id for one in spec.capabilities} == recommended
    assert state.count_on == 0
    assert not any(card.is_on for group in state.groups for card in group.cards)


@pytest.mark.req("CAP-REG-09", "CAP-REG-10")
async def test_what_tunes_runs_is_folded_until_it_matters(house: House) -> None:
    agent_id = await made(house.owner)
    state = await shown(house.owner, agent_id)
    assert [card.id for card in state.tuning] == ["gallery"]
    assert all("gallery" not in cards for cards in names(state).values())
    assert not state.unfolded
    state.fold()
    assert state.unfolded
    state.fold()
    await state.set_search("setting")
    assert state.unfolded, "a search looks into it"
    state.fold()
    await state.set_search("setting of")
    assert not state.unfolded, "who folds it while searching means it"
    await state.clear_filters()
    await state.switch("gallery", True)
    assert state.unfolded
    assert (await shown(house.owner, agent_id)).unfolded, "one of it is on"


async def test_search_and_filter_narrow_the_list(house: House) -> None:
    state = await shown(house.owner, await made(house.owner))
    await state.set_search("storm")
    assert list(names(state).values()) == [["weather"]]
    await state.show_only(True)
    assert (state.groups, state.tuning, state.finds_nothing) == ([], [], True)
    await state.clear_filters()
    assert sum(map(len, names(state).values())) + len(state.tuning) == state.total
    await state.show_only(True)
    assert sum(map(len, names(state).values())) == state.count_on


@pytest.mark.req("CAP-REG-12")
async def test_a_setting_is_kept_and_what_does_not_fit_is_marked_beside_it(house: House) -> None:
    agent_id = await made(house.owner)
    state = await shown(house.owner, agent_id)
    await state.open_capability("gallery")
    assert not state.shows_advanced
    await state.set_setting("gallery", "count", "40")
    await state.set_setting("gallery", "limit", "7")
    await state.tick("gallery", "parts", "tail")
    spec = await spec_of(house.owner, agent_id)
    kept = {one.id: one for one in spec.capabilities}["gallery"]
    assert (kept.enabled, kept.config) == (False, {"count": 40, "limit": 7, "parts": ["head", "tail"]})
    again = await shown(house.owner, agent_id)
    await again.open_capability("gallery")
    assert again.shows_advanced, "one of the folded settings is set"
    for one in (state, again):
        assert one.opened is not None
        problems = {row.name: row.problem for row in one.opened.settings if row.problem}
        assert problems == {"count": "This is too large."}
    renewed = again.renewed
    await again.reset_settings("gallery")
    assert again.renewed > renewed
    assert again.opened is not None
    assert not again.opened.is_changed
    await again.open_capability("gallery")
    assert (again.opened, again.is_open) == (None, False)


@pytest.mark.req("CAP-BIND-07", "CAP-BIND-08", "CAP-TEXT-01", "DOM-AGENT-37")
async def test_a_tool_gets_other_words_and_keeps_its_approval(house: House) -> None:
    agent_id = await made(house.owner)
    state = await shown(house.owner, agent_id)
    await state.open_capability("weather")
    assert state.opened is not None
    texts = {tool.id: tool for row in registry.catalogue("en") if row.id == "weather" for tool in row.tools}
    assert {line.id: line.sentence for line in state.opened.tools} == {
        one.id: one.sentence for one in texts.values()
    }
    await state.set_approval("weather", "warn_all", "required")
    assert state.asks_first
    await state.show_tool("warn_all")
    assert state.words is not None
    assert (state.words.told_name, state.words.told) == ("warn_all", texts["warn_all"].text)
    await state.name_tool("weather", "warn_all", " alarm ")
    await state.describe_tool("weather", "warn_all", "Ring the bell.")
    assert (state.words.told_name, state.words.told) == ("alarm", "Ring the bell.")
    await state.name_tool("weather", "warn_all", "ring the bell")
    assert "ring the bell" in state.words.name_problem
    await state.name_tool("weather", "warn_all", "alarm")
    assert state.words.name_problem == ""
    kept = (await spec_of(house.owner, agent_id)).capabilities[-1]
    assert kept.tool_approval == {"warn_all": "required"}
    assert kept.name_of("warn_all") == "alarm"
    await state.set_approval("weather", "warn_all", "perhaps")
    await state.set_approval("weather", "warn_all", "default")
    assert (await spec_of(house.owner, agent_id)).capabilities[-1].tool_approval == {}
    await state.show_tool("warn_all")
    assert state.words is None


async def test_the_page_holds_the_text_of_one_tool_at_most(house: House) -> None:
    state = await shown(house.owner, await made(house.owner))
    await state.open_capability("weather")
    long = [tool.text for row in registry.catalogue("en") for tool in row.tools]

    def held() -> int:
        root = state.parent_state
        assert root is not None
        return sum(text in str(root.dict()) for text in long)

    assert held() == 0
    await state.show_tool("ask_weather")
    assert state.words is not None
    await state.show_tool("warn_all")
    assert state.words.id == "warn_all"
    state.close_capability()
    assert state.words is None


@pytest.mark.req("CAP-BIND-12")
async def test_a_key_is_chosen_or_added_where_the_settings_need_one(house: House) -> None:
    agent_id = await made(house.owner)
    first = (await add(house.owner, "brave", name="Brave")).made
    await add(house.owner, "openai", name="Other service")
    state = await shown(house.owner, agent_id)
    await state.open_capability("weather")
    assert state.opened is not None
    assert state.opened.key is None
    await state.switch("weather", True)
    await state.set_setting("weather", "source", "paid")
    key = state.opened.key
    assert key is not None
    assert key.problem.startswith("Weather needs a key.")
    assert [choice.name for choice in state.choices] == ["Brave"]
    (card,) = [card for group in state.groups for card in group.cards if card.id == "weather"]
    assert (card.problems, card.lacking) == (1, key.problem)
    await state.choose_key("weather", first)
    assert state.opened.key is not None
    assert (state.opened.key.chosen, state.opened.key.problem, state.key_is_listed) == (first, "", True)
    second = (await add(house.owner, "brave", name="Brave 2")).made
    await state.key_added(second)
    assert state.opened.key.chosen == second
    for stranger in (str(new_id()), "no id"):
        with pytest.raises(NotFound):
            await state.choose_key("weather", stranger)
    await state.choose_key("weather", "")
    assert (await spec_of(house.owner, agent_id)).capabilities[-1].secret_id is None


async def test_who_asks_for_a_capability_is_answered_at_the_top(house: House) -> None:
    agent_id = await made(house.owner, visibility="org")
    await saved(house.owner, agent_id)
    await published(house.owner, agent_id)
    async with acting_as(house.people["member"]) as tx:
        for capability, reason in (("weather", "It rains."), ("gallery", "")):
            ask = CapabilityAsk(capability_id=capability, reason=reason)
            await more_capabilities.ask_for(tx, agent_id, ask)
    state = await shown(house.owner, agent_id)
    assert {(line.person, line.name, line.reason) for line in state.asked} == {
        ("Member Person", "Weather", "It rains."),
        ("Member Person", "Gallery", ""),
    }
    await state.switch("weather", True)
    assert [line.name for line in state.asked] == ["Gallery"]
    await state.dismiss(state.asked[0].id)
    assert state.asked == []


async def test_what_this_deployment_does_not_have_can_be_removed(house: House) -> None:
    agent_id = await made(house.owner)
    await saved(
        house.owner,
        agent_id,
        capabilities=[{"id": "telepathy"}, {"id": "weather", "config": {"wind": 1}}],
    )
    state = await shown(house.owner, agent_id)
    assert state.unknown == ["telepathy"]
    await state.remove("telepathy")
    assert state.unknown == []
    await state.open_capability("weather")
    assert state.opened is not None
    (left,) = state.opened.leftovers
    await state.drop("weather", left.kind, left.name)
    assert state.opened.leftovers == []
    assert [one.id for one in (await spec_of(house.owner, agent_id)).capabilities] == ["weather"]


async def test_an_ability_that_the_server_keeps_back_is_said_on_the_card(house: House) -> None:
    with offering(WEATHER, granted=[Scope.CODE_EXECUTE]):
        state = await shown(house.owner, await made(house.owner))
    (card,) = [card for group in state.groups for card in group.cards if card.id == "weather"]
    assert "Search the web" in card.lacking


@pytest.mark.parametrize("capability", ["telepathy", ""])
async def test_there_is_nothing_to_do_to_an_unknown_capability(house: House, capability: str) -> None:
    state = await shown(house.owner, await made(house.owner))
    with pytest.raises(NotFound):
        await state.switch(capability, True)
    with pytest.raises(NotFound):
        await state.open_capability(capability)
    with pytest.raises(NotFound):
        await state.name_tool("weather", "no_such_tool", "x")
    await state.show_tool("ask_weather")
    assert state.words is None


@pytest.mark.parametrize(
    ("at", "opened", "advanced", "tool"),
    [
        ("capabilities.gallery", "gallery", False, ""),
        ("capabilities.gallery.config.count", "gallery", False, ""),
        ("capabilities.gallery.config.limit", "gallery", True, ""),
        ("capabilities.weather.secret_id", "weather", False, ""),
        ("capabilities.weather.tool_overrides.warn_all.name", "weather", False, "warn_all"),
        ("capabilities.telepathy", "", False, ""),
        ("model_profile_id", "", False, ""),
    ],
)
async def test_a_problem_leads_to_its_field(
    house: House, at: str, opened: str, advanced: bool, tool: str
) -> None:
    state = await shown(house.owner, await made(house.owner))
    await state.point(at)
    assert (state.opened.id if state.opened else "", state.shows_advanced) == (opened, advanced)
    assert (state.words.id if state.words else "") == tool


async def test_a_change_that_meets_somebody_elses_is_shown_and_kept_for_the_person_to_decide(
    house: House,
) -> None:
    agent_id = await made(house.owner)
    state = await shown(house.owner, agent_id)
    await saved(house.owner, agent_id, instructions="Changed elsewhere.")
    await state.switch("gallery", True)
    builder = await state.get_state(BuilderState)
    assert builder.clash is not None
    assert [card.is_on for card in state.tuning] == [True]
    assert "gallery" not in {one.id for one in (await spec_of(house.owner, agent_id)).capabilities}
    await builder.keep_mine()
    assert "gallery" in {one.id for one in (await spec_of(house.owner, agent_id)).enabled}


async def test_another_agent_begins_with_nothing_opened(house: House) -> None:
    first, second = await made(house.owner), await made(house.owner, "Other Desk")
    state = await shown(house.owner, first)
    await state.open_capability("weather")
    await state.set_search("storm")
    visit(state, f"/agents/edit?a={second}&s=toolbox")
    await (await state.get_state(BuilderState)).load()
    await state.show("en")
    assert (state.opened, state.search, state.is_open) == (None, "", False)
    await state.switch("weather", True)
    assert "weather" not in {one.id for one in (await spec_of(house.owner, first)).capabilities}
    assert "weather" in {one.id for one in (await spec_of(house.owner, second)).enabled}
