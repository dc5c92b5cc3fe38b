"""Sessions: a row behind an opaque cookie, rotated, listed, ended, and gone from the next use on."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from uuid import UUID

import pytest

from agenticos_app.api import leaving
from agenticos_app.api.app import build_api
from agenticos_app.contracts.events import RunStatus
from agenticos_app.errors import Unauthenticated
from agenticos_app.kernel.clock import now
from agenticos_app.models import Session
from agenticos_app.services import accounts, organizations, sessions
from agenticos_app.services.work import system_work
from tests.fakes.asgi_socket import Socket, connected
from tests.world import House, Person, acting_as, actor_of, api_of, build_house, past_run

pytestmark = pytest.mark.usefixtures("console")

ENDED = {"type": "websocket.close", "code": 4401, "reason": "unauthenticated"}


@pytest.fixture(autouse=True)
async def serving() -> None:
    leaving.start()


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("member",))


def session_id(cookie: str) -> UUID:
    return UUID(hex=cookie.partition(".")[0])


async def row_of(cookie: str) -> Session:
    async with system_work() as tx:
        row = await tx.session.get(Session, session_id(cookie))
        assert row is not None
        return row


async def aged(cookie: str, **by: timedelta) -> None:
    """Make a session's times lie further back."""
    async with system_work() as tx:
        row = await tx.session.get(Session, session_id(cookie))
        assert row is not None
        for name, time in by.items():
            setattr(row, name, getattr(row, name) - time)


async def another_device(person: Person, user_agent: str = "curl/8.9.1") -> Person:
    async with system_work() as tx:
        user = await sessions.repo.user(tx, person.user_id)
        assert user is not None
        cookie = await sessions.open_session(
            tx, user, sessions.Client(ip_address="192.0.2.7", user_agent=user_agent)
        )
    return Person(person.user_id, person.name, person.email, cookie)


async def is_signed_in(person: Person) -> bool:
    async with api_of(person) as api:
        answer = await api.get("/api/v1/me")
    if answer.status_code != 200:
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthenticated")
    return answer.status_code == 200


@pytest.mark.req("DOM-AUTH-05")
async def test_the_row_holds_a_hash_and_where_the_device_is(house: House) -> None:
    phone = await another_device(house.owner, "Mozilla/5.0 (iPhone) CriOS/140 Mobile Safari/604")
    row, secret = await row_of(phone.cookie), phone.cookie.partition(".")[2]
    assert len(secret) >= 43
    assert secret.encode() not in row.secret_hash
    assert (row.device, row.device_type, row.ip_address) == ("Chrome, iOS", "phone", "192.0.2.7")
    assert row.user_agent.startswith("Mozilla/5.0 (iPhone)")
    assert row.expires_at - row.created_at < timedelta(days=30, minutes=1)
    assert now() - row.last_used_at < timedelta(minutes=1)


@pytest.mark.req("DOM-AUTH-05")
@pytest.mark.parametrize(
    ("unused", "old", "works"),
    [
        (timedelta(days=6, hours=23), timedelta(days=6, hours=23), True),
        (timedelta(days=7, minutes=1), timedelta(days=7), False),
        (timedelta(0), timedelta(days=29, hours=23), True),
        (timedelta(0), timedelta(days=30, minutes=1), False),
    ],
)
async def test_a_session_ends_after_7_days_without_use_and_after_30_anyway(
    house: House, unused: timedelta, old: timedelta, works: bool
) -> None:
    await aged(house.owner.cookie, last_used_at=unused, expires_at=old, created_at=old)
    assert await is_signed_in(house.owner) is works


@pytest.mark.req("DOM-AUTH-05")
async def test_use_moves_the_seven_days_and_not_the_thirty(house: House) -> None:
    before = await row_of(house.owner.cookie)
    await aged(house.owner.cookie, last_used_at=timedelta(days=6))
    assert await is_signed_in(house.owner)
    after = await row_of(house.owner.cookie)
    assert now() - after.last_used_at < timedelta(minutes=1)
    assert after.expires_at == before.expires_at


@pytest.mark.req("DOM-AUTH-05")
async def test_the_secret_rotates_daily_and_the_old_one_lasts_until_the_next(house: House) -> None:
    first = house.owner.cookie

    async def rotated(cookie: str) -> str | None:
        async with system_work() as tx:
            return await sessions.rotate(tx, cookie)

    assert await rotated(first) is None
    await aged(first, rotated_at=timedelta(hours=25))
    answers = await asyncio.gather(*(rotated(first) for _ in range(3)))
    (second,) = [answer for answer in answers if answer]
    assert session_id(second) == session_id(first)
    assert second != first
    assert await rotated(first) is None
    for cookie in (first, second):
        assert await is_signed_in(Person(house.owner.user_id, "", "", cookie))
    await aged(second, rotated_at=timedelta(hours=25))
    third = await rotated(second)
    assert third is not None
    assert not await is_signed_in(Person(house.owner.user_id, "", "", first))
    with pytest.raises(Unauthenticated):
        await rotated(first)


@pytest.mark.req("DOM-AUTH-05")
@pytest.mark.parametrize(
    "forge",
    [
        lambda cookie: "",
        lambda cookie: "nonsense",
        lambda cookie: cookie.partition(".")[0],
        lambda cookie: cookie.partition(".")[0] + ".",
        lambda cookie: cookie[:-1] + ("A" if cookie[-1] != "A" else "B"),
        lambda cookie: "0" * 32 + "." + cookie.partition(".")[2],
        lambda cookie: cookie + "x",
    ],
)
async def test_a_cookie_that_was_not_given_out_is_nobody(house: House, forge: Callable[[str], str]) -> None:
    assert not await is_signed_in(Person(house.owner.user_id, "", "", forge(house.owner.cookie)))


@pytest.mark.req("DOM-AUTH-06")
async def test_people_see_their_devices_and_sign_one_out(house: House) -> None:
    phone = await another_device(house.owner)
    async with api_of(house.owner) as api:
        rows = (await api.get("/api/v1/me/sessions")).json()
        current = [row["id"] for row in rows if row["is_current"]]
        assert {row["id"] for row in rows} == {
            str(session_id(house.owner.cookie)),
            str(session_id(phone.cookie)),
        }
        assert current == [str(session_id(house.owner.cookie))]
        assert "secret" not in str(rows)
        ended = await api.delete(f"/api/v1/me/sessions/{session_id(phone.cookie)}")
        assert ended.status_code == 204
        assert (await api.delete(f"/api/v1/me/sessions/{session_id(phone.cookie)}")).status_code == 404
    assert not await is_signed_in(phone)
    assert await is_signed_in(house.owner)


@pytest.mark.req("DOM-AUTH-06")
async def test_signing_out_everywhere_ends_every_device_and_nobody_elses(house: House) -> None:
    phone = await another_device(house.owner)
    async with api_of(phone) as api:
        assert (await api.delete("/api/v1/me/sessions")).status_code == 204
    assert [await is_signed_in(one) for one in (phone, house.owner)] == [False, False]
    assert await is_signed_in(house.people["member"])


@pytest.mark.req("DOM-AUTH-06")
async def test_a_deactivated_person_is_refused_at_the_next_request_even_after_activation(
    house: House,
) -> None:
    phone = await another_device(house.owner)
    async with system_work() as tx:
        await accounts.set_active(tx, house.owner.email, active=False)
    assert [await is_signed_in(one) for one in (phone, house.owner)] == [False, False]
    async with system_work() as tx:
        await accounts.set_active(tx, house.owner.email, active=True)
    assert not await is_signed_in(phone)


@pytest.mark.req("DOM-AUTH-06")
async def test_the_flag_alone_refuses_a_session_that_was_left(house: House) -> None:
    async with system_work() as tx:
        user = await sessions.repo.user(tx, house.owner.user_id)
        assert user is not None
        user.is_active = False
    assert not await is_signed_in(house.owner)


async def test_signing_out_clears_the_cookie_and_works_twice(house: House) -> None:
    async with api_of(house.owner) as api:
        out = await api.post("/api/v1/auth/sign-out")
        assert out.status_code == 204
        assert 'aos_session=""' in out.headers["set-cookie"]
        assert (await api.post("/api/v1/auth/sign-out")).status_code == 204
    assert not await is_signed_in(house.owner)


async def test_a_new_password_signs_the_other_devices_out(house: House) -> None:
    phone = await another_device(house.owner)
    async with system_work() as tx:
        user = await sessions.repo.user(tx, house.owner.user_id)
        assert user is not None
        user.password_hash = await accounts.passwords.hash_password("correct horse")
    actor = await actor_of(house.owner)
    await accounts.change_password(actor, current="correct horse", new="another horse")
    assert await is_signed_in(house.owner)
    assert not await is_signed_in(phone)


async def test_sessions_that_are_over_are_forgotten(house: House) -> None:
    phone = await another_device(house.owner)
    await aged(phone.cookie, last_used_at=timedelta(days=8))
    async with acting_as(house.owner) as tx:
        assert len(await sessions.list_sessions(tx)) == 1
    async with system_work() as tx:
        assert await sessions.forget_old(tx) >= 1
        assert await tx.session.get(Session, session_id(phone.cookie)) is None
        assert await tx.session.get(Session, session_id(house.owner.cookie)) is not None


Opened = Callable[[House], AbstractAsyncContextManager[Socket]]


@asynccontextmanager
async def run_stream(house: House) -> AsyncGenerator[Socket]:
    run_id = await past_run(house, house.owner, status=RunStatus.RUNNING)
    cookie = f"{sessions.COOKIE}={house.owner.cookie}"
    async with connected(build_api(), f"/api/v1/runs/{run_id}/stream", cookie=cookie) as socket:
        assert (await socket.next())["type"] == "websocket.accept"
        assert '"snapshot"' in (await socket.next())["text"]
        yield socket


@asynccontextmanager
async def signals(house: House) -> AsyncGenerator[Socket]:
    cookie = f"{sessions.COOKIE}={house.owner.cookie}"
    async with connected(build_api(), "/api/v1/events", cookie=cookie) as socket:
        assert (await socket.next())["type"] == "websocket.accept"
        assert (await socket.next())["text"] == '{"kind":"listening"}'
        yield socket


async def sign_this_one_out(house: House) -> None:
    async with api_of(house.owner) as api:
        await api.delete(f"/api/v1/me/sessions/{session_id(house.owner.cookie)}")


async def sign_out_everywhere(house: House) -> None:
    async with api_of(await another_device(house.owner)) as api:
        await api.delete("/api/v1/me/sessions")


async def sign_out(house: House) -> None:
    async with api_of(house.owner) as api:
        await api.post("/api/v1/auth/sign-out")


async def switch_the_account_off(house: House) -> None:
    async with system_work() as tx:
        await accounts.set_active(tx, house.owner.email, active=False)


@pytest.mark.req("DOM-AUTH-05", "DOM-AUTH-06")
@pytest.mark.parametrize("opened", [run_stream, signals])
@pytest.mark.parametrize("end", [sign_this_one_out, sign_out_everywhere, sign_out, switch_the_account_off])
async def test_an_open_socket_closes_within_a_second_of_the_end_of_its_session(
    house: House, opened: Opened, end: Callable[[House], AbstractAsyncContextManager[None]]
) -> None:
    async with opened(house) as socket:
        await end(house)  # type: ignore[misc]
        assert (await socket.until_closed(within_s=1))[-1] == ENDED


@pytest.mark.req("DOM-AUTH-05")
@pytest.mark.parametrize("opened", [run_stream, signals])
async def test_the_end_of_another_session_leaves_a_socket_open(house: House, opened: Opened) -> None:
    phone = await another_device(house.owner)
    async with opened(house) as socket:
        async with api_of(house.owner) as api:
            await api.delete(f"/api/v1/me/sessions/{session_id(phone.cookie)}")
        with pytest.raises(TimeoutError):
            await socket.until_closed(within_s=0.1)


@pytest.mark.req("DOM-AUTH-05")
async def test_a_socket_without_a_session_is_refused(house: House) -> None:
    run_id = await past_run(house, house.owner, status=RunStatus.RUNNING)
    for address in (f"/api/v1/runs/{run_id}/stream", "/api/v1/events"):
        async with connected(build_api(), address) as socket:
            assert (await socket.until_closed())[-1] == ENDED


@pytest.mark.req("DOM-ORG-08")
async def test_a_request_acts_in_the_organization_it_names_and_else_in_the_remembered_one(
    house: House,
) -> None:
    second = await build_house("Second Place", roles=())
    async with acting_as(second.owner) as tx:
        await organizations.add_member(tx, organizations.MemberAdd(email=house.owner.email, role="viewer"))
        slug = (await organizations.detail(tx)).slug

    async with api_of(house.owner) as api:

        async def here(**asked: dict[str, str]) -> tuple[str, str]:
            me = (await api.get("/api/v1/me", **asked)).json()  # type: ignore[arg-type]
            return me["organization_id"], me["role"]

        assert await here() == (str(house.id), "owner")
        for named in ({"X-Organization-Id": str(second.id)}, {"X-Organization-Id": slug}):
            assert await here(headers=named) == (str(second.id), "viewer")
        assert await here(params={"organization": str(second.id)}) == (str(second.id), "viewer")
        assert await here() == (str(house.id), "owner"), "naming one does not choose it"
        chosen = await api.put("/api/v1/me/organization", json={"organization_id": str(second.id)})
        assert chosen.status_code == 204
        assert await here() == (str(second.id), "viewer")
        assert await here(headers={"X-Organization-Id": str(house.id)}) == (str(house.id), "owner")


@pytest.mark.req("DOM-ORG-08")
async def test_whoever_leaves_the_remembered_organization_acts_in_one_of_the_others(house: House) -> None:
    member = house.people["member"]
    async with api_of(member) as api:
        own = (await api.post("/api/v1/organizations", json={"name": "My own"})).json()
        assert (await api.get("/api/v1/me")).json()["organization_id"] == str(house.id)
        assert (await api.delete(f"/api/v1/organization/members/{member.user_id}")).status_code == 204
        assert (await api.get("/api/v1/me")).json()["organization_id"] == own["id"]
        named = await api.get("/api/v1/me", headers={"X-Organization-Id": str(house.id)})
        assert named.status_code == 404


@pytest.mark.req("DOM-AUTH-16", "DOM-ORG-08")
async def test_a_deployment_administrator_may_do_everything_in_an_organization_of_others(
    house: House,
) -> None:
    admin = (await build_house("Operations", roles=())).owner
    there = {"X-Organization-Id": str(house.id)}
    async with api_of(admin) as api:
        assert (await api.get("/api/v1/me", headers=there)).status_code == 404
    async with system_work() as tx:
        await accounts.set_app_admin(tx, admin.email, admin=True)
    async with api_of(admin) as api:
        me = (await api.get("/api/v1/me", headers=there)).json()
        assert (me["organization_id"], me["role"], me["is_app_admin"]) == (str(house.id), "", True)
        assert set(me["permissions"].values()) == {"all"}
        assert len(me["permissions"]) == 32
        changed = await api.patch("/api/v1/organization", json={"name": "Renamed"}, headers=there)
        assert changed.status_code == 200
        run_id = await past_run(house, house.people["member"])
        assert (await api.get(f"/api/v1/runs/{run_id}", headers=there)).status_code == 200
    async with system_work() as tx:
        await accounts.set_app_admin(tx, admin.email, admin=False)
    async with api_of(admin) as api:
        assert (await api.get("/api/v1/me", headers=there)).status_code == 404


@pytest.mark.req("DOM-AUTH-16")
async def test_what_reaches_the_deployment_is_for_its_administrators_alone(house: House) -> None:
    body = {"provider": "openai", "base_url": "http://models.test/v1", "model_name": "m"}
    async with api_of(house.owner) as api:
        refused = await api.put("/api/v1/models/default", json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    async with system_work() as tx:
        await accounts.set_app_admin(tx, house.owner.email, admin=True)
    async with api_of(house.owner) as api:
        assert (await api.put("/api/v1/models/default", json=body)).status_code == 200


@pytest.mark.req("DOM-ORG-09")
async def test_a_membership_with_an_unknown_role_may_do_nothing(house: House) -> None:
    member = house.people["member"]
    async with acting_as(house.owner) as tx:
        row = await sessions.repo.membership(tx, member.user_id)
        assert row is not None
        row.role = "superowner"
    async with api_of(member) as api:
        assert (await api.get("/api/v1/me")).json()["permissions"] == {}
        assert (await api.get("/api/v1/agents")).json()["rows"] == []
        assert (await api.get(f"/api/v1/agents/{house.agent_id}")).status_code == 404
