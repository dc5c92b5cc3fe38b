"""Sharing is one thing for every kind of row that has an owner and a visibility."""

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.errors import Forbidden, InvalidInput, NotFound
from agenticos_app.kernel.ids import UserId, new_id
from agenticos_app.repos import agents
from agenticos_app.schemas.secrets import SecretCreate
from agenticos_app.security.access import AGENT
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access, organizations, secrets, sharing
from agenticos_app.services.work import system_work
from tests.world import House, Person, acting_as, build_house, second_agent, somebody

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def may_edit(person: Person, house: House, agent_id: object) -> bool:
    async with acting_as(person) as tx:
        agent = await agents.get(tx, agent_id)  # pyright: ignore[reportArgumentType]
        assert agent is not None
        return agent.id in await access.allowed(tx, AGENT, [agent], Permission.AGENTS_EDIT)


@pytest.mark.req("DOM-PERM-07", "DOM-PERM-08")
async def test_a_viewer_with_an_edit_grant_on_one_agent_edits_that_one(house: House) -> None:
    viewer, other = house.people["viewer"], await second_agent(house, "Other")
    async with acting_as(house.owner) as tx:
        shared = await sharing.share(tx, AGENT, house.agent_id, viewer.user_id, "edit")
    assert [(one.user_id, one.level) for one in shared.people] == [(viewer.user_id, "edit")]
    assert await may_edit(viewer, house, house.agent_id)
    assert not await may_edit(viewer, house, other)
    async with acting_as(viewer) as tx:
        await sharing.share(tx, AGENT, house.agent_id, house.people["member"].user_id, "use")
    async with acting_as(viewer) as tx:
        with pytest.raises(Forbidden):
            await sharing.share(tx, AGENT, other, viewer.user_id, "edit")


@pytest.mark.req("DOM-PERM-07")
async def test_a_person_has_one_level_on_a_row_and_loses_it(house: House) -> None:
    viewer = house.people["viewer"]
    async with acting_as(house.owner) as tx:
        for level in ("edit", "read", "use"):
            shared = await sharing.share_with(tx, AGENT, house.agent_id, viewer.email.upper(), level)
            assert [one.level for one in shared.people] == [level]
        await sharing.unshare(tx, AGENT, house.agent_id, viewer.user_id)
        with pytest.raises(NotFound):
            await sharing.unshare(tx, AGENT, house.agent_id, viewer.user_id)
        assert (await sharing.sharing(tx, AGENT, house.agent_id)).people == []


async def test_a_grant_is_for_members_and_goes_with_the_membership(house: House) -> None:
    stranger, member = await somebody("Stranger One"), house.people["member"]
    async with acting_as(house.owner) as tx:
        for user_id in (stranger.user_id, UserId(new_id())):
            with pytest.raises(NotFound):
                await sharing.share(tx, AGENT, house.agent_id, user_id, "use")
        for email in (stranger.email, "nobody@example.org", ""):
            with pytest.raises(InvalidInput):
                await sharing.share_with(tx, AGENT, house.agent_id, email, "use")
        with pytest.raises(NotFound):
            await sharing.sharing(tx, AGENT, new_id())
        await sharing.share(tx, AGENT, house.agent_id, member.user_id, "edit")
        await organizations.remove_member(tx, member.user_id)
        assert (await sharing.sharing(tx, AGENT, house.agent_id)).people == []


@pytest.mark.req("DOM-PERM-06")
@pytest.mark.parametrize("table", ["agents", "secrets"])
async def test_a_shareable_row_has_an_owner_and_one_of_three_visibilities(house: House, table: str) -> None:
    columns = SQLModel.metadata.tables[table].columns
    assert {"owner_user_id", "visibility", "organization_id"} <= set(columns.keys())
    if table == "secrets":
        body = SecretCreate(name="Key", purpose="openai", value=ApiKey(api_key=SecretStr("sk-1")))
        async with acting_as(house.owner) as tx:
            await secrets.create(tx, body)
    change = text(f"UPDATE {table} SET visibility = :to WHERE organization_id = :id")
    for to in ("private", "team", "org"):
        async with system_work() as tx:
            assert (await tx.session.execute(change, {"to": to, "id": house.id})).rowcount == 1  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    with pytest.raises(IntegrityError):
        async with system_work() as tx:
            await tx.session.execute(change, {"to": "public", "id": house.id})
