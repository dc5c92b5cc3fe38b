"""The page of API keys: what is listed, made, shown once, revoked."""

import pytest

from agenticos_app.errors import Forbidden, NotFound
from agenticos_app.kernel.ids import new_id
from agenticos_app.security.permissions import Permission
from agenticos_app.services import api_keys
from state.api_keys import ApiKeysState
from tests.api.keys import key_of
from tests.fakes.reflex_state import page_state
from tests.world import House, Person, build_house

pytestmark = pytest.mark.usefixtures("console")

FORM = {"key_name": "Nightly report", "group-ask": "on", "expires": "30"}


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def opened(person: Person) -> ApiKeysState:
    state = page_state(ApiKeysState, "/settings/api-keys", cookie=person.cookie)
    await state.load()
    return state


@pytest.mark.req("DOM-AUTH-14")
async def test_a_new_key_is_shown_until_its_panel_closes(house: House) -> None:
    state = await opened(house.owner)
    state.set_creating(True)
    await state.create(FORM)
    assert not state.creating
    assert state.fresh.startswith("aos_")
    assert state.example == (
        f'curl http://console.test/api/v1/agents -H "Authorization: Bearer {state.fresh}"'
    )
    (row,) = state.rows
    assert (row.name, row.groups, row.others, row.status) == ("Nightly report", ["ask"], 0, "active")
    assert row.expires_at is not None
    assert (row.shown[:12], row.shown[-4:]) == (state.fresh[:12], state.fresh[-4:])
    state.set_shown(False)
    assert (state.fresh, state.example) == ("", "")
    await state.create(FORM | {"expires": "never", "group-ask": "", "group-runs": "on"})
    assert (state.rows[0].expires_at, state.rows[0].groups) == (None, ["runs"])
    await state.load()
    assert state.fresh == ""


async def test_what_is_missing_is_said_beside_its_field(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await opened(house.owner)
    state.set_creating(True)
    await state.create({"key_name": " ", "expires": "30"})
    assert state.problems == {"name": "missing", "permissions": "too_short"}
    assert state.creating
    monkeypatch.setattr(api_keys, "KEYS_OF_A_PERSON", 0)
    await state.create(FORM)
    assert state.problems == {"name": "too_many_keys"}
    state.set_creating(True)
    assert state.problems == {}


@pytest.mark.req("DOM-AUTH-14")
@pytest.mark.parametrize(
    ("role", "groups"),
    [
        ("owner", ["ask", "runs", "models", "members", "settings"]),
        ("builder", ["ask", "runs", "models"]),
        ("member", ["ask"]),
        ("viewer", []),
    ],
)
async def test_only_what_the_person_holds_is_offered(house: House, role: str, groups: list[str]) -> None:
    state = await opened(house.people[role])
    assert state.groups == groups
    if not groups:
        with pytest.raises(Forbidden):
            await state.create(FORM)
    if "members" not in groups:
        with pytest.raises(Forbidden):
            await state.create(FORM | {"group-members": "on"})
    assert state.fresh == ""


@pytest.mark.req("DOM-AUTH-14")
async def test_who_manages_keys_sees_and_revokes_all_others_their_own(house: House) -> None:
    member = house.people["member"]
    theirs, mine = await key_of(member, [Permission.ML_INVOKE]), await key_of(house.owner)
    of_owner, of_member = await opened(house.owner), await opened(member)
    assert [(row.id, row.owner, row.is_own, row.others) for row in of_owner.rows] == [
        (mine.id, house.owner.name, True, 0),
        (theirs.id, member.name, False, 1),
    ]
    assert [row.id for row in of_member.rows] == [theirs.id]
    for key_id in (mine.id, new_id()):
        with pytest.raises(NotFound):
            await of_member.revoke(str(key_id))
    of_owner.ask_revoke(str(theirs.id))
    assert of_owner.revoking is not None
    await of_owner.revoke(str(theirs.id))
    assert of_owner.revoking is None
    assert [row.status for row in of_owner.rows] == ["active", "revoked"]
    await of_owner.toggle_usable()
    assert [row.id for row in of_owner.rows] == [mine.id]
    of_owner.ask_revoke(str(mine.id))
    of_owner.set_revoking(False)
    assert of_owner.revoking is None


async def test_more_keys_are_loaded_below(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        await key_of(house.owner, name=f"Key {number}")
    monkeypatch.setattr(api_keys.list_keys, "__kwdefaults__", {"cursor": "", "usable": False, "limit": 2})
    state = await opened(house.owner)
    assert [row.name for row in state.rows] == ["Key 2", "Key 1"]
    await state.more()
    assert [row.name for row in state.rows] == ["Key 2", "Key 1", "Key 0"]
    assert state.next_cursor == ""
    await state.more()
    assert len(state.rows) == 3


async def test_a_load_that_fails_says_so_and_can_be_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(api_keys, "list_keys", broken)
        state = await opened(house.owner)
    assert state.failure
    assert not state.loaded
    await state.load()
    assert (state.failure, state.loaded) == ("", True)
