"""Environments, rollback, archive, copies and the end of agents."""

from uuid import UUID

import pytest
from pydantic import SecretStr, ValidationError
from sqlalchemy import text

from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound, NotPublishable
from agenticos_app.kernel.ids import AgentId, EnvironmentId, SecretId, UserId, new_id
from agenticos_app.models import Agent, Run
from agenticos_app.schemas.agents import (
    EnvironmentChange,
    EnvironmentCreate,
    EnvironmentRow,
    Publish,
    Rollback,
)
from agenticos_app.schemas.runs import Ask
from agenticos_app.schemas.secrets import SecretCreate
from agenticos_app.security.access import AGENT
from agenticos_app.services import (
    agent_life,
    agent_versions,
    agents,
    environments,
    models,
    organizations,
    publishing,
    runs,
    secrets,
    sharing,
)
from agenticos_app.services.work import system_work
from tests.building import card_of, draft_of, made, published, saved
from tests.world import House, Person, acting_as, build_house, past_run

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("admin", "builder", "member", "viewer"))


async def of(person: Person, agent_id: AgentId) -> dict[str, EnvironmentRow]:
    async with acting_as(person) as tx:
        return {row.name: row for row in await environments.list_environments(tx, agent_id)}


async def with_versions(person: Person, count: int) -> AgentId:
    agent_id = await made(person)
    for number in range(1, count + 1):
        await saved(person, agent_id, instructions=f"Version {number}")
        await published(person, agent_id)
    return agent_id


async def add(person: Person, agent_id: AgentId, name: str, **more: object) -> EnvironmentRow:
    async with acting_as(person) as tx:
        body = EnvironmentCreate.model_validate({"name": name, **more})
        return await environments.create(tx, agent_id, body)


async def actions(house: House, target: UUID) -> list[tuple[str, dict[str, object]]]:
    query = text(
        "SELECT action, details FROM audit_entries WHERE organization_id = :house"
        " AND (target_id = :target OR details->>'agent_id' = :named) ORDER BY created_at, id"
    )
    async with system_work() as tx:
        wanted = {"house": house.id, "target": target, "named": str(target)}
        return [(row[0], row[1]) for row in (await tx.session.execute(query, wanted)).all()]


@pytest.mark.req("DOM-AGENT-10", "DOM-AGENT-11")
async def test_environments_point_to_versions_and_publishing_moves_those_that_follow(house: House) -> None:
    agent_id = await made(house.owner)
    with pytest.raises(Conflict) as refusal:
        await add(house.owner, agent_id, "staging")
    assert refusal.value.details["reason"] == "not_published"
    await published(house.owner, agent_id)
    first = (await of(house.owner, agent_id))["production"]
    assert (first.version, first.is_default, first.behind_by) == (1, True, 0)
    staging = await add(house.owner, agent_id, "staging", version=1)
    assert (staging.is_default, staging.tracks_latest) == (False, False)
    await add(house.owner, agent_id, "nightly", tracks_latest=True)
    await saved(house.owner, agent_id, instructions="Two")
    await published(house.owner, agent_id)
    found = await of(house.owner, agent_id)
    assert {name: (row.version, row.behind_by) for name, row in found.items()} == {
        "production": (2, 0),
        "nightly": (2, 0),
        "staging": (1, 1),
    }
    with pytest.raises(InvalidInput):
        await add(house.owner, agent_id, "staging")
    with pytest.raises(NotFound):
        await add(house.owner, agent_id, "other", version=9)
    for wrong in ("Staging", "-x", "", "a" * 65, "a b"):
        with pytest.raises(ValidationError):
            EnvironmentCreate(name=wrong)


@pytest.mark.req("DOM-AGENT-11")
async def test_promotion_repoints_and_the_default_is_what_an_unnamed_door_runs(house: House) -> None:
    agent_id = await with_versions(house.owner, 3)
    production = (await of(house.owner, agent_id))["production"]
    async with acting_as(house.owner) as tx:
        await environments.promote(tx, agent_id, EnvironmentId(production.id), 2)
    assert (await card_of(house.owner, agent_id)).live_version == 2
    assert (await of(house.owner, agent_id))["production"].behind_by == 1
    async with acting_as(house.owner) as tx:
        started = await runs.start(tx, agent_id, Ask(prompt="Hello"))
        run = await tx.session.get(Run, started.run_id)
        second = await agent_versions.get_version(tx, agent_id, 2)
        assert run is not None
        assert run.version_id == second.id
        with pytest.raises(Conflict) as refusal:
            await environments.delete(tx, agent_id, EnvironmentId(production.id))
    assert refusal.value.details["reason"] == "default_environment"
    assert "is_default" not in EnvironmentChange.model_fields
    assert ("environment.promoted", "2") in [
        (action, str(told.get("version"))) for action, told in await actions(house, agent_id)
    ]


@pytest.mark.req("DOM-AGENT-11")
async def test_an_environment_that_stops_following_stays_where_it_is(house: House) -> None:
    agent_id = await with_versions(house.owner, 1)
    production = (await of(house.owner, agent_id))["production"]
    async with acting_as(house.owner) as tx:
        await environments.change(
            tx, agent_id, EnvironmentId(production.id), EnvironmentChange(tracks_latest=False)
        )
    await saved(house.owner, agent_id, instructions="Two")
    second = await published(house.owner, agent_id)
    assert (second.is_live, second.is_latest, second.environments) == (False, True, [])
    card = await card_of(house.owner, agent_id)
    assert (card.live_version, card.latest_version, card.draft_differs) == (1, 2, False)


@pytest.mark.req("DOM-AGENT-10", "DOM-AGENT-12")
async def test_a_run_may_name_an_environment_of_its_agent_alone(house: House) -> None:
    agent_id = await with_versions(house.owner, 2)
    staging = await add(house.owner, agent_id, "staging", version=1)
    async with acting_as(house.owner) as tx:
        first = await agent_versions.get_version(tx, agent_id, 1)
        started = await runs.start(tx, agent_id, Ask(prompt="Hello", environment_id=staging.id))
        run = await tx.session.get(Run, started.run_id)
        assert run is not None
        assert (run.version_id, run.environment_id) == (first.id, staging.id)
        for wrong in (AgentId(house.agent_id), staging.id), (agent_id, new_id()):
            with pytest.raises(NotFound):
                await runs.start(tx, AgentId(wrong[0]), Ask(prompt="Hello", environment_id=wrong[1]))
        await environments.delete(tx, agent_id, EnvironmentId(staging.id))
        await tx.session.refresh(run)
        assert run.environment_id is None


@pytest.mark.req("DOM-AGENT-10", "DOM-AGENT-18", "DOM-SECRET-10")
async def test_a_tracing_token_is_one_that_the_person_sees_and_for_tracing(house: House) -> None:
    agent_id = await with_versions(house.owner, 1)
    value = ApiKey(api_key=SecretStr("a-token-of-many-letters"))
    async with acting_as(house.owner) as tx:
        token = await secrets.create(tx, SecretCreate(name="Traces", purpose="logfire", value=value))
        other = await secrets.create(tx, SecretCreate(name="Model", purpose="openai", value=value))
    row = await add(house.owner, agent_id, "traced", tracing_secret_id=token.id, tracing_service="desk")
    assert (row.tracing_secret_id, row.tracing_service) == (token.id, "desk")
    with pytest.raises(InvalidInput):
        await add(house.owner, agent_id, "wrong", tracing_secret_id=other.id)
    for secret_id in (new_id(), token.id):
        with pytest.raises(NotFound):
            await add(house.people["builder"], agent_id, "theirs", tracing_secret_id=secret_id)
    assert (await of(house.people["builder"], agent_id))["traced"].tracing_secret_id is None
    async with acting_as(house.owner) as tx:
        await secrets.delete(tx, SecretId(token.id))
    assert (await of(house.owner, agent_id))["traced"].tracing_secret_id is None


@pytest.mark.req("DOM-AGENT-09")
async def test_rolling_back_publishes_the_old_words_under_the_next_number(house: House) -> None:
    agent_id = await with_versions(house.owner, 3)
    await saved(house.owner, agent_id, instructions="Not published")
    async with acting_as(house.owner) as tx:
        row = await publishing.roll_back(tx, agent_id, Rollback(version=1))
    assert (row.number, row.note, row.is_live) == (4, "rollback to v1", True)
    draft = await draft_of(house.owner, agent_id)
    assert (draft.spec.instructions, draft.how, draft.differs) == ("Version 1", "rollback", False)
    async with acting_as(house.owner) as tx:
        page = await agent_versions.list_versions(tx, agent_id)
        assert [row.number for row in page.rows] == [4, 3, 2, 1]
        profile_id = await models.suggested(tx)
        assert profile_id is not None
        await models.delete(tx, models.ModelProfileId(profile_id))
        with pytest.raises(NotPublishable):
            await publishing.roll_back(tx, agent_id, Rollback(version=2))


@pytest.mark.req("DOM-AGENT-08")
async def test_deleting_a_version_keeps_its_runs(house: House) -> None:
    agent_id = await with_versions(house.owner, 3)
    staging = await add(house.owner, agent_id, "staging", version=2)
    async with acting_as(house.owner) as tx:
        first = await agent_versions.get_version(tx, agent_id, 1)
    run_id = await past_run(house, house.owner, agent_id=agent_id)
    async with acting_as(house.owner) as tx:
        run = await tx.session.get(Run, run_id)
        assert run is not None
        run.version_id = first.id
    async with acting_as(house.owner) as tx:
        for number in (2, 3):
            with pytest.raises(Conflict) as refusal:
                await agent_versions.delete_version(tx, agent_id, number)
            assert refusal.value.details["reason"] == "version_in_use"
        await agent_versions.delete_version(tx, agent_id, 1)
    async with acting_as(house.owner) as tx:
        detail = await runs.get_run(tx, runs.RunId(run_id))
        assert (detail.version, detail.full_prompt) == (0, "What is 17 times 23?")
        await environments.delete(tx, agent_id, EnvironmentId(staging.id))
        await agent_versions.delete_version(tx, agent_id, 2)
    await saved(house.owner, agent_id, instructions="Four")
    assert (await published(house.owner, agent_id)).number == 4


@pytest.mark.req("DOM-AGENT-02", "DOM-AGENT-25", "DOM-RUN-07")
async def test_an_archived_agent_keeps_everything_and_takes_no_run(house: House) -> None:
    agent_id, draft_id = await with_versions(house.owner, 1), await made(house.owner, "Only a draft")
    for one in (agent_id, draft_id):
        async with acting_as(house.owner) as tx:
            assert (await agent_life.archive(tx, one)).status == "archived"
    async with acting_as(house.owner) as tx:
        assert agent_id not in {row.id for row in await agents.list_agents(tx)}
        assert {row.id for row in (await agents.list_cards(tx, status="archived")).rows} == {
            agent_id,
            draft_id,
        }
        before = (await tx.session.execute(text("SELECT count(*) FROM runs"))).scalar_one()
        with pytest.raises(Conflict) as refusal:
            await runs.start(tx, agent_id, Ask(prompt="Hello"))
        assert refusal.value.details["reason"] == "not_published"
        assert (await tx.session.execute(text("SELECT count(*) FROM runs"))).scalar_one() == before
        with pytest.raises(Conflict):
            await publishing.publish(tx, agent_id, Publish())
        assert [row.number for row in (await agent_versions.list_versions(tx, agent_id)).rows] == [1]
    async with acting_as(house.owner) as tx:
        assert (await agent_life.unarchive(tx, agent_id)).status == "published"
        assert (await agent_life.unarchive(tx, draft_id)).status == "draft"
        with pytest.raises(Conflict):
            await runs.start(tx, draft_id, Ask(prompt="Hello"))
    with pytest.raises(Forbidden):
        async with acting_as(house.people["viewer"]) as tx:
            await agent_life.archive(tx, agent_id)


@pytest.mark.req("DOM-AGENT-25")
async def test_taking_back_looks_at_the_ceiling(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    agent_id = await made(house.owner)
    async with acting_as(house.owner) as tx:
        await agent_life.archive(tx, agent_id)
    monkeypatch.setattr(agents, "MOST", 2)
    await made(house.owner, "The last one")
    async with acting_as(house.owner) as tx:
        with pytest.raises(Conflict) as refusal:
            await agent_life.unarchive(tx, agent_id)
        assert refusal.value.details["reason"] == "agents_full"
    with pytest.raises(Conflict):
        await made(house.owner, "One more")


@pytest.mark.req("DOM-AGENT-26")
async def test_a_copy_is_a_draft_of_whoever_made_it(house: House) -> None:
    agent_id, builder = await with_versions(house.owner, 1), house.people["builder"]
    await saved(house.owner, agent_id, instructions="Not published")
    names: list[str] = []
    for _ in range(3):
        async with acting_as(builder) as tx:
            copy = await agent_life.clone(tx, agent_id)
        names.append(copy.name)
        assert (copy.status, copy.owner_user_id, copy.latest_version) == ("draft", builder.user_id, 0)
        assert (await draft_of(builder, AgentId(copy.id))).spec.instructions == "Not published"
    assert names == ["Claims Desk (copy)", "Claims Desk (copy, 2)", "Claims Desk (copy, 3)"]
    with pytest.raises(Forbidden):
        async with acting_as(house.people["viewer"]) as tx:
            await agent_life.clone(tx, agent_id)


@pytest.mark.req("DOM-AGENT-25", "DOM-PERM-15")
async def test_deleting_is_another_act_and_takes_the_grants(house: House) -> None:
    agent_id = await with_versions(house.owner, 2)
    await past_run(house, house.owner, agent_id=agent_id)
    async with acting_as(house.owner) as tx:
        await sharing.share(tx, AGENT, agent_id, house.people["viewer"].user_id, "use")
        with pytest.raises(Conflict) as refusal:
            await agent_life.delete(tx, agent_id)
        assert refusal.value.details["reason"] == "not_archived"
        await agent_life.archive(tx, agent_id)
    open_run = await past_run(house, house.owner, agent_id=agent_id, status=runs.RunStatus.RUNNING)
    async with acting_as(house.owner) as tx:
        with pytest.raises(Conflict) as refusal:
            await agent_life.delete(tx, agent_id)
        assert refusal.value.details["reason"] == "runs_open"
        run = await tx.session.get(Run, open_run)
        assert run is not None
        run.status = "failed"
    async with acting_as(house.owner) as tx:
        lost = await agent_life.delete(tx, agent_id)
    assert (lost.versions, lost.environments, lost.runs) == (2, 1, 2)
    async with acting_as(house.owner) as tx:
        with pytest.raises(NotFound):
            await agents.get_agent(tx, agent_id)
        left = text("SELECT count(*) FROM grants WHERE resource_id = :id")
        assert (await tx.session.execute(left, {"id": agent_id})).scalar_one() == 0


@pytest.mark.req("DOM-AGENT-24")
async def test_what_changes_access_or_publication_is_on_the_trail(house: House) -> None:
    agent_id = await with_versions(house.owner, 2)
    staging = EnvironmentId((await add(house.owner, agent_id, "staging")).id)
    async with acting_as(house.owner) as tx:
        await publishing.roll_back(tx, agent_id, Rollback(version=1))
        await environments.promote(tx, agent_id, staging, 1)
        await environments.change(tx, agent_id, staging, EnvironmentChange(name="stage"))
        await environments.delete(tx, agent_id, staging)
        await agents.change(tx, agent_id, agents.AgentChange(visibility="private"))
        await sharing.share(tx, AGENT, agent_id, house.people["viewer"].user_id, "read")
        await sharing.unshare(tx, AGENT, agent_id, house.people["viewer"].user_id)
        copy = await agent_life.clone(tx, agent_id)
        await agent_life.archive(tx, agent_id)
        await agent_life.unarchive(tx, agent_id)
        await agent_life.archive(tx, agent_id)
        await agent_life.delete(tx, agent_id)
    assert [action for action, _ in await actions(house, agent_id)] == [
        "agent.created",
        "agent.published",
        "agent.published",
        "environment.created",
        "agent.rolled_back",
        "environment.promoted",
        "environment.changed",
        "environment.deleted",
        "resource.visibility_changed",
        "resource.share",
        "resource.unshare",
        "agent.archived",
        "agent.unarchived",
        "agent.archived",
        "agent.deleted",
    ]
    assert [action for action, _ in await actions(house, copy.id)] == ["agent.cloned"]


@pytest.mark.req("DOM-PERM-15")
async def test_an_agent_whose_owner_left_is_claimed_by_who_may_edit_it(house: House) -> None:
    builder, agent_id = house.people["builder"], await made(house.people["builder"])
    async with acting_as(house.owner) as tx:
        with pytest.raises(Conflict):
            await agent_life.claim(tx, agent_id)
        await organizations.remove_member(tx, UserId(builder.user_id))
    async with acting_as(house.people["viewer"]) as tx:
        with pytest.raises(Forbidden):
            await agent_life.claim(tx, agent_id)
    async with acting_as(house.people["admin"]) as tx:
        card = await agent_life.claim(tx, agent_id)
    assert card.owner_user_id == house.people["admin"].user_id
    assert ("resource.owner_claimed", {}) in await actions(house, agent_id)


@pytest.mark.req("DOM-PERM-15")
async def test_whoever_sees_an_agent_sees_with_whom_it_is_shared(house: House) -> None:
    agent_id = await made(house.owner)
    async with acting_as(house.owner) as tx:
        await sharing.share(tx, AGENT, agent_id, house.people["viewer"].user_id, "use")
    async with acting_as(house.people["viewer"]) as tx:
        shared = await sharing.sharing(tx, AGENT, agent_id)
        assert [(one.email, one.level) for one in shared.people] == [(house.people["viewer"].email, "use")]
        with pytest.raises(Forbidden):
            await sharing.share(tx, AGENT, agent_id, house.people["member"].user_id, "use")
    async with system_work() as tx:
        assert await tx.session.get(Agent, agent_id) is not None
