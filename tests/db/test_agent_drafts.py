"""The life of one agent: begun as a draft, saved, published, listed."""

import asyncio

import pytest
from pydantic import ValidationError

from agenticos_app.contracts.spec import CapabilityBinding
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound, NotPublishable, TooLarge
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.schemas.agents import AgentCreate, DraftChange, Publish
from agenticos_app.services import agent_versions, agents, drafts, models, publishing, templates
from tests.building import draft_of, made, published, saved
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("builder", "member", "viewer"))


@pytest.mark.req("DOM-AGENT-02", "DOM-AGENT-06", "CAP-REG-14", "DOM-MODEL-03")
async def test_a_new_agent_is_a_draft_that_begins_as_the_starter(house: House) -> None:
    agent_id = await made(house.owner)
    draft = await draft_of(house.owner, agent_id)
    async with acting_as(house.owner) as tx:
        card = await agents.get_agent(tx, agent_id)
        suggested = await models.suggested(tx)
    starter = templates.STARTER.spec
    assert (card.status, card.live_version, card.can_run, card.draft_differs) == ("draft", 0, False, True)
    assert draft.spec == starter.model_copy(update={"model_profile_id": suggested})
    assert suggested is not None
    for rule in ("Answer first", "Invent nothing", "Cite what you looked up", "Stop before you destroy"):
        assert rule in draft.spec.instructions
    emptied = await saved(house.owner, agent_id, instructions="Be brief.", capabilities=())
    assert (emptied.spec.instructions, emptied.spec.capabilities) == ("Be brief.", ())


@pytest.mark.req("DOM-AGENT-03")
async def test_the_handle_is_made_of_the_first_name_and_stays(house: House) -> None:
    async with acting_as(house.owner) as tx:
        card = await agents.create(tx, AgentCreate(name="  Claims & Returns Desk "))
        assert card.slug == "claims-returns-desk"
        changed = await agents.change(tx, AgentId(card.id), agents.AgentChange(name="Returns"))
        assert (changed.name, changed.slug) == ("Returns", "claims-returns-desk")
        for name in ("all", "Channel", "HERE", "everyone"):
            made = await agents.create(tx, AgentCreate(name=name))
            assert made.slug == f"{name.lower()}-agent"
        long = await agents.create(tx, AgentCreate(name="word " * 25))
        assert len(long.slug) <= 64
    with pytest.raises(Conflict) as refusal:
        await made_again(house.owner)
    assert refusal.value.details == {"reason": "slug_taken", "slug": "claims-returns-desk"}


async def made_again(person: Person) -> None:
    await made(person, "Claims returns desk")


@pytest.mark.req("DOM-AGENT-04")
async def test_saving_checks_the_shape_and_nothing_that_is_referred_to(house: House) -> None:
    agent_id = await made(house.owner)
    unknown = CapabilityBinding(id="no_such_thing", config={"any": "thing"})
    draft = await saved(house.owner, agent_id, model_profile_id=new_id(), capabilities=[unknown.model_dump()])
    assert draft.spec.capabilities == (unknown,)
    assert draft.revision == 2
    for wrong in ({"colour": "red"}, {"capabilities": [{"id": "x", "colour": "red"}]}):
        with pytest.raises(ValidationError, match="extra_forbidden"):
            DraftChange.model_validate({"revision": 2, "spec": wrong})
    same = await saved(house.owner, agent_id)
    assert same.revision == 2


@pytest.mark.req("DOM-AGENT-05")
async def test_who_has_not_seen_the_last_change_is_told_who_made_it_and_how(house: House) -> None:
    agent_id = await made(house.owner)
    seen = await draft_of(house.owner, agent_id)
    theirs = await saved(house.people["builder"], agent_id, instructions="Theirs")
    mine = DraftChange(revision=seen.revision, spec=seen.spec.model_copy(update={"instructions": "Mine"}))
    async with acting_as(house.owner) as tx:
        with pytest.raises(Conflict) as refusal:
            await drafts.save(tx, agent_id, mine)
    assert refusal.value.details == {
        "reason": "draft_changed",
        "revision": theirs.revision,
        "changed_by": house.people["builder"].name,
        "changed_at": theirs.changed_at,
        "how": "typing",
    }
    assert (await draft_of(house.owner, agent_id)).spec.instructions == "Theirs"


async def test_a_draft_has_a_size_and_a_depth(house: House) -> None:
    agent_id = await made(house.owner)
    deep: object = "end"
    for _ in range(40):
        deep = [deep]
    with pytest.raises(InvalidInput):
        await saved(house.owner, agent_id, output_schema={"x": deep})
    many = [{"id": f"c{n}", "config": {"text": "x" * 10_000}} for n in range(60)]
    with pytest.raises(TooLarge):
        await saved(house.owner, agent_id, capabilities=many)
    kept = await saved(house.owner, agent_id, instructions="a\x00b")
    assert kept.spec.instructions == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.req("DOM-AGENT-01", "DOM-AGENT-02", "DOM-AGENT-07", "DOM-AGENT-34")
async def test_publishing_freezes_numbered_versions(house: House) -> None:
    agent_id = await made(house.owner)
    await saved(house.owner, agent_id, instructions="One", monthly_budget_micros=5_000_000)
    first = await published(house.owner, agent_id, "the first")
    assert (first.number, first.note, first.is_live, first.environments) == (
        1,
        "the first",
        True,
        ["production"],
    )
    assert first.published_by == house.owner.name
    async with acting_as(house.owner) as tx:
        card = await agents.get_agent(tx, agent_id)
    assert (card.status, card.live_version, card.draft_differs, card.can_run) == ("published", 1, False, True)
    assert (card.monthly_budget_usd, card.model_label) == ("5", "Practice model")
    await saved(house.owner, agent_id, instructions="Two")
    async with acting_as(house.owner) as tx:
        assert (await agents.get_agent(tx, agent_id)).draft_differs
        assert (await agent_versions.get_version(tx, agent_id, 1)).spec.instructions == "One"
    second = await published(house.owner, agent_id)
    assert (second.number, second.is_live) == (2, True)
    async with acting_as(house.owner) as tx:
        page = await agent_versions.list_versions(tx, agent_id, limit=1)
        assert [row.number for row in page.rows] == [2]
        rest = await agent_versions.list_versions(tx, agent_id, cursor=page.next_cursor, limit=1)
        assert ([row.number for row in rest.rows], rest.next_cursor) == ([1], "")
        assert (await agent_versions.get_version(tx, agent_id, 1)).spec.instructions == "One"


@pytest.mark.req("DOM-AGENT-07")
async def test_two_who_publish_at_once_get_different_numbers(house: House) -> None:
    agent_id = await made(house.owner)
    rows = await asyncio.gather(*(published(house.owner, agent_id) for _ in range(5)))
    assert sorted(row.number for row in rows) == [1, 2, 3, 4, 5]


@pytest.mark.req("DOM-AGENT-14", "DOM-MODEL-03")
async def test_a_model_must_be_chosen_and_be_the_organizations(house: House) -> None:
    other = await build_house("Elsewhere", roles=())
    async with acting_as(other.owner) as tx:
        foreign = await models.suggested(tx)
    agent_id = await made(house.owner)
    for profile_id, code in (
        (None, "model_missing"),
        (new_id(), "model_unknown"),
        (foreign, "model_unknown"),
    ):
        await saved(house.owner, agent_id, model_profile_id=profile_id)
        with pytest.raises(NotPublishable) as refusal:
            await published(house.owner, agent_id)
        assert refusal.value.details["fields"] == [{"field": "model_profile_id", "message": code}]
        (problem,) = refusal.value.details["problems"]  # pyright: ignore[reportGeneralTypeIssues]
        assert (problem["at"], problem["code"]) == ("model_profile_id", code)
        assert "model" in problem["text"]
        async with acting_as(house.owner) as tx:
            told = await publishing.validate(tx, agent_id)
        assert [one.code for one in told.problems] == [code]
    async with acting_as(house.owner) as tx:
        assert (await agents.get_agent(tx, agent_id)).status == "draft"


async def test_a_draft_that_was_not_read_is_not_published(house: House) -> None:
    agent_id = await made(house.owner)
    seen = await draft_of(house.owner, agent_id)
    await saved(house.owner, agent_id, instructions="Later")
    async with acting_as(house.owner) as tx:
        with pytest.raises(Conflict):
            await publishing.publish(tx, agent_id, Publish(revision=seen.revision))


async def test_who_may_what(house: House) -> None:
    agent_id = await made(house.owner)
    for role, create in (("viewer", False), ("member", True), ("builder", True)):
        async with acting_as(house.people[role]) as tx:
            assert agents.may_create(tx) == create
    with pytest.raises(Forbidden):
        await made(house.people["viewer"], "Other")
    for act in (published(house.people["member"], agent_id), saved(house.people["member"], agent_id)):
        with pytest.raises(Forbidden):
            await act
    private = await made(house.owner, "Private", visibility="private")
    with pytest.raises(NotFound):
        await draft_of(house.people["member"], private)
