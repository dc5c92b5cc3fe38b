"""The catalogue of agents: what cards say, who sees which, how they are narrowed."""

import pytest
from pydantic import ValidationError

from agenticos_app.errors import NotFound
from agenticos_app.kernel.ids import AgentId, ModelProfileId, new_id
from agenticos_app.models import Agent, AgentVersion
from agenticos_app.schemas.agents import AgentCard, AgentChange
from agenticos_app.schemas.models import ModelChange, ModelCreate
from agenticos_app.security.access import AGENT
from agenticos_app.services import agent_life, agents, drafts, models, runs, sharing
from agenticos_app.services.agents import list_cards
from tests.building import card_of, draft_of, made, published, saved
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("builder", "member", "viewer"))


async def names(person: Person, **filters: object) -> list[str]:
    async with acting_as(person) as tx:
        return [card.name for card in (await list_cards(tx, **filters)).rows]  # pyright: ignore[reportArgumentType]


@pytest.mark.req("DOM-AGENT-29")
async def test_labels_are_normalised_counted_and_narrow_the_list(house: House) -> None:
    ids = {name: await made(house.owner, name) for name in ("Claims", "Refunds", "Forecast")}
    wanted = {
        "Claims": (["  Customer   Service ", "customer service"], ["EU", "urgent"]),
        "Refunds": (["Finance"], ["eu"]),
        "Forecast": (["finance"], ["weekly"]),
    }
    for name, (categories, tags) in wanted.items():
        async with acting_as(house.owner) as tx:
            card = await agents.change(tx, ids[name], AgentChange(categories=categories, tags=tags))
    assert (card.categories, card.tags, card.latest_version) == (["finance"], ["weekly"], 0)
    assert (await card_of(house.owner, ids["Claims"])).categories == ["customer service"]
    assert await names(house.owner, categories=["Finance", "customer service"]) == [
        "Forecast",
        "Refunds",
        "Claims",
    ]
    assert await names(house.owner, categories=["finance"], tags=["EU", "urgent"]) == ["Refunds"]
    assert await names(house.owner, categories=["finance"], tags=["none"]) == []
    async with acting_as(house.owner) as tx:
        counted = await agents.labels(tx)
    assert [(one.label, one.agents) for one in counted.categories] == [
        ("finance", 2),
        ("customer service", 1),
    ]
    for wrong in (
        {"categories": ["x"] * 11},
        {"tags": ["x"] * 21},
        {"tags": ["x" * 33]},
        {"tags": [" "]},
        {"tags": ["a\u202eb"]},
    ):
        with pytest.raises(ValidationError):
            AgentChange.model_validate(wrong)


async def test_the_list_is_narrowed_and_comes_in_pages(house: House) -> None:
    builder = house.people["builder"]
    live = await made(house.owner, "Live 100%")
    await published(house.owner, live)
    await made(builder, "Theirs")
    private = await made(house.owner, "Private", visibility="private")
    gone = await made(house.owner, "Gone")
    async with acting_as(house.owner) as tx:
        await sharing.share(tx, AGENT, private, builder.user_id, "read")
        await agent_life.archive(tx, gone)
    assert await names(house.owner) == ["Private", "Theirs", "Live 100%", "Assistant"]
    assert await names(house.owner, status="published") == ["Live 100%", "Assistant"]
    assert await names(house.owner, status="draft") == ["Private", "Theirs"]
    assert await names(house.owner, status="archived") == ["Gone"]
    assert await names(house.owner, mine=True) == ["Private", "Live 100%", "Assistant"]
    assert await names(builder, shared=True) == ["Private"]
    assert await names(house.people["member"]) == ["Theirs", "Live 100%", "Assistant"]
    for search in ("100%", "LIVE", "live-100"):
        assert await names(house.owner, search=search) == ["Live 100%"]
    assert await names(house.owner, search="_") == []
    found: list[AgentCard] = []
    cursor = ""
    async with acting_as(house.owner) as tx:
        for _ in range(4):
            page = await list_cards(tx, cursor=cursor, limit=1)
            found += page.rows
            cursor = page.next_cursor
    assert ([one.name for one in found], cursor) == (["Private", "Theirs", "Live 100%", "Assistant"], "")


@pytest.mark.req("DOM-AGENT-34", "DOM-PERM-14")
async def test_a_card_says_who_may_what(house: House) -> None:
    viewer, member = house.people["viewer"], house.people["member"]
    everyone = await made(house.owner, "Everyone's")
    mine = await made(house.owner, "Mine", visibility="private")
    chosen = await made(
        house.owner, "Chosen", visibility="private", user_ids=[str(viewer.user_id), str(member.user_id)]
    )
    for agent_id in (everyone, mine, chosen):
        await published(house.owner, agent_id)
    audiences = [(await card_of(house.owner, one)).audience for one in (everyone, mine, chosen)]
    assert audiences == ["everyone", "me", "people"]
    assert (await card_of(house.owner, everyone)).visibility == "org"
    theirs = await card_of(viewer, chosen)
    assert (theirs.can_run, theirs.can_edit, theirs.can_publish, theirs.is_mine) == (
        True,
        False,
        False,
        False,
    )
    seen = await card_of(viewer, everyone)
    assert (seen.can_run, seen.can_edit) == (False, False)
    with pytest.raises(NotFound):
        await card_of(member, mine)
    with pytest.raises(NotFound):
        await made(house.owner, "For a stranger", user_ids=[str(new_id())])
    assert "For a stranger" not in await names(house.owner)


@pytest.mark.req("DOM-AGENT-34", "DOM-MODEL-04")
async def test_a_card_names_the_published_model_its_window_and_what_is_wrong_with_it(house: House) -> None:
    async with acting_as(house.owner) as tx:
        profile = await models.create(
            tx, ModelCreate(name="Sea", provider="openai", model_name="sea-1", context_length=8_000)
        )
    agent_id = await made(house.owner)
    await saved(house.owner, agent_id, model_profile_id=None)
    assert (await card_of(house.owner, agent_id)).model_problem == "none"
    await saved(house.owner, agent_id, model_profile_id=profile.id)
    await published(house.owner, agent_id)
    await saved(house.owner, agent_id, model_profile_id=None)
    card = await card_of(house.owner, agent_id)
    assert (card.model_label, card.model_problem, card.context_length) == ("Sea", "no_key", 8_000)
    async with acting_as(house.owner) as tx:
        change = ModelChange(name="Lake", context_length=16_000)
        await models.change(tx, ModelProfileId(profile.id), change)
    card = await card_of(house.owner, agent_id)
    assert (card.model_label, card.context_length, card.live_version) == ("Lake", 16_000, 1)
    async with acting_as(house.owner) as tx:
        await models.delete(tx, ModelProfileId(profile.id))
    assert (await card_of(house.owner, agent_id)).model_problem == "gone"


@pytest.mark.req("DOM-AGENT-28")
async def test_what_was_stored_in_the_first_format_still_loads_and_is_stamped_when_published(
    house: House,
) -> None:
    first = {
        "format": 1,
        "instructions": "Of the first format.",
        "model_profile_id": None,
        "capabilities": [{"id": "attachments", "config": {}}],
        "monthly_budget_micros": 2_000_000,
        "run_budget_micros": None,
        "max_steps": 40,
    }
    async with acting_as(house.owner) as tx:
        agent = await tx.session.get(Agent, house.agent_id)
        version = await tx.session.get(AgentVersion, house.version_id)
        assert agent is not None
        assert version is not None
        agent.draft = version.spec = first
    agent_id = AgentId(house.agent_id)
    card = await card_of(house.owner, agent_id)
    assert (card.draft_differs, card.monthly_budget_usd, card.model_label) == (False, "2", "Practice model")
    draft = await draft_of(house.owner, agent_id)
    assert (draft.spec.format, draft.spec.max_steps, draft.spec.instructions) == (
        2,
        40,
        "Of the first format.",
    )
    async with acting_as(house.owner) as tx:
        same = drafts.DraftChange(revision=draft.revision, spec=draft.spec)
        assert not (await drafts.save(tx, agent_id, same)).differs
    assert not (await card_of(house.owner, agent_id)).draft_differs
    async with acting_as(house.owner) as tx:
        started = await runs.start(tx, agent_id, runs.Ask(prompt="Hello"))
        assert (await runs.get_run(tx, runs.RunId(started.run_id))).version == 1
        suggested = await models.suggested(tx)
    await saved(house.owner, agent_id, model_profile_id=suggested)
    assert (await published(house.owner, agent_id)).number == 2
    async with acting_as(house.owner) as tx:
        agent = await tx.session.get(Agent, house.agent_id)
        assert agent is not None
        stored = await tx.session.get(AgentVersion, agent.live_version_id)
        assert stored is not None
        assert stored.spec["format"] == 2


@pytest.mark.req("DOM-AGENT-36")
def test_the_spec_says_neither_where_an_agent_runs_nor_who_may_use_it() -> None:
    from agenticos_app.contracts.spec import AgentSpec

    words = ("surface", "trigger", "owner", "visibility", "share", "grant", "channel", "avatar", "tag")
    assert [name for name in AgentSpec.model_fields if any(word in name for word in words)] == []
