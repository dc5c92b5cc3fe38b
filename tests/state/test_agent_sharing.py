"""The Builder's section Sharing."""

import pytest

from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import AgentId, UserId
from agenticos_app.services import organizations
from state.agent_sharing import AgentSharingState
from tests.building import card_of, made
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def opened(person: Person, agent_id: AgentId) -> AgentSharingState:
    state = page_state(AgentSharingState, "/agents/edit", cookie=person.cookie)
    await state.open(str(agent_id))
    return state


@pytest.mark.req("DOM-PERM-15")
async def test_an_agent_is_for_everyone_for_its_owner_or_for_people_with_a_level(house: House) -> None:
    agent_id = await made(house.owner)
    viewer = house.people["viewer"]
    state = await opened(house.owner, agent_id)
    assert state.shared is not None
    assert state.shared.visibility == "org"
    await state.show_to("private")
    assert state.shared.visibility == "private"
    assert (await card_of(house.owner, agent_id)).audience == "me"
    await state.share({"email": "nobody@example.org", "level": "use"})
    assert state.problems == {"email": "no_member"}
    await state.share({"email": viewer.email, "level": "everything"})
    assert state.problems == {"level": "invalid"}
    await state.share({"email": viewer.email, "level": "read"})
    assert state.problems == {}
    assert [(one.email, one.level) for one in state.shared.people] == [(viewer.email, "read")]
    assert not (await card_of(viewer, agent_id)).can_edit
    await state.set_level(str(viewer.user_id), "edit")
    assert (await card_of(viewer, agent_id)).can_edit
    await state.unshare(str(viewer.user_id))
    assert state.shared.people == []
    with pytest.raises(NotFound):
        await opened(viewer, agent_id)


@pytest.mark.req("DOM-PERM-15")
async def test_who_may_look_sees_the_people_and_changes_nothing(house: House) -> None:
    agent_id = await made(house.owner)
    builder, viewer = house.people["builder"], house.people["viewer"]
    await (await opened(house.owner, agent_id)).share({"email": builder.email, "level": "edit"})
    state = await opened(viewer, agent_id)
    assert state.agent is not None
    assert not state.agent.can_edit
    assert state.shared is not None
    assert [one.email for one in state.shared.people] == [builder.email]
    with pytest.raises(Forbidden):
        await state.share({"email": viewer.email, "level": "edit"})
    with pytest.raises(Forbidden):
        await state.show_to("private")


@pytest.mark.req("DOM-PERM-15")
async def test_an_agent_whose_owner_left_is_claimed(house: House) -> None:
    builder = house.people["builder"]
    agent_id = await made(builder)
    state = await opened(house.owner, agent_id)
    assert not state.may_claim
    async with acting_as(house.owner) as tx:
        await organizations.remove_member(tx, UserId(builder.user_id))
    await state.load()
    assert state.may_claim
    assert not (await opened(house.people["viewer"], agent_id)).may_claim
    await state.claim()
    assert state.agent is not None
    assert (state.agent.is_mine, state.may_claim) == (True, False)
