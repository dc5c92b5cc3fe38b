"""The account page's State: what a person changes about themselves, and where they are signed in."""

import pytest
from reflex.event import EventSpec

from agenticos_app.db import session as db
from agenticos_app.errors import NotFound, Unauthenticated
from agenticos_app.kernel.ids import UserId, new_id
from agenticos_app.repos import accounts as repo
from agenticos_app.security import passwords
from agenticos_app.services import sessions
from agenticos_app.services.work import system_work
from state.account import AccountState
from tests.fakes.reflex_state import led_to, page_state
from tests.world import HERE, House, Person, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=["owner", "member"])


async def opened(person: Person) -> AccountState:
    state = page_state(AccountState, "/account", cookie=person.cookie)
    await state.load()
    return state


async def second_device(person: Person) -> str:
    """Sign the person in once more, and return the new cookie."""
    async with acting_as(person) as tx:
        me = await sessions.me(tx)
    async with system_work() as tx:
        user = await repo.user_by_email(tx, me.email)
        assert user is not None
        return await sessions.open_session(tx, user, HERE)


async def test_the_page_shows_where_the_person_is_signed_in(house: House) -> None:
    await second_device(house.owner)
    state = await opened(house.owner)
    assert [row.is_current for row in state.sessions].count(True) == 1
    assert (len(state.sessions), state.loaded, state.failure) == (2, True, "")


@pytest.mark.req("DOM-UI-27")
async def test_devices_that_cannot_be_read_have_failed_with_an_id(house: House) -> None:
    state = page_state(AccountState, "/account", cookie=house.owner.cookie)
    working = db.current()
    db.use(db.Database("postgresql+psycopg://nobody@127.0.0.1:1/none", connections=1))
    await state.load()
    await db.current().close()
    db.use(working)
    assert (state.loaded, len(state.failure)) == (False, 8)


async def test_a_page_of_nobody_is_not_shown() -> None:
    with pytest.raises(Unauthenticated):
        await page_state(AccountState, "/account").load()


@pytest.mark.req("DOM-UI-29")
@pytest.mark.parametrize(
    ("form", "code"),
    [({"full_name": "  "}, "missing"), ({}, "missing"), ({"full_name": "x" * 129}, "too_long")],
)
async def test_a_name_that_does_not_fit_is_marked_on_its_field(
    house: House, form: dict[str, str], code: str
) -> None:
    state = await opened(house.owner)
    await state.rename(form)
    assert (state.problems, state.saved) == ({"full_name": code}, "")


async def test_a_name_is_saved(house: House) -> None:
    state = await opened(house.owner)
    await state.rename({"full_name": " Ada Nowak "})
    async with acting_as(house.owner) as tx:
        me = await sessions.me(tx)
    assert (me.full_name, state.saved) == ("Ada Nowak", "name")


@pytest.mark.req("DOM-UI-29")
async def test_a_wrong_or_short_password_is_marked_on_its_field(house: House) -> None:
    state = await opened(house.owner)
    await state.change_password({"current": "not it", "new": "short"})
    assert state.problems == {"new": "too_short"}
    await state.change_password({"current": "not it", "new": "long enough"})
    assert (state.problems, state.saved, state.changes) == ({"current": "wrong"}, "", 0)


async def test_changing_the_password_signs_the_other_devices_out(house: House) -> None:
    person = house.people["member"]
    other = await second_device(person)
    async with acting_as(person) as tx:
        await _give_password(tx.actor.person, "first password")
    state = await opened(person)
    await state.change_password({"current": "first password", "new": "second password"})
    assert (state.saved, state.changes, len(state.sessions), state.problems) == ("password", 1, 1, {})
    with pytest.raises(Unauthenticated):
        await page_state(AccountState, "/account", cookie=other).load()


async def _give_password(user_id: UserId, password: str) -> None:
    async with system_work() as tx:
        user = await repo.user(tx, user_id, lock=True)
        assert user is not None
        user.password_hash = await passwords.hash_password(password)


async def test_one_device_is_signed_out(house: House) -> None:
    other = await second_device(house.owner)
    state = await opened(house.owner)
    (row,) = [row for row in state.sessions if not row.is_current]
    await state.end_session(str(row.id))
    assert [left.is_current for left in state.sessions] == [True]
    with pytest.raises(Unauthenticated):
        await page_state(AccountState, "/account", cookie=other).load()


@pytest.mark.parametrize("given", ["", "not an id", "'; drop table sessions; --"])
async def test_what_is_no_id_names_no_device_and_no_organization(house: House, given: str) -> None:
    state = await opened(house.owner)
    with pytest.raises(NotFound):
        await state.end_session(given)
    with pytest.raises(NotFound):
        await state.choose_organization(given)


async def test_the_device_of_somebody_else_is_as_good_as_none(house: House) -> None:
    state = await opened(house.owner)
    (theirs,) = (await opened(house.people["member"])).sessions
    for session_id in (theirs.id, new_id()):
        with pytest.raises(NotFound):
            await state.end_session(str(session_id))
    assert len((await opened(house.people["member"])).sessions) == 1


async def test_signing_out_everywhere_asks_first_and_leads_to_the_sign_in_page(house: House) -> None:
    state = await opened(house.owner)
    state.ask(True)
    assert state.asking
    event = await state.end_all_sessions()
    assert isinstance(event, EventSpec)
    assert led_to(event) == "/sign-in"
    with pytest.raises(Unauthenticated):
        await page_state(AccountState, "/account", cookie=house.owner.cookie).load()


async def test_the_chosen_organization_is_shown_from_then_on(house: House) -> None:
    state = await opened(house.owner)
    other = await build_house("Zielona Przystań", roles=["owner"])
    with pytest.raises(NotFound):
        await state.choose_organization(str(other.id))
    event = await state.choose_organization(str(house.id))
    assert led_to(event) == "/chat"
    async with acting_as(house.owner) as tx:
        assert (await sessions.me(tx)).organization_id == house.id
