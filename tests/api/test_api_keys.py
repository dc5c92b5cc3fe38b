"""`/api/v1/api-keys`, and what a key lets a program do: never more than its issuer may at that moment."""

import asyncio
from datetime import timedelta
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text
from sqlmodel import col, select

from agenticos_app.api.app import build_api
from agenticos_app.db.work import system_work
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import ApiKeyId, new_id
from agenticos_app.models import AuditEntry, Grant
from agenticos_app.schemas.api_keys import ApiKeyIssued
from agenticos_app.schemas.organizations import MemberChange
from agenticos_app.security import tokens
from agenticos_app.security.permissions import ROLES, Permission, Role
from agenticos_app.services import api_keys, organizations, sessions
from agenticos_app.services.session_watch import until_over
from agenticos_app.services.work import Credentials
from tests.api.keys import ASKS, api_with, key_of
from tests.fakes.asgi_socket import connected
from tests.world import House, acting_as, api_of, build_house, past_run, second_agent

pytestmark = pytest.mark.usefixtures("console")

KEYS = "/api/v1/api-keys"
AGENTS = "/api/v1/agents"
BODY = {"name": "Nightly report", "permissions": ["agents:view", "agents:run"]}


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def answer_to(token: str, path: str = AGENTS, **headers: str) -> httpx.Response:
    async with api_with(token, **headers) as api:
        return await api.get(path)


def refusal(answer: httpx.Response) -> tuple[int, str, object]:
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "details"}
    return answer.status_code, error["code"], error["details"].get("reason")


async def stored(key_id: UUID) -> dict[str, object]:
    async with system_work() as tx:
        query = text("SELECT * FROM api_keys WHERE id = :id")
        return dict((await tx.session.execute(query, {"id": key_id})).mappings().one())


@pytest.mark.req("DOM-AUTH-14")
async def test_a_key_is_shown_once_and_kept_as_a_hash(house: House) -> None:
    async with api_of(house.owner) as api:
        made = await api.post(KEYS, json=BODY)
        listed = await api.get(KEYS)
    assert made.status_code == 201
    token = made.json()["token"]
    assert tokens.read_key(token) is not None
    (row,) = listed.json()["rows"]
    assert token.startswith(row["prefix"])
    assert token.endswith(row["last_four"])
    secret = token[len(row["prefix"]) : -4]
    kept = await stored(UUID(row["id"]))
    assert kept["secret_hash"] == tokens.digest(token)
    assert secret not in listed.text
    assert not [name for name, value in kept.items() if secret in str(value)]
    assert (await answer_to(token)).status_code == 200


@pytest.mark.req("DOM-AUTH-14")
@pytest.mark.parametrize("role", [role.value for role in Role])
async def test_who_may_issue_and_what_they_may_give(house: House, role: str) -> None:
    person, may = house.people[role], ROLES[Role(role)]
    async with api_of(person) as api:
        asked = await api.post(KEYS, json=BODY)
        wider = await api.post(KEYS, json=BODY | {"permissions": ["audit:read"]})
        chain = await api.post(KEYS, json=BODY | {"permissions": ["api_keys:create"]})
    assert asked.status_code == (201 if Permission.API_KEYS_CREATE in may else 403)
    assert wider.status_code == (201 if Permission.AUDIT_READ in may else 403)
    assert chain.status_code == 403


@pytest.mark.req("DOM-AUTH-14")
async def test_managers_see_and_revoke_everybodys_keys_others_their_own(house: House) -> None:
    member, builder = house.people["member"], house.people["builder"]
    of_member, of_builder = await key_of(member), await key_of(builder)
    async with api_of(member) as api:
        assert [row["id"] for row in (await api.get(KEYS)).json()["rows"]] == [str(of_member.id)]
        assert (await api.delete(f"{KEYS}/{of_builder.id}")).status_code == 404
    async with api_of(house.people["admin"]) as api:
        rows = (await api.get(KEYS)).json()["rows"]
        assert {(row["id"], row["owner"], row["is_own"]) for row in rows} == {
            (str(of_member.id), member.name, False),
            (str(of_builder.id), builder.name, False),
        }
        assert (await api.delete(f"{KEYS}/{of_builder.id}")).status_code == 204
        assert (await api.delete(f"{KEYS}/{of_builder.id}")).status_code == 204
    assert (await answer_to(of_member.token)).status_code == 200
    assert refusal(await answer_to(of_builder.token)) == (401, "invalid_key", "revoked")


@pytest.mark.req("DOM-AUTH-14")
async def test_pages_of_keys_follow_each_other(house: House) -> None:
    made = [str((await key_of(house.owner, name=f"Key {n}")).id) for n in range(5)]
    seen, cursor = [], ""
    async with api_of(house.owner) as api:
        for _ in range(3):
            page = (await api.get(KEYS, params={"limit": 2, "cursor": cursor})).json()
            seen += [row["id"] for row in page["rows"]]
            cursor = page["next_cursor"]
        assert (await api.get(KEYS, params={"cursor": "x"})).status_code == 422
    assert (seen, cursor) == (made[::-1], "")


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"name": "  "}, "name", "missing"),
        ({"name": "a" * 101}, "name", "too_long"),
        ({"permissions": []}, "permissions", "too_short"),
        ({"permissions": ["everything"]}, "permissions.0", "invalid"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at", "too_small"),
        ({"expires_at": "2040-01-01T00:00:00"}, "expires_at", "invalid"),
        ({"colour": "red"}, "colour", "unexpected"),
    ],
)
async def test_what_does_not_fit_is_named(
    house: House, change: dict[str, object], field: str, problem: str
) -> None:
    async with api_of(house.owner) as api:
        answer = await api.post(KEYS, json=BODY | change)
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"] == [{"field": field, "message": problem}]


async def test_a_person_has_so_many_usable_keys(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_keys, "KEYS_OF_A_PERSON", 2)
    first = await key_of(house.owner)
    await key_of(house.owner)
    async with api_of(house.owner) as api:
        assert refusal(await api.post(KEYS, json=BODY)) == (409, "conflict", "too_many_keys")
        await api.delete(f"{KEYS}/{first.id}")
        assert (await api.post(KEYS, json=BODY)).status_code == 201


@pytest.mark.req("DOM-AUTH-14")
async def test_an_expired_and_a_wrong_key_are_refused_with_the_way_in(house: House) -> None:
    key = await key_of(house.owner, expires_at=now() + timedelta(hours=1))
    assert (await answer_to(key.token)).status_code == 200
    async with system_work() as tx:
        await tx.session.execute(
            text("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = :id"),
            {"id": key.id},
        )
    expired = await answer_to(key.token)
    assert refusal(expired) == (401, "invalid_key", "expired")
    assert expired.headers["www-authenticate"].startswith("Bearer ")
    other = tokens.new_key(key.id).text
    for wrong in (other, tokens.new_key(new_id()).text, key.token[:-1], "", "aos_", "x" * 64):
        assert refusal(await answer_to(wrong)) == (401, "invalid_key", "unknown")
    async with api_of(None) as api:
        nobody = await api.get(AGENTS)
    assert refusal(nobody) == (401, "unauthenticated", None)
    assert nobody.headers["www-authenticate"].startswith("Bearer ")


@pytest.mark.req("DOM-AUTH-14")
async def test_a_key_does_only_what_it_was_given(house: House) -> None:
    run_id = await past_run(house, house.people["member"])
    narrow, wide = await key_of(house.owner), await key_of(house.owner, [*ASKS, Permission.RUNS_VIEW])
    assert (await answer_to(narrow.token, f"/api/v1/runs/{run_id}")).status_code == 404
    assert (await answer_to(wide.token, f"/api/v1/runs/{run_id}")).status_code == 200
    assert (await answer_to(narrow.token, "/api/v1/models")).status_code == 403
    me = (await answer_to(narrow.token, "/api/v1/me")).json()
    assert me["permissions"] == {"agents:view": "all", "agents:run": "all"}


@pytest.mark.req("DOM-AUTH-14")
async def test_a_grant_to_the_issuer_does_not_widen_a_key(house: House) -> None:
    member = house.people["member"]
    agent_id = await second_agent(house, "Private")
    async with acting_as(house.owner) as tx:
        await tx.session.execute(
            text("UPDATE agents SET visibility = 'private' WHERE id = :id"), {"id": agent_id}
        )
        tx.add(
            Grant(
                id=new_id(),
                organization_id=house.id,
                resource_type="agent",
                resource_id=agent_id,
                user_id=member.user_id,
                level="use",
            )
        )
        await tx.flush()
    asks, looks_at_runs = await key_of(member), await key_of(member, [Permission.ML_INVOKE])
    assert (await answer_to(asks.token, f"{AGENTS}/{agent_id}")).status_code == 200
    assert (await answer_to(looks_at_runs.token, f"{AGENTS}/{agent_id}")).status_code == 404
    assert (await answer_to(looks_at_runs.token)).json()["rows"] == []


@pytest.mark.req("DOM-AUTH-14")
async def test_a_key_narrows_and_dies_with_its_issuer(house: House) -> None:
    builder = house.people["builder"]
    key = await key_of(builder, [*ASKS, Permission.RUNS_VIEW])
    of_others = await past_run(house, house.owner)
    read = f"/api/v1/runs/{of_others}"
    assert (await answer_to(key.token, read)).status_code == 200
    async with acting_as(house.owner) as tx:
        await organizations.change_member(tx, builder.user_id, MemberChange(role="viewer"))
    assert (await answer_to(key.token, read)).status_code == 404
    assert (await answer_to(key.token, "/api/v1/me")).json()["permissions"] == {"agents:view": "shared"}
    async with acting_as(house.owner) as tx:
        (row,) = (await api_keys.list_keys(tx)).rows
        assert row.effective_permissions == [Permission.AGENTS_VIEW]
        await organizations.remove_member(tx, builder.user_id)
    assert refusal(await answer_to(key.token)) == (401, "invalid_key", "dormant")


@pytest.mark.req("DOM-AUTH-14")
async def test_a_key_of_a_deactivated_account_is_refused(house: House) -> None:
    key = await key_of(house.people["member"])
    async with system_work() as tx:
        await tx.session.execute(
            text("UPDATE users SET is_active = false WHERE id = :id"),
            {"id": house.people["member"].user_id},
        )
    assert refusal(await answer_to(key.token)) == (401, "invalid_key", "dormant")
    async with acting_as(house.owner) as tx:
        assert [row.status for row in (await api_keys.list_keys(tx)).rows] == ["dormant"]


async def test_a_key_belongs_to_one_organization(house: House) -> None:
    elsewhere = await build_house("Elsewhere", roles=())
    async with acting_as(elsewhere.owner) as tx:
        slug = (await organizations.detail(tx)).slug
    key = await key_of(house.owner)
    for own in (str(house.id), house.id.hex):
        assert (await answer_to(key.token, **{"x-organization-id": own})).status_code == 200
    for other in (str(elsewhere.id), slug, str(new_id()), "nowhere"):
        told = await answer_to(key.token, **{"x-organization-id": other})
        assert refusal(told) == (404, "not_found", None)
    me = (await answer_to(key.token, "/api/v1/me")).json()
    assert [one["organization_id"] for one in me["memberships"]] == [str(house.id)]


async def test_a_key_wins_over_a_cookie(house: House) -> None:
    key = await key_of(house.people["member"])
    transport = httpx.ASGITransport(build_api())
    cookies = {sessions.COOKIE: house.owner.cookie}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://console.test", cookies=cookies
    ) as both:
        shown = {"authorization": f"bearer {key.token}"}
        assert (await both.get("/api/v1/me", headers=shown)).json()["email"] == house.people["member"].email
        wrong = {"authorization": "Bearer aos_nothing"}
        assert (await both.get("/api/v1/me", headers=wrong)).status_code == 401
        basic = {"authorization": "Basic Og=="}
        assert (await both.get("/api/v1/me", headers=basic)).json()["email"] == house.owner.email


@pytest.mark.req("DOM-AUTH-14")
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", KEYS, BODY),
        ("GET", KEYS, None),
        ("DELETE", f"{KEYS}/{UUID(int=7)}", None),
        ("GET", "/api/v1/me/sessions", None),
        ("DELETE", "/api/v1/me/sessions", None),
        ("DELETE", f"/api/v1/me/sessions/{UUID(int=7)}", None),
        ("PUT", "/api/v1/me/organization", {"organization_id": str(UUID(int=7))}),
        ("POST", "/api/v1/organizations", {"name": "Another"}),
    ],
)
async def test_what_only_a_person_does_refuses_keys(
    house: House, method: str, path: str, body: dict[str, object] | None
) -> None:
    every = [one for one in Permission if one not in api_keys.NEVER_GIVEN]
    key = await key_of(house.owner, every)
    async with api_with(key.token) as api:
        assert refusal(await api.request(method, path, json=body)) == (403, "person_needed", None)


@pytest.mark.req("DOM-AUTH-14")
async def test_the_last_use_is_noted_once_a_minute(house: House) -> None:
    key = await key_of(house.owner)
    await answer_to(key.token)
    first = await stored(key.id)
    assert first["last_used_ip"] == "127.0.0.1"
    await answer_to(key.token)
    assert (await stored(key.id))["last_used_at"] == first["last_used_at"]
    async with system_work() as tx:
        await tx.session.execute(
            text("UPDATE api_keys SET last_used_at = now() - interval '61 seconds' WHERE id = :id"),
            {"id": key.id},
        )
    await answer_to(key.token)
    assert str((await stored(key.id))["last_used_at"]) > str(first["last_used_at"])


async def ended(key: ApiKeyIssued) -> asyncio.Task[None]:
    watching = asyncio.create_task(until_over(Credentials(key=key.token)))
    await asyncio.sleep(0.2)
    assert not watching.done()
    return watching


@pytest.mark.req("DOM-AUTH-14")
async def test_what_a_key_has_open_closes_when_it_is_revoked(house: House) -> None:
    key = await key_of(house.owner)
    watching = await ended(key)
    async with acting_as(house.owner) as tx:
        await api_keys.revoke(tx, ApiKeyId(key.id))
    await asyncio.wait_for(watching, 5)
    assert watching.done()
    assert (await answer_to(key.token)).status_code == 401


async def test_sockets_take_keys_too_but_not_a_persons_signals(house: House) -> None:
    run_id = await past_run(house, house.owner)
    key = await key_of(house.owner)
    shown = {"authorization": f"Bearer {key.token}"}
    api = build_api()
    async with connected(api, f"/api/v1/runs/{run_id}/stream", headers=shown) as socket:
        messages = [dict(message) for message in await socket.until_closed()]
    assert '"completed"' in str(messages)
    async with connected(api, "/api/v1/events", headers=shown) as socket:
        assert "4403" in str([dict(message) for message in await socket.until_closed()])


def test_a_token_can_be_told_without_asking_anybody() -> None:
    key_id = new_id()
    token = tokens.new_key(key_id)
    read = tokens.read_key(token.text)
    assert read is not None
    assert read.key_id == key_id
    assert token.text not in repr(token)
    wrong = [token.text[:-1], token.text + "0", token.text.lower(), token.text.replace("aos_", "aoz_")]
    for position in range(4, len(token.text)):
        other = "1" if token.text[position] == "0" else "0"
        wrong.append(token.text[:position] + other + token.text[position + 1 :])
    assert [one for one in wrong if tokens.read_key(one) is not None] == []


@pytest.mark.req("DOM-AUTH-14")
async def test_conversations_need_a_key_that_may_run_and_leaving_needs_a_person(house: House) -> None:
    seeing = await key_of(house.owner, [Permission.AGENTS_VIEW])
    running = await key_of(house.owner)
    assert (await answer_to(seeing.token, "/api/v1/conversations")).status_code == 403
    assert (await answer_to(running.token, "/api/v1/conversations")).status_code == 200
    async with api_with(running.token) as api:
        left = await api.delete(f"/api/v1/organization/members/{house.owner.user_id}")
    assert left.json()["error"]["code"] == "person_needed"


@pytest.mark.req("DOM-AUDIT-01")
async def test_issuing_revoking_and_acting_with_a_key_are_on_the_trail(house: House) -> None:
    key = await key_of(house.owner, [Permission.ORG_SETTINGS])
    async with api_with(key.token) as api:
        assert (await api.patch("/api/v1/organization", json={"name": "Other"})).status_code == 200
    async with api_of(house.owner) as api:
        assert (await api.delete(f"{KEYS}/{key.id}")).status_code == 204
    async with system_work() as tx:
        query = select(AuditEntry).where(col(AuditEntry.organization_id) == house.id)
        entries = list((await tx.session.execute(query.order_by(col(AuditEntry.id)))).scalars())
    assert [one.action for one in entries][-3:] == [
        "api_key.created",
        "organization.changed",
        "api_key.revoked",
    ]
    assert entries[-2].details["api_key_id"] == str(key.id)
