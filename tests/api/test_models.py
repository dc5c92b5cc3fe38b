"""Model profiles over HTTP: what is kept, what is refused, what breaks when they go."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from agenticos_app.contracts.models import ListedModel, ModelAccess, ModelCheck, ModelList
from agenticos_app.kernel.ids import ModelProfileId, new_id
from agenticos_app.models import AgentVersion
from agenticos_app.services import accounts, model_access
from agenticos_app.services.work import system_work
from tests.fakes.model_ways import answering
from tests.world import House, Person, acting_as, api_of, build_house

pytestmark = pytest.mark.usefixtures("console")

KEY = "sk-of-the-models-1111"
OWN = "http://models.test/v1"


@pytest.fixture
def asked(console: object) -> Iterator[list[ModelAccess]]:
    """Collect what providers were asked with; they answer when the key is right."""
    seen: list[ModelAccess] = []

    async def check(access: ModelAccess) -> ModelCheck:
        seen.append(access)
        if access.api_key == KEY:
            return ModelCheck(ok=True, milliseconds=120, reply="ready")
        return ModelCheck(ok=False, milliseconds=9, problem="unauthorized")

    async def listed(access: ModelAccess) -> ModelList:
        seen.append(access)
        return ModelList(models=(ListedModel(id="sea-1", context_length=128_000),), is_live=True)

    with answering(check, listed):
        yield seen


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


@pytest.fixture
async def admin(house: House) -> Person:
    async with system_work() as tx:
        await accounts.set_app_admin(tx, house.owner.email, admin=True)
    return house.owner


async def call(person: Person, method: str, path: str = "", body: object = None, status: int = 200) -> Any:
    async with api_of(person) as api:
        answer = await api.request(method, f"/api/v1/models{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


async def key_of(person: Person, purpose: str = "openai", **more: str) -> str:
    body = {"name": f"Key {uuid4().hex[:8]}", "purpose": purpose, "visibility": "org", **more}
    async with api_of(person) as api:
        answer = await api.post("/api/v1/secrets", json=body | {"value": {"kind": "api_key", "api_key": KEY}})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def body(**changes: object) -> dict[str, object]:
    return {"name": "Sea", "provider": "openai", "model_name": "gpt-4o"} | changes


def fields(refused: Any) -> dict[str, str]:
    return {one["field"]: one["message"] for one in refused["error"]["details"]["fields"]}


async def publish(house: House, profile_id: str | None) -> None:
    """Let the house's agent name this model in a version of its own."""
    async with acting_as(house.owner) as tx:
        version = await tx.session.get(AgentVersion, house.version_id)
        assert version is not None
        version.spec = version.spec | {"model_profile_id": profile_id}


async def trail(house: House) -> list[tuple[str, dict[str, Any]]]:
    query = text(
        "SELECT action, details FROM audit_entries WHERE organization_id = :id AND action LIKE 'model%'"
        " ORDER BY created_at, id"
    )
    async with system_work() as tx:
        return [(row[0], row[1]) for row in (await tx.session.execute(query, {"id": house.id})).all()]


@pytest.mark.req("DOM-MODEL-01", "DOM-MODEL-13", "DOM-MODEL-14")
async def test_a_model_is_kept_with_all_that_describes_it(house: House) -> None:
    secret_id = await key_of(house.owner)
    other = await call(house.owner, "POST", body=body(name="Lake"), status=201)
    params = {"temperature": 0.2, "top_p": 0.9, "max_tokens": 500, "parallel_tool_calls": False}
    row = await call(
        house.owner,
        "POST",
        body=body(
            secret_id=secret_id,
            params=params | {"timeout_s": 30},
            dialect="openai_responses",
            fallback_profile_ids=[other["id"]],
        ),
        status=201,
    )
    assert row["params"] == params | {"timeout_s": 30}
    assert (row["key_hint"], row["has_key"], row["is_usable"]) == (KEY[-4:], True, True)
    assert (row["input_usd"], row["output_usd"]) == ("2.5", "10")
    assert row["prices_from"] == "2026-11-10"
    assert row["context_length"] is not None, "from the bundled data"
    assert row["fallbacks"] == [{"id": other["id"], "name": "Lake"}]
    assert await call(house.owner, "GET", f"/{row['id']}") == row
    unknown = await call(house.owner, "POST", body=body(name="X", model_name="nobody-knows"), status=201)
    assert (unknown["context_length"], unknown["input_usd"]) == (None, None)
    given = body(name="Y", model_name="nobody-knows", context_length=8192)
    assert (await call(house.owner, "POST", body=given, status=201))["context_length"] == 8192
    refused = await call(house.owner, "POST", body=body(name="Z", context_length=0), status=422)
    assert fields(refused) == {"context_length": "too_small"}
    assert fields(await call(house.owner, "POST", body=body(), status=422)) == {"name": "taken"}
    renamed = await call(house.owner, "PATCH", f"/{other['id']}", {"name": "Sea"}, status=422)
    assert fields(renamed) == {"name": "taken"}
    elsewhere = await build_house("Other", roles=())
    await call(elsewhere.owner, "POST", body=body(), status=201)


@pytest.mark.req("DOM-MODEL-07", "DOM-MODEL-09", "DOM-MODEL-15")
@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"provider": "groq", "base_url": OWN}, "base_url", "not_accepted"),
        ({"base_url": "ftp://models.test"}, "base_url", "address"),
        ({"base_url": "http://user:word@models.test"}, "base_url", "address"),
        ({"provider": "ollama"}, "base_url", "missing"),
        ({"provider": "openrouter", "model_name": "canary-name"}, "model_name", "namespace"),
        ({"model_name": "canary name"}, "model_name", "invalid"),
        ({"is_free": True}, "is_free", "not_accepted"),
        ({"dialect": "anthropic"}, "dialect", "not_accepted"),
        ({"provider": "practice", "base_url": OWN}, "base_url", "not_accepted"),
        ({"provider": "canary-provider"}, "provider", "invalid"),
        ({"params": {"temperature": 3}}, "params.temperature", "too_large"),
    ],
)
async def test_what_the_provider_does_not_take_is_refused_by_field(
    admin: Person, changes: dict[str, object], field: str, message: str
) -> None:
    refused = await call(admin, "POST", body=body(**changes), status=422)
    assert fields(refused) == {field: message}
    assert "canary" not in str(refused)
    assert "word" not in str(refused)


@pytest.mark.req("DOM-MODEL-07", "DOM-MODEL-15")
async def test_a_server_of_ones_own_may_be_private_keyless_and_free(admin: Person) -> None:
    given = body(provider="ollama", base_url="http://10.1.2.3:11434/v1/", is_free=True)
    row = await call(admin, "POST", body=given, status=201)
    assert (row["base_url"], row["is_usable"], row["has_key"]) == ("http://10.1.2.3:11434/v1", True, False)
    assert (row["is_free"], row["input_usd"], row["output_usd"]) == (True, "0", "0")
    plain = await call(admin, "POST", body=body(name="B", base_url=OWN, model_name="house-model"), status=201)
    assert (plain["is_free"], plain["input_usd"], plain["is_usable"]) == (False, None, True)


@pytest.mark.req("DOM-AUTH-16")
async def test_an_address_is_named_by_deployment_administrators_alone(house: House) -> None:
    row = await call(house.owner, "POST", body=body(), status=201)
    refused = await call(house.owner, "POST", body=body(name="B", base_url=OWN), status=403)
    assert refused["error"]["code"] == "forbidden"
    await call(house.owner, "PATCH", f"/{row['id']}", {"base_url": OWN}, status=403)
    await call(house.owner, "POST", "/check", body(base_url=OWN, api_key=KEY), status=403)
    await call(house.owner, "GET", f"/providers/openai/list?base_url={OWN}", status=403)
    await call(house.owner, "PUT", "/default", body(base_url=OWN), status=403)
    for role, expected in {"builder": 201, "operator": 403, "member": 403, "viewer": 403}.items():
        await call(house.people[role], "POST", body=body(name=role), status=expected)
        await call(house.people[role], "GET", status=200 if role in ("builder", "operator") else 403)


@pytest.mark.req("DOM-MODEL-10")
async def test_a_key_is_of_the_provider_and_the_chooser_may_use_it(house: House) -> None:
    foreign = (await build_house("Other", roles=())).owner
    refused = await call(
        house.owner, "POST", body=body(secret_id=await key_of(house.owner, "anthropic")), status=422
    )
    assert fields(refused) == {"secret_id": "invalid"}
    await call(house.owner, "POST", body=body(secret_id=await key_of(foreign)), status=404)
    private = await key_of(house.owner, visibility="private")
    builder = house.people["builder"]
    await call(builder, "POST", body=body(secret_id=private), status=404)
    await call(builder, "POST", "/check", body(secret_id=private), status=404)
    await call(builder, "GET", f"/providers/openai/list?secret_id={private}", status=404)
    row = await call(house.owner, "POST", body=body(secret_id=private), status=201)
    seen = await call(builder, "GET", f"/{row['id']}")
    assert (seen["has_key"], seen["secret_id"], seen["key_hint"], seen["key_name"]) == (True, None, "", "")
    await call(builder, "PATCH", f"/{row['id']}", {"model_name": "gpt-4o-mini"})
    assert (await call(house.owner, "GET", f"/{row['id']}"))["secret_id"] == private


@pytest.mark.req("DOM-MODEL-02", "DOM-MODEL-10")
async def test_a_key_stays_with_the_server_that_it_was_chosen_for(admin: Person) -> None:
    secret_id = await key_of(admin)
    row = await call(admin, "POST", body=body(base_url=OWN, secret_id=secret_id), status=201)
    same = await call(admin, "PATCH", f"/{row['id']}", {"base_url": f"{OWN}/more"})
    assert same["has_key"]
    moved = await call(admin, "PATCH", f"/{row['id']}", {"base_url": "http://elsewhere.test/v1"})
    assert not moved["has_key"]
    chosen = {"base_url": OWN, "secret_id": secret_id}
    assert (await call(admin, "PATCH", f"/{row['id']}", chosen))["has_key"]
    other = await call(admin, "PATCH", f"/{row['id']}", {"provider": "anthropic", "base_url": ""})
    assert (other["has_key"], other["is_usable"]) == (False, False)


@pytest.mark.req("DOM-MODEL-05", "DOM-SECRET-12")
async def test_a_model_whose_key_is_deleted_has_none(house: House) -> None:
    secret_id = await key_of(house.owner)
    row = await call(house.owner, "POST", body=body(secret_id=secret_id), status=201)
    async with api_of(house.owner) as api:
        deleted = await api.delete(f"/api/v1/secrets/{secret_id}")
    assert [use["name"] for use in deleted.json()["broken"]] == ["Sea"]
    listed = {one["name"]: one for one in await call(house.owner, "GET")}
    assert (listed["Sea"]["has_key"], listed["Sea"]["is_usable"]) == (False, False)
    async with acting_as(house.owner) as tx:
        chain = await model_access.chain(tx, ModelProfileId(UUID(row["id"])))
    assert chain is not None
    assert (chain.problem, chain.candidates) == ("no_key", [])
    refused = await call(house.owner, "POST", f"/{row['id']}/check", status=409)
    assert refused["error"]["details"]["reason"] == "unset"


@pytest.mark.req("DOM-MODEL-11")
async def test_a_chain_holds_three_models_at_most_and_none_twice(house: House) -> None:
    secret_id = await key_of(house.owner)
    ids = [
        (await call(house.owner, "POST", body=body(name=f"M{n}", secret_id=secret_id), status=201))["id"]
        for n in range(4)
    ]
    foreign = (await build_house("Other", roles=())).owner
    theirs = (await call(foreign, "POST", body=body(), status=201))["id"]
    for wrong in ([ids[0]], [ids[1], ids[1]], [theirs], [str(new_id())], ids[1:]):
        refused = await call(house.owner, "PATCH", f"/{ids[0]}", {"fallback_profile_ids": wrong}, status=422)
        assert set(fields(refused)) == {"fallback_profile_ids"}
    given = {"fallback_profile_ids": [ids[2], ids[1]]}
    row = await call(house.owner, "PATCH", f"/{ids[0]}", given)
    assert [one["name"] for one in row["fallbacks"]] == ["M2", "M1"]
    await call(house.owner, "PATCH", f"/{ids[2]}", {"secret_id": None})
    async with acting_as(house.owner) as tx:
        chain = await model_access.chain(tx, ModelProfileId(UUID(ids[0])))
    assert chain is not None
    assert [str(one.profile_id) for one in chain.candidates] == [ids[0], ids[1]], "one has no key"
    deleted = await call(house.owner, "DELETE", f"/{ids[1]}")
    assert [(use["type"], use["name"]) for use in deleted["broken"]] == [("model_profile", "M0")]
    row = await call(house.owner, "GET", f"/{ids[0]}")
    assert [one["name"] for one in row["fallbacks"]] == ["M2"]


@pytest.mark.req("DOM-MODEL-19")
async def test_changes_are_on_the_trail_and_a_deletion_names_what_breaks(house: House) -> None:
    row = await call(house.owner, "POST", body=body(), status=201)
    await call(house.owner, "PATCH", f"/{row['id']}", {"params": {"temperature": 1}})
    await call(house.owner, "PATCH", f"/{row['id']}", {"name": "Sea"})
    await call(house.owner, "PUT", f"/{row['id']}/default")
    assert (await call(house.owner, "GET", f"/{row['id']}"))["used_by"][0]["name"] == "Assistant"
    await publish(house, row["id"])
    deleted = await call(house.owner, "DELETE", f"/{row['id']}")
    agent = {"type": "agent", "id": str(house.agent_id), "name": "Assistant"}
    assert deleted == {"broken": [agent]}
    await call(house.owner, "GET", f"/{row['id']}", status=404)
    what = {"provider": "openai", "secret_id": ""}
    assert await trail(house) == [
        ("model_profile.created", what),
        ("model_profile.changed", what | {"fields": ["params"]}),
        ("model_profile.default", {}),
        ("model_profile.deleted", what | {"used_by": [str(house.agent_id)]}),
    ]


@pytest.mark.req("DOM-MODEL-12", "DOM-MODEL-13")
async def test_a_provider_is_asked_for_its_models_with_the_key_of_the_vault(
    house: House, asked: list[ModelAccess]
) -> None:
    secret_id = await key_of(house.owner)
    found = await call(house.owner, "GET", f"/providers/openai/list?secret_id={secret_id}")
    assert found["models"] == [{"id": "sea-1", "context_length": 128_000}]
    assert (asked[-1].provider, asked[-1].api_key) == ("openai", KEY)
    await call(house.owner, "GET", "/providers/openai/list")
    assert asked[-1].api_key == ""
    await call(house.owner, "GET", "/providers/no_such/list", status=422)
    offered = {one["id"]: one for one in await call(house.owner, "GET", "/providers")}
    assert "practice" not in offered
    assert "github" not in offered, "retired"
    assert (offered["ollama"]["needs_url"], offered["openai"]["takes_url"]) == (True, True)


async def test_a_check_says_what_came_back_and_how_long_it_took(
    house: House, asked: list[ModelAccess]
) -> None:
    draft = {"provider": "anthropic", "model_name": "sea-1"}
    good = await call(house.owner, "POST", "/check", draft | {"api_key": KEY})
    assert (good["ok"], good["reply"], good["milliseconds"]) == (True, "ready", 120)
    bad = await call(house.owner, "POST", "/check", draft | {"api_key": "sk-wrong"})
    assert (bad["ok"], bad["problem"]) == (False, "unauthorized")
    refused = await call(house.owner, "POST", "/check", draft, status=422)
    assert fields(refused) == {"api_key": "missing"}
    secret_id = await key_of(house.owner)
    row = await call(house.owner, "POST", body=body(secret_id=secret_id), status=201)
    assert (await call(house.owner, "POST", f"/{row['id']}/check"))["ok"]
    await call(house.people["operator"], "POST", f"/{row['id']}/check", status=403)
    assert len(asked) == 3
