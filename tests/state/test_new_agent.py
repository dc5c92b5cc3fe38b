"""The dialogs that make an agent: who can use it, what it starts from, what is wrong with a file."""

import pytest

from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.security.access import AGENT
from agenticos_app.services import sharing, templates
from state.chat import ChatState
from state.new_agent import NewAgentState
from tests.building import card_of, draft_of, made, published
from tests.fakes.reflex_state import led_to, page_state
from tests.world import House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("owner", "member", "viewer"))


def dialog(person: Person) -> NewAgentState:
    state = page_state(NewAgentState, "/agents?org=", cookie=person.cookie)
    state.open_new()
    return state


async def create(state: NewAgentState, **form: str) -> AgentId:
    address = led_to(await state.create(form))
    assert address.startswith("/agents/edit?a=")
    return AgentId(type(new_id())(address.split("a=")[1].split("&")[0]))


@pytest.mark.req("DOM-PERM-14", "CAP-REG-14")
async def test_a_new_agent_is_for_everyone_and_has_what_the_starter_has(house: House) -> None:
    state = dialog(house.owner)
    assert (state.doing, state.who) == ("new", "org")
    agent_id = await create(state, name="Claims Desk", template="starter")
    assert (await card_of(house.owner, agent_id)).audience == "everyone"
    spec = (await draft_of(house.owner, agent_id)).spec
    assert spec.capabilities == templates.STARTER.spec.capabilities
    assert spec.model_profile_id is not None
    assert (state.doing, state.problems) == ("", {})


@pytest.mark.req("DOM-PERM-14")
async def test_it_may_be_for_its_owner_or_for_chosen_people(house: House) -> None:
    member, state = house.people["member"], dialog(house.owner)
    alone = await create(state, name="Diary", who="private")
    assert (await card_of(house.owner, alone)).audience == "me"
    with pytest.raises(NotFound):
        await card_of(member, alone)
    state.open_new()
    assert state.who == "org"
    await state.choose_who("people")
    assert [one.user_id for one in state.members] == [member.user_id, house.people["viewer"].user_id]
    assert await state.create({"name": "Circle", "who": "people"}) is None
    assert (state.problems, state.doing) == ({"people": "missing"}, "new")
    few = await create(state, **{"name": "Circle", "who": "people", f"person-{member.user_id}": "on"})
    assert (await card_of(member, few)).audience == "people"
    async with acting_as(house.owner) as tx:
        shared = await sharing.sharing(tx, AGENT, few)
    assert (shared.visibility, [one.level for one in shared.people]) == ("private", ["use"])


@pytest.mark.req("DOM-AGENT-30")
async def test_a_template_is_a_draft_that_nobody_can_ask(house: House) -> None:
    agent_id = await create(dialog(house.owner), name="Bills", template="invoice_check")
    card, draft = await card_of(house.owner, agent_id), await draft_of(house.owner, agent_id)
    assert (card.status, card.can_run, card.latest_version) == ("draft", False, 0)
    assert draft.spec.instructions == templates.get("invoice_check").spec.instructions


async def test_what_does_not_fit_is_marked_and_the_form_stays(house: House) -> None:
    await made(house.owner, "Claims Desk")
    state = dialog(house.owner)
    for name, code in ((" ", "missing"), ("n" * 129, "too_long"), ("claims desk!", "taken")):
        assert await state.create({"name": name}) is None
        assert (state.problems, state.doing) == ({"name": code}, "new")
    with pytest.raises(NotFound):
        await state.create({"name": "Other", "template": "no_such_template"})
    with pytest.raises(Forbidden):
        await dialog(house.people["viewer"]).create({"name": "Other"})
    state.close(False)
    assert (state.doing, state.problems) == ("", {})


@pytest.mark.req("DOM-UI-06")
@pytest.mark.parametrize(
    ("refusal", "problems", "place"),
    [
        (("conflict", "", "slug_taken"), {"name": "taken"}, ""),
        (("invalid_input", "name", "too_short"), {"name": "too_short"}, ""),
        (("too_large", "", ""), {"file": "too_large"}, ""),
        (("bad_document", "document", "invalid"), {"file": "document_invalid"}, ""),
        (("bad_document", "spec_version", "newer"), {"file": "newer"}, "spec_version"),
        (("bad_document", "capabilities.0.id", "missing"), {"file": "missing"}, "capabilities.0.id"),
    ],
)
async def test_a_refused_file_says_what_and_where(
    house: House, refusal: tuple[str, str, str], problems: dict[str, str], place: str
) -> None:
    state = page_state(NewAgentState, "/agents", cookie=house.owner.cookie)
    state.open_import()
    state.refuse(*refusal)
    assert (state.doing, state.problems, state.place) == ("import", problems, place)


async def test_an_imported_agent_leads_to_its_builder(house: House) -> None:
    agent_id = await made(house.owner)
    state = page_state(NewAgentState, "/agents", cookie=house.owner.cookie)
    state.open_import()
    assert led_to(await state.imported(str(agent_id))) == f"/agents/edit?a={agent_id}"
    assert state.doing == ""
    with pytest.raises(NotFound):
        await state.imported("no id")


async def test_the_address_of_the_chat_chooses_the_agent(house: House) -> None:
    desk = await made(house.owner, "Claims Desk")
    await published(house.owner, desk)
    state = page_state(ChatState, f"/chat?agent={desk}", cookie=house.owner.cookie)
    await state.load()
    assert (state.agent_id, state.agent_name) == (str(desk), "Claims Desk")
    other = page_state(ChatState, f"/chat?agent={new_id()}", cookie=house.owner.cookie)
    await other.load()
    assert other.agent_name == "Assistant"
