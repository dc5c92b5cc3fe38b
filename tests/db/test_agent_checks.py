"""What stands in the way of publishing, capabilities from a card, the starter and its model."""

import pytest
from pydantic import SecretStr

from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.contracts.spec import CapabilityBinding, read_spec
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound, NotPublishable
from agenticos_app.kernel.ids import AgentId, CapabilityRequestId, ModelProfileId, new_id
from agenticos_app.models import Agent, AgentVersion
from agenticos_app.schemas.agents import CapabilityAsk, Validation
from agenticos_app.schemas.models import ModelCreate
from agenticos_app.schemas.secrets import SecretCreate
from agenticos_app.security.access import AGENT, SECRET
from agenticos_app.services import (
    agent_versions,
    agents,
    models,
    more_capabilities,
    publishing,
    secrets,
    sharing,
    starter,
    templates,
)
from tests.building import card_of, draft_of, made, published, saved
from tests.fakes.capabilities import WEATHER, offering
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("builder", "member", "viewer"))


async def checked(person: Person, agent_id: AgentId, language: str = "en") -> Validation:
    async with acting_as(person) as tx:
        return await publishing.validate(tx, agent_id, language)


async def codes(person: Person, agent_id: AgentId) -> list[tuple[str, str]]:
    return [(one.at, one.code) for one in (await checked(person, agent_id)).problems]


@pytest.mark.req("DOM-AGENT-13", "DOM-AGENT-15", "DOM-AGENT-17", "DOM-AGENT-23")
async def test_all_problems_are_told_at_once_with_the_fields_that_a_form_can_mark(house: House) -> None:
    agent_id = await made(house.owner)
    bindings = [
        CapabilityBinding(id="no_such_thing"),
        CapabilityBinding(id="code_execution", config={"timeout_secs": 0}),
        CapabilityBinding(id="code_execution"),
        CapabilityBinding(id="attachments", tool_approval={"shout": "required"}),
    ]
    await saved(
        house.owner,
        agent_id,
        instructions="Be kind to {{nobody}}.",
        model_profile_id=None,
        capabilities=[one.model_dump() for one in bindings],
        output_schema={"type": "array"},
    )
    told = await checked(house.owner, agent_id)
    found = {(one.at, one.code) for one in told.problems}
    assert found >= {
        ("model_profile_id", "model_missing"),
        ("instructions", "variable_unknown"),
        ("capabilities.no_such_thing", "capability_unknown"),
        ("capabilities.code_execution", "capability_twice"),
        ("capabilities.code_execution.config.timeout_secs", "config"),
        ("capabilities.attachments.tool_approval.shout", "tool_unknown"),
        ("output_schema", "output_schema_no_object"),
    }
    assert {(one.field, one.message) for one in told.fields} == found
    assert all(one.text and "{{" not in one.text for one in told.problems)
    polish = await checked(house.owner, agent_id, "pl")
    assert "Wybierz model dla agenta." in {one.text for one in polish.problems}
    async with acting_as(house.owner) as tx:
        with pytest.raises(NotPublishable) as refusal:
            await publishing.publish(tx, agent_id, publishing.Publish())
    assert len(refusal.value.fields) == len(told.problems)
    assert (await card_of(house.owner, agent_id)).latest_version == 0


@pytest.mark.req("DOM-AGENT-23")
@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "object", "properties": {"total": {"type": "number"}}}, ""),
        ({"type": "object", "$defs": {"a": {}}, "properties": {"x": {"$ref": "#/$defs/a"}}}, ""),
        ({"type": "object", "properties": {"total": {"type": "numeral"}}}, "output_schema_invalid"),
        ({"type": "object", "properties": {"x": {"$ref": "#/$defs/none"}}}, "output_schema_invalid"),
        ({"type": "object", "properties": {"x": {"$ref": "http://10.0.0.1/x"}}}, "output_schema_elsewhere"),
        ({"properties": {}}, "output_schema_no_object"),
        ({"type": ["object", "null"]}, "output_schema_no_object"),
        ({"type": "object", "description": "ż" * 8_192}, "output_schema_too_long"),
    ],
)
async def test_an_answers_schema_describes_an_object(
    house: House, schema: dict[str, object], code: str
) -> None:
    agent_id = await made(house.owner)
    await saved(house.owner, agent_id, output_schema=schema)
    assert await codes(house.owner, agent_id) == ([("output_schema", code)] if code else [])


@pytest.mark.req("DOM-AGENT-18", "DOM-PERM-20", "DOM-SECRET-10")
async def test_a_key_is_there_is_the_publishers_to_use_and_is_for_the_service(house: House) -> None:
    builder, agent_id = house.people["builder"], await made(house.owner)
    other = await build_house("Elsewhere", roles=())
    value = ApiKey(api_key=SecretStr("a-key-of-many-letters"))
    async with acting_as(house.owner) as tx:
        brave = await secrets.create(tx, SecretCreate(name="Brave", purpose="brave", value=value))
        tavily = await secrets.create(tx, SecretCreate(name="Tavily", purpose="tavily", value=value))
    async with acting_as(other.owner) as tx:
        foreign = await secrets.create(
            tx, SecretCreate(name="Theirs", purpose="brave", visibility="org", value=value)
        )

    async def problem(person: Person, secret_id: object, source: str = "paid") -> list[tuple[str, str]]:
        binding = {"id": "weather", "config": {"source": source}, "secret_id": secret_id}
        await saved(house.owner, agent_id, capabilities=[binding])
        return await codes(person, agent_id)

    at = "capabilities.weather.secret_id"
    with offering(WEATHER):
        assert await problem(house.owner, None) == [(at, "key_missing")]
        assert await problem(house.owner, new_id()) == [(at, "key_unknown")]
        assert await problem(house.owner, foreign.id) == [(at, "key_unknown")]
        assert await problem(house.owner, tavily.id) == [(at, "key_purpose")]
        assert await problem(house.owner, brave.id, "free") == [(at, "key_unused")]
        assert await problem(house.owner, brave.id) == []
        assert await problem(builder, brave.id) == [(at, "key_unknown")]
        words = {one.text for one in (await checked(builder, agent_id)).problems}
        await problem(builder, new_id())
        assert {one.text for one in (await checked(builder, agent_id)).problems} == words
        async with acting_as(house.owner) as tx:
            await sharing.share(tx, SECRET, brave.id, builder.user_id, "read")
        assert await problem(builder, brave.id) == [(at, "key_unknown")]
        async with acting_as(house.owner) as tx:
            await sharing.share(tx, SECRET, brave.id, builder.user_id, "use")
        assert await problem(builder, brave.id) == []
        await published(builder, agent_id)


@pytest.mark.req("DOM-AGENT-15")
async def test_what_is_chosen_elsewhere_stays_out_of_drafts(house: House) -> None:
    agent_id = await made(house.owner)
    draft = await saved(house.owner, agent_id, capabilities=[{"id": "channel_tools"}, {"id": "attachments"}])
    assert [one.id for one in draft.spec.capabilities] == ["attachments"]


async def enabled(person: Person, agent_id: AgentId, capability: str) -> int:
    async with acting_as(person) as tx:
        return (await more_capabilities.enable_capability(tx, agent_id, capability)).published_version


@pytest.mark.req("CAP-REG-16", "CAP-REG-20", "CAP-REG-22", "CAP-REG-23")
async def test_a_capability_of_a_card_is_published_at_once_or_waits(house: House) -> None:
    agent_id = await made(house.owner)
    await saved(house.owner, agent_id, capabilities=[])
    assert await enabled(house.owner, agent_id, "attachments") == 0  # nothing was published yet
    await published(house.owner, agent_id)
    assert await enabled(house.owner, agent_id, "clock") == 2
    draft = await draft_of(house.owner, agent_id)
    as_starter = {one.id: one for one in templates.STARTER.spec.capabilities}
    assert draft.spec.capabilities == (as_starter["attachments"], as_starter["clock"])
    assert (draft.how, draft.differs) == ("card", False)
    assert await enabled(house.owner, agent_id, "clock") == 0
    await saved(house.owner, agent_id, instructions="Unpublished")
    assert await enabled(house.owner, agent_id, "code_execution") == 0
    async with acting_as(house.owner) as tx:
        live = await agent_versions.get_version(tx, agent_id, 2)
    assert {one.id for one in live.spec.capabilities} == {"attachments", "clock"}
    assert (await draft_of(house.owner, agent_id)).spec.instructions == "Unpublished"


@pytest.mark.req("CAP-REG-22", "CAP-REG-23")
async def test_who_may_edit_and_not_publish_leaves_it_in_the_draft(house: House) -> None:
    member = house.people["member"]
    agent_id = await made(member)
    await saved(member, agent_id, capabilities=[])
    await published(house.owner, agent_id)
    card = await card_of(member, agent_id)
    assert (card.can_edit, card.can_publish) == (True, False)
    assert await enabled(member, agent_id, "clock") == 0
    assert (await draft_of(member, agent_id)).differs
    with pytest.raises(Forbidden):
        await enabled(house.people["viewer"], agent_id, "clock")


@pytest.mark.req("CAP-REG-21")
async def test_a_card_passes_the_checks_of_publication(house: House) -> None:
    agent_id = await made(house.owner)
    await published(house.owner, agent_id)
    with offering(WEATHER, granted=()), pytest.raises(NotPublishable) as refusal:
        await enabled(house.owner, agent_id, "weather")
    problems = str(refusal.value.details["problems"])
    assert "scope_missing" in problems
    assert (await draft_of(house.owner, agent_id)).revision == 1
    with pytest.raises(InvalidInput):
        await enabled(house.owner, agent_id, "no_such_thing")
    await saved(
        house.owner,
        agent_id,
        capabilities=[{"id": "code_execution", "enabled": False, "config": {"timeout_secs": 3}}],
    )
    await published(house.owner, agent_id)
    assert await enabled(house.owner, agent_id, "code_execution") == 3
    (binding,) = (await draft_of(house.owner, agent_id)).spec.capabilities
    assert (binding.enabled, binding.config) == (True, {"timeout_secs": 3})


@pytest.mark.req("CAP-REG-24")
async def test_who_may_not_edit_asks_the_owner(house: House) -> None:
    viewer, agent_id = house.people["viewer"], await made(house.owner)
    await saved(house.owner, agent_id, capabilities=[])

    async def ask(person: Person, capability: str, reason: str) -> None:
        async with acting_as(person) as tx:
            await more_capabilities.ask_for(
                tx, agent_id, CapabilityAsk(capability_id=capability, reason=reason)
            )

    await ask(viewer, "clock", "Deadlines")
    await ask(viewer, "clock", "Deadlines depend on the day")
    await ask(house.people["member"], "attachments", "")
    with pytest.raises(InvalidInput):
        await ask(viewer, "no_such_thing", "")
    async with acting_as(house.owner) as tx:
        rows = await more_capabilities.requests(tx, agent_id)
    assert [(one.capability_id, one.person, one.reason) for one in rows] == [
        ("attachments", house.people["member"].name, ""),
        ("clock", viewer.name, "Deadlines depend on the day"),
    ]
    async with acting_as(viewer) as tx:
        with pytest.raises(Forbidden):
            await more_capabilities.requests(tx, agent_id)
    await enabled(house.owner, agent_id, "clock")
    with pytest.raises(Conflict):
        await ask(viewer, "clock", "Again")
    async with acting_as(house.owner) as tx:
        (left,) = await more_capabilities.requests(tx, agent_id)
        await more_capabilities.dismiss(tx, agent_id, CapabilityRequestId(left.id))
        assert await more_capabilities.requests(tx, agent_id) == []
        with pytest.raises(NotFound):
            await more_capabilities.dismiss(tx, agent_id, CapabilityRequestId(left.id))


@pytest.mark.req("DOM-AGENT-31", "DOM-MODEL-03", "CAP-REG-14")
async def test_a_new_organization_has_a_published_agent_with_a_chosen_model(house: House) -> None:
    card = await card_of(house.owner, AgentId(house.agent_id))
    assert (card.slug, card.name, card.status, card.live_version) == (
        "getting-started", starter.NAME, "published", 1,
    )  # fmt: skip
    assert (card.model_label, card.model_problem, card.draft_differs) == ("Practice model", "", False)
    draft = await draft_of(house.owner, AgentId(house.agent_id))
    async with acting_as(house.owner) as tx:
        assert draft.spec.model_profile_id == await models.suggested(tx)
    assert draft.spec.capabilities == templates.STARTER.spec.capabilities
    assert await codes(house.owner, AgentId(house.agent_id)) == []


async def chosen(person: Person, name: str) -> ModelProfileId:
    async with acting_as(person) as tx:
        profile = await models.create(tx, ModelCreate(name=name, provider="openai", model_name="sea-1"))
        await models.make_default(tx, ModelProfileId(profile.id))
        return ModelProfileId(profile.id)


@pytest.mark.req("DOM-MODEL-03")
async def test_no_model_is_swapped_underneath_an_agent(house: House) -> None:
    mine = await made(house.owner, "Mine")
    await published(house.owner, mine)
    before = (await draft_of(house.owner, mine)).spec.model_profile_id
    sea = await chosen(house.owner, "Sea")
    assert (await card_of(house.owner, mine)).model_label == "Practice model"
    assert (await draft_of(house.owner, mine)).spec.model_profile_id == before
    assert (await draft_of(house.owner, await made(house.owner, "Next"))).spec.model_profile_id == sea
    starter_id = AgentId(house.agent_id)
    card = await card_of(house.owner, starter_id)
    assert (card.model_label, card.live_version, card.draft_differs) == ("Sea", 2, False)
    await saved(house.owner, starter_id, instructions="Made my own.")
    lake = await chosen(house.owner, "Lake")
    card = await card_of(house.owner, starter_id)
    assert (card.model_label, card.live_version) == ("Sea", 2)
    assert (await draft_of(house.owner, starter_id)).spec.model_profile_id == sea != lake
    await published(house.owner, starter_id)
    await chosen(house.owner, "River")
    assert (await card_of(house.owner, starter_id)).model_label == "Sea"


@pytest.mark.req("DOM-AGENT-30")
async def test_templates_are_drafts_to_finish_and_can_be_published_here(house: House) -> None:
    for language in ("en", "pl"):
        rows = templates.gallery(language)
        assert len({row.name for row in rows}) == len({row.description for row in rows}) == len(rows) >= 8
        assert len({row.industry_name for row in rows}) >= 8
    english, polish = templates.gallery("en"), templates.gallery("pl")
    assert all(a.description != b.description for a, b in zip(english, polish, strict=True))
    for row in english:
        agent_id = await made(house.owner, row.name + " desk", template=row.id)
        card = await card_of(house.owner, agent_id)
        assert (card.status, card.can_run) == ("draft", False)
        draft = await draft_of(house.owner, agent_id)
        assert [one.id for one in draft.spec.enabled] == row.capabilities
        assert await codes(house.owner, agent_id) == []
    with pytest.raises(NotFound):
        await made(house.owner, "Other", template="no_such_template")


@pytest.mark.req("DOM-AGENT-01")
async def test_versions_are_rows_that_hold_a_copy(house: House) -> None:
    agent_id = await made(house.owner)
    row = await published(house.owner, agent_id)
    async with acting_as(house.owner) as tx:
        agent, version = await tx.session.get(Agent, agent_id), await tx.session.get(AgentVersion, row.id)
        assert agent is not None
        assert version is not None
        assert (agent.live_version_id, version.agent_id) == (version.id, agent.id)
        assert read_spec(version.spec) == read_spec(agent.draft)
        await sharing.share(tx, AGENT, agent_id, house.people["viewer"].user_id, "edit")
        assert agents.may_create(tx)
