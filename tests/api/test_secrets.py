"""The vault over HTTP: who reaches what, and that values go in and never come out."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from agenticos_app.contracts.secrets import ApiKey, GithubOauthApp, document_of
from agenticos_app.errors import Forbidden, InvalidInput, KeyUnavailable, NotFound
from agenticos_app.kernel.ids import ModelProfileId, SecretId, new_id
from agenticos_app.models import ModelProfile
from agenticos_app.security.seal import Place
from agenticos_app.services import deployment, model_access, secrets
from agenticos_app.services.work import system_work
from tests.world import House, Person, acting_as, api_of, build_house, somebody

pytestmark = pytest.mark.usefixtures("console")

VALUE = "sk-first-value-1111"
SECOND = "sk-second-value-2222"


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


def key(**changes: object) -> dict[str, Any]:
    body = {"name": f"Key {uuid4().hex[:8]}", "purpose": "openai", "visibility": "org"}
    return body | {"value": {"kind": "api_key", "api_key": VALUE}} | changes


async def made(person: Person, **changes: object) -> dict[str, Any]:
    async with api_of(person) as api:
        answer = await api.post("/api/v1/secrets", json=key(**changes))
    assert answer.status_code == 201, answer.text
    return answer.json()


async def status(person: Person, method: str, path: str, body: object = None) -> int:
    async with api_of(person) as api:
        return (await api.request(method, f"/api/v1/secrets{path}", json=body)).status_code


async def seen(person: Person) -> set[str]:
    async with api_of(person) as api:
        return {row["id"] for row in (await api.get("/api/v1/secrets")).json()}


async def opened(house: House, secret_id: str, purpose: str = "openai") -> str:
    async with acting_as(house.owner, organization=house.id) as tx:
        payload = await secrets.opened(tx, UUID(secret_id), purpose=purpose)
    assert isinstance(payload, ApiKey)
    return payload.api_key.get_secret_value()


async def bound(house: House, secret_id: str, name: str = "Sea 1") -> UUID:
    """Make a model profile that uses the secret."""
    async with acting_as(house.owner) as tx:
        profile = ModelProfile(
            id=new_id(),
            organization_id=house.id,
            name=name,
            provider="openai",
            params={},
            model_name="sea-1",
            base_url="http://models.test/v1",
            secret_id=UUID(secret_id),
        )
        tx.add(profile)
        await tx.flush()
    return profile.id


@pytest.mark.req("DOM-SECRET-04", "DOM-SECRET-08", "DOM-UI-19")
async def test_a_secret_is_shown_by_everything_but_its_value(house: House) -> None:
    row = await made(house.owner, name="Main key", description="For the support desk")
    shown = {
        "name": "Main key",
        "description": "For the support desk",
        "kind": "api_key",
        "purpose": "openai",
        "visibility": "org",
        "hint": "1111",
        "owner_name": "Owner Person",
        "added_by": "Owner Person",
        "rotated_at": None,
        "last_used_at": None,
        "used_by": [],
        "is_mine": True,
        "may_edit": True,
    }
    assert {name: value for name, value in row.items() if name not in ("id", "created_at")} == shown
    async with api_of(house.owner) as api:
        listed = await api.get("/api/v1/secrets")
        one = await api.get(f"/api/v1/secrets/{row['id']}")
    assert (listed.json(), one.json()) == ([row], row)
    assert VALUE not in listed.text + one.text


@pytest.mark.req("DOM-SECRET-04")
async def test_a_name_is_taken_once_in_an_organization(house: House) -> None:
    await made(house.owner, name="Main key")
    async with api_of(house.owner) as api:
        answer = await api.post("/api/v1/secrets", json=key(name="Main key"))
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["fields"] == [{"field": "name", "message": "taken"}]
    other = await build_house("Other", roles=())
    assert (await made(other.owner, name="Main key"))["name"] == "Main key"


@pytest.mark.req("DOM-SECRET-07")
@pytest.mark.parametrize(
    "changes",
    [
        {"purpose": "bedrock"},
        {"purpose": "no_such_service"},
        {"purpose": "tavily", "value": {"kind": "github_oauth_app", "client_id": "a", "client_secret": "b"}},
        {"value": {"kind": "none"}},
        {"value": {"api_key": VALUE}},
        {"value": None},
    ],
)
async def test_a_value_of_another_kind_than_the_purposes_is_refused(
    house: House, changes: dict[str, object]
) -> None:
    async with api_of(house.owner) as api:
        answer = await api.post("/api/v1/secrets", json=key(**changes))
    assert answer.status_code == 422
    assert VALUE not in answer.text
    assert await seen(house.owner) == set()


@pytest.mark.req("DOM-SECRET-07")
async def test_pickers_filter_by_purpose_and_a_key_for_another_service_is_refused(house: House) -> None:
    row = await made(house.owner, purpose="tavily")
    await made(house.owner, purpose="exa")
    async with api_of(house.owner) as api:
        found = await api.get("/api/v1/secrets?purpose=tavily&purpose=brave")
        wrong = await api.get("/api/v1/secrets?purpose=unknown")
    assert [one["id"] for one in found.json()] == [row["id"]]
    assert wrong.status_code == 422
    assert await opened(house, row["id"], "tavily") == VALUE
    with pytest.raises(KeyUnavailable) as refusal:
        await opened(house, row["id"], "openai")
    assert refusal.value.details["reason"] == "purpose"
    async with acting_as(house.owner) as tx:
        await secrets.require_bindable(tx, SecretId(UUID(row["id"])), purposes=["tavily"])
        with pytest.raises(InvalidInput):
            await secrets.require_bindable(tx, SecretId(UUID(row["id"])), purposes=["openai"])


@pytest.mark.req("DOM-SECRET-09")
async def test_roles_reach_what_their_scopes_say(house: House) -> None:
    people = house.people
    shared, private = await made(house.owner), await made(house.owner, visibility="private")
    own = await made(people["member"], visibility="private")
    everything = {shared["id"], private["id"], own["id"]}
    expected = {
        "owner": everything,
        "admin": everything,
        "builder": {shared["id"]},
        "operator": {shared["id"]},
        "member": {shared["id"], own["id"]},
        "viewer": set(),
    }
    assert {role: await seen(person) for role, person in people.items()} == expected
    for role, may in {"operator": 403, "viewer": 403, "builder": 201, "member": 201}.items():
        assert await status(people[role], "POST", "", key()) == may, role
    value = {"value": {"kind": "api_key", "api_key": SECOND}}
    for role, rotated in {
        "builder": 403,
        "operator": 403,
        "member": 403,
        "viewer": 404,
        "admin": 200,
    }.items():
        assert await status(people[role], "PUT", f"/{shared['id']}/value", value) == rotated, role
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/used-by", None),
        ("GET", "/shares", None),
        ("PATCH", "", {"name": "Mine"}),
        ("PUT", "/value", value),
        ("DELETE", "", None),
    ):
        assert await status(people["builder"], method, f"/{private['id']}{path}", body) == 404, (method, path)
    assert await opened(house, private["id"]) == VALUE
    assert await status(people["member"], "PUT", f"/{own['id']}/value", value) == 200
    assert await opened(house, own["id"]) == SECOND


@pytest.mark.req("DOM-SECRET-10", "DOM-SECRET-18")
async def test_binding_needs_sight_by_role_or_a_grant_to_use(house: House) -> None:
    private, builder = await made(house.owner, visibility="private"), house.people["builder"]
    secret_id = SecretId(UUID(private["id"]))

    async def bind() -> None:
        async with acting_as(builder) as tx:
            await secrets.require_bindable(tx, secret_id, purposes=["openai"])

    for unseen in (secret_id, SecretId(new_id())):
        async with acting_as(builder) as tx:
            with pytest.raises(NotFound) as refusal:
                await secrets.require_bindable(tx, unseen, purposes=["openai"])
        assert refusal.value.details == {}
    shares = f"/{private['id']}/shares/{builder.user_id}"
    assert await status(house.owner, "PUT", shares, {"level": "read"}) == 200
    with pytest.raises(Forbidden):
        await bind()
    assert await status(house.owner, "PUT", shares, {"level": "use"}) == 200
    await bind()
    assert await status(house.owner, "DELETE", shares) == 204
    with pytest.raises(NotFound):
        await bind()


@pytest.mark.req("DOM-SECRET-18", "DOM-PERM-07", "DOM-PERM-08")
async def test_a_grant_widens_access_to_one_secret_and_nothing_else(house: House) -> None:
    viewer = house.people["viewer"]
    one, other = await made(house.owner), await made(house.owner)
    shares = f"/{one['id']}/shares/{viewer.user_id}"
    value = {"value": {"kind": "api_key", "api_key": SECOND}}
    for level, rotates, shared in (("read", 403, 403), ("use", 403, 403), ("edit", 200, 200)):
        assert await status(house.owner, "PUT", shares, {"level": level}) == 200
        assert await seen(viewer) == {one["id"]}
        assert await status(viewer, "PUT", f"/{one['id']}/value", value) == rotates, level
        assert await status(viewer, "GET", f"/{one['id']}/shares") == shared, level
        assert await status(viewer, "GET", f"/{other['id']}") == 404
    async with api_of(house.owner) as api:
        people = (await api.get(f"/api/v1/secrets/{one['id']}/shares")).json()["people"]
    assert [(row["user_id"], row["level"]) for row in people] == [(str(viewer.user_id), "edit")]
    assert await status(viewer, "POST", "", key()) == 403
    # A lower grant takes nothing from a role that reaches further.
    admin = house.people["admin"]
    assert await status(house.owner, "PUT", f"/{one['id']}/shares/{admin.user_id}", {"level": "read"}) == 200
    assert await status(admin, "PATCH", f"/{one['id']}", {"description": "Still mine to change"}) == 200


@pytest.mark.req("DOM-SECRET-18")
async def test_nobody_outside_the_organization_is_given_a_secret(house: House) -> None:
    row, stranger = await made(house.owner), await somebody("Stranger One")
    for user_id in (stranger.user_id, new_id()):
        assert await status(house.owner, "PUT", f"/{row['id']}/shares/{user_id}", {"level": "use"}) == 404
        assert await status(house.owner, "DELETE", f"/{row['id']}/shares/{user_id}") == 404
    member = house.people["member"]
    path = f"/{row['id']}/shares/{member.user_id}"
    assert await status(house.owner, "PUT", path, {"level": "admin"}) == 422
    assert await status(house.owner, "PUT", path, {"level": "edit"}) == 200
    async with api_of(house.owner) as api:
        await api.delete(f"/api/v1/organization/members/{member.user_id}")
        assert (await api.get(f"/api/v1/secrets/{row['id']}/shares")).json()["people"] == []


@pytest.mark.req("DOM-SECRET-13")
async def test_a_rotated_secret_keeps_its_id_and_its_uses_take_the_new_value(house: House) -> None:
    row = await made(house.owner)
    await bound(house, row["id"])
    assert await opened(house, row["id"]) == VALUE
    async with api_of(house.owner) as api:
        body = {"value": {"kind": "api_key", "api_key": SECOND}}
        rotated = (await api.put(f"/api/v1/secrets/{row['id']}/value", json=body)).json()
        other = {"value": {"kind": "google_oauth_app", "client_id": "c", "client_secret": SECOND}}
        refused = await api.put(f"/api/v1/secrets/{row['id']}/value", json=other)
    assert (rotated["id"], rotated["hint"]) == (row["id"], "2222")
    assert rotated["rotated_at"] is not None
    assert [use["name"] for use in rotated["used_by"]] == ["Sea 1"]
    assert await opened(house, row["id"]) == SECOND
    assert refused.status_code == 422


@pytest.mark.req("DOM-SECRET-12", "DOM-UI-19")
async def test_a_secret_in_use_is_deleted_with_the_list_of_what_breaks(house: House) -> None:
    row = await made(house.owner)
    profile_id = await bound(house, row["id"])
    use = {"type": "model_profile", "id": str(profile_id), "name": "Sea 1"}
    async with api_of(house.owner) as api:
        assert (await api.get(f"/api/v1/secrets/{row['id']}/used-by")).json() == [use]
        gone = await api.delete(f"/api/v1/secrets/{row['id']}")
        assert (gone.status_code, gone.json()) == (200, {"broken": [use]})
        assert (await api.get(f"/api/v1/secrets/{row['id']}")).status_code == 404
    async with acting_as(house.owner) as tx:
        profile = await tx.session.get(ModelProfile, profile_id)
    assert profile is not None
    assert profile.secret_id is None
    with pytest.raises(KeyUnavailable) as refusal:
        await opened(house, row["id"])
    assert refusal.value.details == {"reason": "missing"}
    left = await scalar("SELECT count(*) FROM grants WHERE resource_id = :id", row["id"])
    assert left == 0


async def scalar(query: str, row_id: str) -> Any:
    async with system_work() as tx:
        return (await tx.session.execute(text(query), {"id": row_id})).scalar_one()


async def test_use_is_noted_at_most_once_a_minute(house: House) -> None:
    row = await made(house.owner)
    used = "SELECT last_used_at FROM secrets WHERE id = :id"
    await opened(house, row["id"])
    first = await scalar(used, row["id"])
    await opened(house, row["id"])
    assert first is not None
    assert await scalar(used, row["id"]) == first
    async with system_work() as tx:
        back = text("UPDATE secrets SET last_used_at = last_used_at - interval '2 minutes' WHERE id = :id")
        await tx.session.execute(back, {"id": row["id"]})
    await opened(house, row["id"])
    assert await scalar(used, row["id"]) > first


async def test_nobody_waits_to_note_the_use_of_a_secret(house: House) -> None:
    row = await made(house.owner)
    async with system_work() as tx:
        await tx.session.execute(
            text("SELECT 1 FROM secrets WHERE id = :id FOR NO KEY UPDATE"), {"id": row["id"]}
        )
        assert await opened(house, row["id"]) == VALUE


@pytest.mark.req("DOM-SECRET-02", "DOM-SECRET-06")
@pytest.mark.parametrize("moved", ["organization", "kind", "payload"])
async def test_a_copied_row_does_not_open(house: House, moved: str) -> None:
    row, other = await made(house.owner), await build_house("Elsewhere", roles=())
    purpose = "openai"
    async with system_work() as tx:
        where = {"id": row["id"], "there": str(other.id)}
        if moved == "organization":
            await tx.session.execute(
                text("UPDATE secrets SET organization_id = :there WHERE id = :id"), where
            )
        elif moved == "kind":
            change = "UPDATE secrets SET kind = 'github_oauth_app' WHERE id = :id"
            await tx.session.execute(text(change), where)
        else:
            second = await made(other.owner)
            copied = (
                "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE id = :other) WHERE id = :id"
            )
            await tx.session.execute(text(copied), {**where, "other": second["id"]})
    at = other if moved == "organization" else house
    with pytest.raises(KeyUnavailable) as refusal:
        await opened(at, row["id"], purpose)
    assert refusal.value.details["reason"] == "sealed"


async def test_too_many_values_within_a_minute_are_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "WRITES_PER_MINUTE", 2)
    codes = [await status(house.people["member"], "POST", "", key()) for _ in range(3)]
    assert codes == [201, 201, 429]


async def test_a_full_vault_says_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await made(house.owner)
    monkeypatch.setattr(secrets, "MOST", 1)
    async with api_of(house.owner) as api:
        answer = await api.post("/api/v1/secrets", json=key())
    assert (answer.status_code, answer.json()["error"]["details"]) == (409, {"reason": "vault_full"})


async def test_words_are_changed_and_absent_ones_stay(house: House) -> None:
    row = await made(house.owner, name="Old", description="Words")
    async with api_of(house.owner) as api:
        changed = (await api.patch(f"/api/v1/secrets/{row['id']}", json={"name": "New"})).json()
        hidden = await api.patch(f"/api/v1/secrets/{row['id']}", json={"visibility": "private"})
        taken = await made(house.owner, name="Taken")
        refused = await api.patch(f"/api/v1/secrets/{row['id']}", json={"name": taken["name"]})
        same = await api.patch(f"/api/v1/secrets/{row['id']}", json={"name": "New"})
    assert (changed["name"], changed["description"], changed["visibility"]) == ("New", "Words", "org")
    assert hidden.json()["visibility"] == "private"
    assert (refused.status_code, same.status_code) == (422, 200)
    assert await seen(house.people["member"]) == {taken["id"]}


@pytest.mark.req("DOM-SECRET-06")
async def test_a_value_of_another_kind_than_its_row_says_does_not_open(house: House) -> None:
    row = await made(house.owner)
    app = GithubOauthApp(client_id="Iv1.0011223344", client_secret=SecretStr(VALUE))
    async with acting_as(house.owner) as tx:
        secret = await secrets.repo.get(tx, UUID(row["id"]))
        assert secret is not None
        place = Place("organization", house.id, "api_key")
        secret.sealed = deployment.current().sealer.seal(document_of(app), place)
    with pytest.raises(KeyUnavailable) as refusal:
        await opened(house, row["id"])
    assert refusal.value.details["reason"] == "sealed"


async def test_who_may_run_with_a_key_need_not_see_it(house: House) -> None:
    row, member = await made(house.owner, visibility="private"), house.people["member"]
    profile_id = await bound(house, row["id"])
    async with acting_as(member) as tx:
        found = await model_access.chain(tx, ModelProfileId(profile_id))
    assert found is not None
    assert found.candidates[0].access.api_key == VALUE
    assert VALUE not in repr(found)
    assert await status(member, "GET", f"/{row['id']}") == 404
