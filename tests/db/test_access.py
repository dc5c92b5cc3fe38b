"""Who reaches which row: the one function that decides, its batch form, and the filter of lists."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from uuid import UUID

import pytest
from sqlalchemy import event

from agenticos_app.db import session as db
from agenticos_app.errors import AppError, Forbidden, NotFound, Unauthenticated
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import OrganizationId, UserId, new_id
from agenticos_app.models import Agent, Grant
from agenticos_app.schemas.runs import Ask
from agenticos_app.security.access import AGENT, Everything, Nothing, Only
from agenticos_app.security.actor import Actor, Surface, nobody
from agenticos_app.security.permissions import Permission, Reach, Scope, reach_of
from agenticos_app.services import access, agents, conversations, files, organizations, runs
from agenticos_app.services.work import Tx, work
from tests.world import House, build_house

pytestmark = pytest.mark.usefixtures("console")

VIEW, RUN, EDIT = Permission.AGENTS_VIEW, Permission.AGENTS_RUN, Permission.AGENTS_EDIT


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("viewer", "member"))


def actor(house: House, role: str, reach: Reach | None = None) -> Actor:
    return Actor(
        organization_id=OrganizationId(house.id),
        user_id=house.people[role].user_id,
        reach=reach_of(role) if reach is None else reach,
    )


async def agent(house: House, *, owner: str | None = "owner", visibility: str = "private") -> UUID:
    async with work(actor(house, "owner")) as tx:
        row = Agent(
            id=new_id(),
            organization_id=house.id,
            name="Scout",
            slug=new_id().hex,
            owner_user_id=house.people[owner].user_id if owner else None,
            visibility=visibility,
            draft={},
            changed_at=now(),
        )
        tx.add(row)
    return row.id


async def grant(house: House, agent_id: UUID, role: str, level: str) -> None:
    async with work(actor(house, "owner")) as tx:
        tx.add(
            Grant(
                id=new_id(),
                organization_id=house.id,
                resource_type="agent",
                resource_id=agent_id,
                user_id=house.people[role].user_id,
                level=level,
            )
        )


@contextmanager
def statements() -> Generator[list[str]]:
    """Collect the statements that reach the database."""
    sent: list[str] = []
    engine = db.current().engine.sync_engine

    def note(_c: object, _k: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)


async def decided(tx: Tx, row: Agent | None, permission: Permission) -> str:
    try:
        await access.require(tx, AGENT, row, permission)
    except AppError as refusal:
        return type(refusal).__name__
    return "allowed"


@asynccontextmanager
async def looking_at(who: Actor, house: House, agent_id: UUID) -> AsyncGenerator[tuple[Tx, Agent]]:
    async with work(actor(house, "owner")) as owners:
        row = await owners.session.get(Agent, agent_id)
        assert row is not None
        owners.session.expunge(row)
    async with work(who) as tx:
        yield tx, row


@pytest.mark.req("DOM-PERM-09")
async def test_nobody_is_refused_before_anything_is_asked(house: House) -> None:
    everything = Actor(
        organization_id=OrganizationId(house.id), user_id=None, reach=dict.fromkeys(Permission, Scope.ALL)
    )
    for who in (nobody(OrganizationId(house.id), Surface.API), everything):
        async with looking_at(who, house, house.agent_id) as (tx, row):
            with statements() as sent:
                assert await decided(tx, row, VIEW) == "NotFound"
                assert await access.allowed(tx, AGENT, [row], VIEW) == set()
                assert await access.visible(tx, AGENT) == Nothing()
            assert sent == []


@pytest.mark.req("DOM-PERM-09")
async def test_a_row_of_another_organization_is_refused_whatever_the_role_and_grant(house: House) -> None:
    other = await build_house("Elsewhere", roles=())
    stranger = actor(other, "owner")
    async with work(stranger) as tx:
        tx.add(
            Grant(
                id=new_id(),
                organization_id=other.id,
                resource_type="agent",
                resource_id=house.agent_id,
                user_id=other.owner.user_id,
                level="edit",
            )
        )
    async with looking_at(stranger, house, house.agent_id) as (tx, row):
        with statements() as sent:
            assert await decided(tx, row, VIEW) == "NotFound"
            assert await access.allowed(tx, AGENT, [row], VIEW) == set()
        assert sent == []
        assert await decided(tx, None, VIEW) == "NotFound"
        assert house.agent_id not in {one.id for one in await agents.list_agents(tx)}


@pytest.mark.req("DOM-PERM-09")
async def test_a_role_that_reaches_the_row_needs_no_query_and_else_one_of_grants(house: House) -> None:
    async with looking_at(actor(house, "owner"), house, await agent(house)) as (tx, row):
        with statements() as sent:
            assert await decided(tx, row, EDIT) == "allowed"
        assert sent == []
    private = await agent(house)
    async with looking_at(actor(house, "member"), house, private) as (tx, row):
        with statements() as sent:
            assert await decided(tx, row, VIEW) == "NotFound"
        assert len(sent) == 1
        assert "FROM grants" in sent[0]


@pytest.mark.req("DOM-PERM-09")
@pytest.mark.parametrize(
    ("visibility", "level", "answers"),
    [
        ("private", None, ("NotFound", "NotFound", "NotFound")),
        ("private", "read", ("allowed", "Forbidden", "Forbidden")),
        ("private", "use", ("allowed", "allowed", "Forbidden")),
        ("private", "edit", ("allowed", "allowed", "allowed")),
        ("team", None, ("NotFound", "NotFound", "NotFound")),
        ("org", None, ("allowed", "Forbidden", "Forbidden")),
        ("org", "read", ("allowed", "Forbidden", "Forbidden")),
        ("org", "use", ("allowed", "allowed", "Forbidden")),
        ("org", "edit", ("allowed", "allowed", "allowed")),
    ],
)
async def test_what_a_viewer_may_do_with_one_agent(
    house: House, visibility: str, level: str | None, answers: tuple[str, str, str]
) -> None:
    agent_id, untouched = await agent(house, visibility=visibility), await agent(house)
    if level is not None:
        await grant(house, agent_id, "viewer", level)
    async with looking_at(actor(house, "viewer"), house, agent_id) as (tx, row):
        one_by_one = tuple([await decided(tx, row, permission) for permission in (VIEW, RUN, EDIT)])
        batch = [bool(await access.allowed(tx, AGENT, [row], permission)) for permission in (VIEW, RUN, EDIT)]
        listed = {one.id: one.may_run for one in await agents.list_agents(tx)}
    assert one_by_one == answers
    assert batch == [answer == "allowed" for answer in answers]
    assert (agent_id in listed) == (answers[0] == "allowed")
    assert listed.get(agent_id, False) == (answers[1] == "allowed")
    assert untouched not in listed


@pytest.mark.req("DOM-PERM-09")
async def test_a_page_of_rows_costs_one_query_of_grants(house: House) -> None:
    ids = [await agent(house) for _ in range(5)]
    await grant(house, ids[3], "member", "use")
    async with work(actor(house, "member")) as tx:
        rows = [row for one in ids if (row := await tx.session.get(Agent, one)) is not None]
        with statements() as sent:
            assert await access.allowed(tx, AGENT, rows, RUN) == {ids[3]}
            assert len(sent) == 1
        with statements() as sent:
            assert await access.allowed(tx, AGENT, [], RUN) == set()
        assert sent == []


@pytest.mark.req("DOM-PERM-10")
async def test_seeing_everything_and_seeing_nothing_are_different_filters(house: House) -> None:
    viewer = house.people["viewer"].user_id
    expected = {
        Scope.ALL: Everything(),
        Scope.TEAM: Only(viewer, ("org", "team"), frozenset()),
        Scope.SHARED: Only(viewer, ("org",), frozenset()),
        Scope.OWN: Only(viewer, (), frozenset()),
        Scope.NONE: Nothing(),
    }
    for scope, visible in expected.items():
        async with work(actor(house, "viewer", {VIEW: scope})) as tx:
            assert await access.visible(tx, AGENT) == visible
    assert len({type(one) for one in expected.values()}) == 3


@pytest.mark.req("DOM-PERM-10", "DOM-PERM-03")
async def test_a_list_shows_what_the_scope_reaches(house: House) -> None:
    made = {
        "mine": await agent(house, owner="viewer"),
        "for the organization": await agent(house, visibility="org"),
        "for the team": await agent(house, visibility="team"),
        "private": await agent(house),
        "of nobody": await agent(house, owner=None),
    }
    named = {agent_id: name for name, agent_id in made.items()} | {house.agent_id: "starter"}
    shown: dict[Scope, set[str]] = {}
    for scope in Scope:
        async with work(actor(house, "viewer", {VIEW: scope})) as tx:
            shown[scope] = {named[row.id] for row in await agents.list_agents(tx)}
    shared = {"mine", "for the organization", "starter"}
    assert shown == {
        Scope.NONE: set(),
        Scope.OWN: {"mine"},
        Scope.SHARED: shared,
        Scope.TEAM: shared | {"for the team"},
        Scope.ALL: set(named.values()),
    }
    await grant(house, made["private"], "viewer", "read")
    async with work(actor(house, "viewer", {})) as tx:
        assert [row.id for row in await agents.list_agents(tx)] == [made["private"]]


@pytest.mark.req("DOM-PERM-10", "DOM-PERM-16")
async def test_without_a_person_nothing_is_listed_opened_or_written(house: House) -> None:
    async with work(nobody(OrganizationId(house.id), Surface.WEB)) as tx:
        assert await agents.list_agents(tx) == []
        with pytest.raises(NotFound):
            await agents.get_agent(tx, agents.AgentId(house.agent_id))
        with pytest.raises(NotFound):
            await runs.start(tx, agents.AgentId(house.agent_id), Ask(prompt="Hello"))
        assert (await conversations.list_conversations(tx)).rows == []
        for write in (
            files.take_in(tx.actor, name="a.txt", body=b"text"),
            organizations.found(tx.actor, organizations.OrganizationCreate(name="Nobody's")),
            runs.list_runs(tx),
        ):
            with pytest.raises(Unauthenticated):
                await write
        with pytest.raises(Forbidden):
            await organizations.add_member(tx, organizations.MemberAdd(email="a@b"))
        assert not tx.session.new


async def test_an_actor_reaches_rows_through_grants_of_its_own_kind_alone(house: House) -> None:
    agent_id = await agent(house)
    async with work(actor(house, "owner")) as tx:
        tx.add(
            Grant(
                id=new_id(),
                organization_id=house.id,
                resource_type="collection",
                resource_id=agent_id,
                user_id=UserId(house.people["viewer"].user_id),
                level="edit",
            )
        )
    async with looking_at(actor(house, "viewer"), house, agent_id) as (tx, row):
        assert await decided(tx, row, VIEW) == "NotFound"
