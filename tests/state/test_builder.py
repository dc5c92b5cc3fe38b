"""The Builder's State: one way to change a draft, and nobody's words are overwritten unasked."""

import json

import pytest

from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.schemas.models import ModelCreate
from agenticos_app.services import models
from state.builder import BuilderState, change_draft, section_of, with_fields
from state.builder_spec import SpecState
from tests.building import draft_of, made, published, saved
from tests.fakes.reflex_state import led_to, page_state, visit
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("builder", "member"))


@pytest.fixture
async def agent_id(house: House) -> AgentId:
    return await made(house.owner)


async def opened(person: Person, agent_id: object, section: str = "instructions") -> SpecState:
    spec = page_state(SpecState, f"/agents/edit?a={agent_id}&s={section}", cookie=person.cookie)
    await (await spec.get_state(BuilderState)).load()
    await spec.load()
    return spec


async def builder_of(spec: SpecState) -> BuilderState:
    return await spec.get_state(BuilderState)


async def told(house: House, agent_id: AgentId) -> str:
    return (await draft_of(house.owner, agent_id)).spec.instructions


@pytest.mark.req("DOM-AGENT-04")
async def test_each_change_is_saved_and_header_and_problems_follow(house: House, agent_id: AgentId) -> None:
    spec = await opened(house.owner, agent_id)
    builder = await builder_of(spec)
    before = builder.revision
    await spec.set_instructions("Ask for {{policy}}.", before)
    assert await told(house, agent_id) == "Ask for {{policy}}."
    assert (builder.revision, builder.differs) == (before + 1, True)
    assert [(line.at, line.section, line.code) for line in builder.problems] == [
        ("instructions", "instructions", "variable_unknown")
    ]
    assert builder.flawed == ["instructions"]
    await spec.save_variable({"name": "policy", "description": "Its number", "default": "none"})
    assert builder.problems == []
    await spec.remove_variable("policy")
    assert builder.flawed == ["instructions"]


@pytest.mark.req("DOM-AGENT-04")
async def test_what_does_not_fit_is_told_beside_its_field_and_not_saved(
    house: House, agent_id: AgentId
) -> None:
    spec = await opened(house.owner, agent_id, "budget")
    before = await draft_of(house.owner, agent_id)
    await spec.set_cap("monthly_budget_micros", "twelve")
    await spec.set_cap("run_budget_micros", "-1")
    await spec.set_steps("101")
    await spec.set_number("temperature", "nan")
    await spec.set_schema("{")
    assert spec.problems == {
        "monthly_budget_micros": "number",
        "run_budget_micros": "out_of_range",
        "max_steps": "out_of_range",
        "temperature": "out_of_range",
        "output_schema": "json",
    }
    assert (await draft_of(house.owner, agent_id)).revision == before.revision
    await spec.set_cap("monthly_budget_micros", "12,5")
    await spec.set_number("temperature", "0.3")
    await spec.set_parallel("no")
    kept = (await draft_of(house.owner, agent_id)).spec
    assert kept.monthly_budget_micros == 12_500_000
    assert (kept.model_settings.temperature, kept.model_settings.parallel_tool_calls) == (0.3, False)
    await spec.set_number("temperature", "")
    assert (await draft_of(house.owner, agent_id)).spec.model_settings.temperature is None


@pytest.mark.req("DOM-AGENT-05")
async def test_without_unsaved_edits_the_new_draft_is_taken(house: House, agent_id: AgentId) -> None:
    builder = await builder_of(await opened(house.owner, agent_id))
    drawn = builder.renewed
    await builder.returned(False)
    assert builder.renewed == drawn
    theirs = await saved(house.people["builder"], agent_id, instructions="Theirs.")
    await builder.returned(False)
    assert (builder.revision, builder.renewed, builder.clash) == (theirs.revision, drawn + 1, None)


@pytest.mark.req("DOM-AGENT-05")
async def test_with_unsaved_edits_it_names_who_and_how_and_saves_nothing(
    house: House, agent_id: AgentId
) -> None:
    spec = await opened(house.owner, agent_id)
    builder = await builder_of(spec)
    await saved(house.people["builder"], agent_id, instructions="Theirs.", max_steps=7)
    await spec.set_instructions("Mine.", builder.revision)
    assert builder.clash is not None
    other = await draft_of(house.owner, agent_id)
    assert (builder.clash.person, builder.clash.how) == (other.changed_by, "typing")
    assert other.changed_by != ""
    await spec.set_instructions("Mine, longer.", builder.revision)
    assert await told(house, agent_id) == "Theirs."
    await builder.keep_mine()
    kept = (await draft_of(house.owner, agent_id)).spec
    assert (kept.instructions, kept.max_steps, builder.clash) == ("Mine, longer.", 7, None)
    await spec.set_instructions("Mine again.", builder.revision)
    assert await told(house, agent_id) == "Mine again."


@pytest.mark.req("DOM-AGENT-05")
async def test_reload_drops_the_own_edit(house: House, agent_id: AgentId) -> None:
    spec = await opened(house.owner, agent_id)
    builder = await builder_of(spec)
    await saved(house.people["builder"], agent_id, instructions="Theirs.")
    await spec.set_instructions("Mine.", builder.revision)
    await builder.take_theirs()
    await spec.load()
    assert (builder.clash, spec.instructions, await told(house, agent_id)) == (None, "Theirs.", "Theirs.")


@pytest.mark.req("DOM-AGENT-05")
async def test_words_typed_upon_an_older_draft_do_not_replace_a_newer_one(
    house: House, agent_id: AgentId
) -> None:
    spec = await opened(house.owner, agent_id)
    builder = await builder_of(spec)
    seen = builder.revision
    await saved(house.people["builder"], agent_id, instructions="Theirs.")
    await builder.returned(True)
    assert builder.clash is not None
    await builder.take_theirs()
    await spec.set_instructions("Typed before.", seen)
    assert builder.clash is not None
    assert await told(house, agent_id) == "Theirs."


@pytest.mark.req("DOM-AGENT-05")
async def test_own_saves_in_a_row_are_no_clash(house: House, agent_id: AgentId) -> None:
    spec = await opened(house.owner, agent_id)
    builder = await builder_of(spec)
    seen = builder.revision
    for text in ("One.", "One. Two.", "One. Two."):
        await spec.set_instructions(text, seen)
    await spec.set_steps("9")
    assert (builder.clash, await told(house, agent_id)) == (None, "One. Two.")


@pytest.mark.req("DOM-AGENT-13")
async def test_publishing_shows_changes_problems_and_environments(house: House, agent_id: AgentId) -> None:
    spec = await opened(house.owner, agent_id)
    builder = await builder_of(spec)
    await spec.set_instructions("Ask for {{policy}} and {{name}}.", builder.revision)
    await spec.set_model("")
    await builder.open_publish()
    assert [(line.at, line.code) for line in builder.problems] == [
        ("model_profile_id", "model_missing"),
        ("instructions", "variable_unknown"),
        ("instructions", "variable_unknown"),
    ]
    await builder.publish({"note": ""})
    assert (builder.published, builder.publishing) == (0, True)
    await spec.set_instructions("Be brief.", builder.revision)
    await spec.set_model(spec.models[0].id)
    await builder.publish({"note": "First"})
    assert (builder.published, builder.publishing, builder.differs) == (1, False, False)
    await spec.set_instructions("Be very brief.", builder.revision)
    await builder.open_publish()
    assert [(one.at, one.before, one.after) for one in builder.changes] == [
        ("instructions", "Be brief.", "Be very brief.")
    ]
    assert builder.moves == ["production"]


@pytest.mark.req("DOM-UI-08")
async def test_a_model_that_was_added_in_place_is_chosen(house: House, agent_id: AgentId) -> None:
    spec = await opened(house.owner, agent_id, "model")
    async with acting_as(house.owner) as tx:
        row = await models.create(tx, ModelCreate(name="Sea", provider="openai", model_name="sea-1"))
    await spec.take_model(str(row.id))
    assert ("Sea", True) in [(one.name, one.has_no_key) for one in spec.models]
    assert (await draft_of(house.owner, agent_id)).spec.model_profile_id == row.id


@pytest.mark.req("DOM-UI-07")
async def test_who_may_not_change_it_gets_no_draft(house: House, agent_id: AgentId) -> None:
    await published(house.owner, agent_id)
    builder = await builder_of(await opened(house.people["member"], agent_id))
    assert (builder.may_not, builder.revision, builder.problems) == (True, 0, [])
    nothing = page_state(BuilderState, f"/agents/edit?a={new_id()}", cookie=house.owner.cookie)
    await nothing.load()
    assert (nothing.missing, nothing.agent) == (True, None)
    with pytest.raises(NotFound):
        await change_draft(nothing, lambda spec: with_fields(spec, instructions="x"))


async def test_the_address_chooses_section_and_agent(house: House, agent_id: AgentId) -> None:
    builder = await builder_of(await opened(house.owner, agent_id, "budget"))
    assert builder.section == "budget"
    assert "s=model" in led_to(builder.open_section("model"))
    assert builder.open_section("elsewhere") is None
    visit(builder, f"/agents/edit?a={house.agent_id}&s=elsewhere&f=capabilities.charts")
    await builder.load()
    assert (builder.agent_id, builder.section, builder.marked) == (
        str(house.agent_id), "basics", "capabilities.charts",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at", "section"),
    [
        ("capabilities.charts.config.width", "toolbox"),
        ("model_settings.temperature", "model"),
        ("output_schema", "model"),
        ("run_budget_micros", "budget"),
        ("variables.0.name", "instructions"),
    ],
)
def test_each_place_of_a_spec_has_its_section(at: str, section: str) -> None:
    assert section_of(at) == section


async def test_the_shell_holds_nothing_of_the_spec(house: House, agent_id: AgentId) -> None:
    await saved(house.owner, agent_id, instructions="A long prompt. " * 3_000)
    builder = await builder_of(await opened(house.owner, agent_id))
    shown = {name: getattr(builder, name) for name in BuilderState.base_vars}
    assert len(json.dumps(shown, default=str)) < 5_000
