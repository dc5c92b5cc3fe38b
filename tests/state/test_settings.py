"""The settings page's State: problems stand beside what caused them, and nothing is half saved."""

from decimal import Decimal

import pytest

from agenticos_app.db import session as db
from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import new_id
from agenticos_app.services import organizations
from state.settings import SettingsState
from tests.fakes.reflex_state import led_to, page_state
from tests.world import ROLES, House, Person, acting_as, actor_of, build_house, somebody

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def opened(person: Person) -> SettingsState:
    state = page_state(SettingsState, "/settings", cookie=person.cookie)
    await state.load()
    return state


@pytest.mark.parametrize("role", ROLES)
async def test_everybody_sees_the_settings_and_the_roles_that_they_may_give(house: House, role: str) -> None:
    state = await opened(house.people[role])
    assert state.organization is not None
    assert (state.organization.name, state.budget, len(state.members)) == ("Harbor Supply", "100", 6)
    expected = {"owner": list(ROLES), "admin": list(ROLES[1:])}
    assert state.roles == expected.get(role, [])


@pytest.mark.req("DOM-UI-27")
async def test_settings_that_cannot_be_read_have_failed_with_an_id(house: House) -> None:
    state = page_state(SettingsState, "/settings", cookie=house.owner.cookie)
    working = db.current()
    db.use(db.Database("postgresql+psycopg://nobody@127.0.0.1:1/none", connections=1))
    await state.load()
    await db.current().close()
    db.use(working)
    assert (state.loaded, len(state.failure)) == (False, 8)


@pytest.mark.req("DOM-UI-29", "DOM-ORG-03")
@pytest.mark.parametrize(
    ("form", "problems"),
    [
        ({"name": "", "avatar_color": "3"}, {"name": "missing"}),
        ({"name": "H", "avatar_color": "3"}, {"name": "too_short"}),
        ({"name": "H" * 129, "avatar_color": "0"}, {"name": "too_long", "avatar_color": "too_small"}),
        ({"avatar_color": "red"}, {"name": "missing", "avatar_color": "invalid"}),
    ],
)
async def test_a_name_or_colour_that_does_not_fit_is_marked_on_its_field(
    house: House, form: dict[str, str], problems: dict[str, str]
) -> None:
    state = await opened(house.owner)
    await state.save_profile(form)
    assert (state.problems, state.saved) == (problems, "")
    assert (await organization_of(house)).name == "Harbor Supply"


async def organization_of(house: House) -> organizations.OrganizationDetail:
    async with acting_as(house.owner, organization=house.id) as tx:
        return await organizations.detail(tx)


async def test_name_and_colour_are_saved_together(house: House) -> None:
    state = await opened(house.people["admin"])
    await state.save_profile({"name": "  Harbor & Sons ", "avatar_color": "9"})
    saved = await organization_of(house)
    assert (saved.name, saved.avatar_color, state.saved) == ("Harbor & Sons", 9, "profile")


@pytest.mark.req("DOM-ORG-05")
@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("250", "250"),
        ("49.99", "49.99"),
        ("49,5", "49.5"),
        (" 0 ", "0"),
        ("", None),
        ("   ", None),
        ("1e3", "1000"),
    ],
)
async def test_a_cap_is_read_as_people_type_it_and_an_empty_field_takes_it_away(
    house: House, typed: str, kept: str | None
) -> None:
    state = await opened(house.owner)
    await state.save_budget({"monthly_budget_usd": typed})
    assert (await organization_of(house)).monthly_budget_usd == (None if kept is None else Decimal(kept))
    assert (state.budget, state.saved, state.problems) == (kept or "", "budget", {})


@pytest.mark.req("DOM-UI-29")
@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("-5", "too_small"),
        ("1,000", "invalid"),
        ("plenty", "invalid"),
        ("NaN", "invalid"),
        ("99999999", "too_large"),
    ],
)
async def test_a_cap_that_is_no_amount_is_marked_on_its_field(house: House, typed: str, code: str) -> None:
    state = await opened(house.owner)
    await state.save_budget({"monthly_budget_usd": typed})
    assert state.problems == {"monthly_budget_usd": code}
    assert (await organization_of(house)).monthly_budget_usd == 100


@pytest.mark.parametrize("role", ["builder", "operator", "member", "viewer"])
async def test_a_handler_trusts_no_button_that_was_not_drawn(house: House, role: str) -> None:
    state = await opened(house.people[role])
    for attempt in (
        state.save_profile({"name": "Mine now"}),
        state.save_budget({"monthly_budget_usd": ""}),
        state.remove_avatar(),
        state.add_member({"email": "a@example.org", "role": "member"}),
    ):
        with pytest.raises(Forbidden):
            await attempt
    saved = await organization_of(house)
    assert (saved.name, saved.monthly_budget_usd) == ("Harbor Supply", 100)


@pytest.mark.req("DOM-UI-29")
@pytest.mark.parametrize(
    ("email", "code"),
    [("", "missing"), ("not an address", "address"), ("nobody.at.all@example.org", "no_account")],
)
async def test_who_cannot_be_added_is_said_beside_the_address(house: House, email: str, code: str) -> None:
    state = await opened(house.owner)
    state.set_adding(True)
    await state.add_member({"email": email, "role": "member"})
    assert (state.problems, state.adding) == ({"email": code}, True)


@pytest.mark.req("DOM-UI-29")
async def test_somebody_who_is_a_member_already_is_said_beside_the_address(house: House) -> None:
    state = await opened(house.owner)
    await state.add_member({"email": house.people["viewer"].email, "role": "member"})
    assert state.problems == {"email": "member"}


async def test_an_added_person_is_in_the_list_and_the_dialog_is_closed(house: House) -> None:
    newcomer = await somebody("New Comer")
    state = await opened(house.people["admin"])
    state.set_adding(True)
    await state.add_member({"email": f" {newcomer.email} ", "role": "operator"})
    assert {row.email: row.role for row in state.members}[newcomer.email] == "operator"
    assert (state.adding, state.saved) == (False, "member")


@pytest.mark.req("DOM-UI-29")
async def test_the_last_owner_is_told_so_in_their_own_line(house: House) -> None:
    owner = str(house.owner.user_id)
    state = await opened(house.owner)
    await state.change_role(owner, "admin")
    assert state.problems == {f"member-{owner}": "last_owner"}
    assert {str(row.user_id): row.role for row in state.members}[owner] == "owner"
    await state.ask_removal(owner)
    assert state.is_leaving
    await state.remove_member()
    assert state.problems == {f"member-{owner}": "last_owner"}
    assert len(state.members) == 6


async def test_an_administrator_cannot_touch_an_owner(house: House) -> None:
    owner = str(house.owner.user_id)
    state = await opened(house.people["admin"])
    await state.change_role(owner, "viewer")
    assert state.problems == {f"member-{owner}": "forbidden"}
    await state.ask_removal(owner)
    await state.remove_member()
    assert state.problems == {f"member-{owner}": "forbidden"}


@pytest.mark.parametrize("wanted", ["foreign", "unknown", "no id"])
async def test_a_role_for_somebody_who_is_no_member_changes_nothing(house: House, wanted: str) -> None:
    stranger = (await build_house("Elsewhere", roles=())).owner
    named = {"foreign": str(stranger.user_id), "unknown": str(new_id()), "no id": "7"}[wanted]
    state = await opened(house.owner)
    await state.change_role(named, "viewer")
    assert (state.problems, state.saved, len(state.members)) == ({}, "", 6)


async def test_a_member_who_is_gone_already_leaves_the_list(house: House) -> None:
    viewer = house.people["viewer"]
    state = await opened(house.owner)
    await state.ask_removal(str(viewer.user_id))
    async with acting_as(house.people["admin"]) as tx:
        await organizations.remove_member(tx, viewer.user_id)
    await state.remove_member()
    assert (len(state.members), state.problems) == (5, {})


async def test_a_removal_is_asked_about_first_and_can_be_left(house: House) -> None:
    viewer = str(house.people["viewer"].user_id)
    state = await opened(house.owner)
    await state.ask_removal(viewer)
    assert state.removing is not None
    assert (str(state.removing.user_id), state.is_leaving) == (viewer, False)
    state.set_removing(False)
    await state.remove_member()
    assert len(state.members) == 6
    await state.ask_removal(viewer)
    await state.remove_member()
    assert len(state.members) == 5
    assert state.removing is None


async def test_whoever_leaves_is_led_away(house: House) -> None:
    viewer = house.people["viewer"]
    await own_organization(viewer)
    state = await opened(viewer)
    await state.ask_removal(str(viewer.user_id))
    assert led_to(await state.remove_member()) == "/chat"
    with pytest.raises(NotFound):
        async with acting_as(viewer, organization=house.id):
            pass


async def own_organization(person: Person) -> None:
    """Give the person somewhere to go; the console goes on showing the first organization."""
    state = page_state(SettingsState, "/settings", cookie=person.cookie)
    await state.load()
    shown = state.organization
    assert shown is not None
    await organizations.found(
        await actor_of(person), organizations.OrganizationCreate(name="A place of one's own")
    )


async def test_asking_to_remove_somebody_from_elsewhere_asks_nothing(house: House) -> None:
    state = await opened(house.owner)
    await state.ask_removal(str(new_id()))
    assert state.removing is None


@pytest.mark.req("DOM-UI-29")
async def test_a_new_organization_needs_a_name(house: House) -> None:
    state = await opened(house.owner)
    state.set_founding(True)
    await state.found({"new_name": " x "})
    assert (state.problems, state.founding) == ({"new_name": "too_short"}, True)


async def test_a_new_organization_is_shown_at_once(house: House) -> None:
    founder = house.people["viewer"]
    state = await opened(founder)
    assert led_to(await state.found({"new_name": "Second Harbor"})) == "/chat"
    async with acting_as(founder) as tx:
        assert (await organizations.detail(tx)).name == "Second Harbor"
        assert [row.role for row in await organizations.list_members(tx)] == ["owner"]


@pytest.mark.req("DOM-UI-29", "DOM-ORG-03")
async def test_a_refused_image_is_said_beside_it_and_a_kept_one_is_shown(house: House) -> None:
    state = await opened(house.owner)
    state.avatar_refused("not_image")
    assert state.problems == {"avatar": "not_image"}
    actor = await actor_of(house.owner)
    await organizations.set_avatar(actor, b"GIF89a" + b"\x00" * 16)
    await state.avatar_saved()
    assert state.organization is not None
    assert state.organization.avatar_version
    assert state.problems == {}
    await state.remove_avatar()
    assert state.organization.avatar_version == ""
