"""Every route that takes an id answers another organization's id like one that does not exist.

Generated from the API itself: a new route is asked as soon as it exists. One whose ids have a name that
`probe.furnished` does not know makes the first test fail until there is a thing of that kind to ask for.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.routing import BaseRoute, Route

from agenticos_app.api.app import build_api
from agenticos_app.kernel.ids import new_id
from agenticos_app.services import sessions
from tests.fakes.asgi_socket import connected
from tests.tenancy.probe import (
    Ids,
    Place,
    blinded,
    furnished,
    kind_of,
    looks_like_an_id,
    make_admin,
    rows_of,
    unknown,
)
from tests.world import Person

pytestmark = pytest.mark.usefixtures("console")

Schema = dict[str, Any]

API = build_api()
SPEC = API.openapi()

OUTSIDE = {"/api/docs", "/api/v1/openapi.json", "/api/{path:path}"}
"""Routes that the description leaves out, and which take no id."""

COUNTED = ("content-length", "date", "ratelimit-remaining", "ratelimit-reset")
"""Headers that differ from call to call."""

PIXEL = b"\x89PNG\r\n\x1a\n" + bytes(32)

NO_ID = {
    "token": "the set-up token, which belongs to no organization",
    "capability_id": "names a capability of this deployment's code",
}
"""Parameters that look like ids and are none."""


@dataclass(frozen=True)
class Call:
    """One id of one route."""

    method: str
    path: str
    where: str
    """path, query or body"""
    name: str

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.where}:{self.name}"


def resolved(schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = SPEC["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    choices = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    return resolved(choices[0]) if choices else schema


def is_id(name: str, schema: Schema) -> bool:
    plain = resolved(schema)
    if plain.get("type") == "array":
        return is_id(name, plain["items"])
    if plain.get("format") == "password" or name in NO_ID:
        return False
    return plain.get("format") == "uuid" or (plain.get("type") == "string" and looks_like_an_id(name))


def body_schema(operation: Schema) -> Schema:
    content = operation.get("requestBody", {}).get("content", {})
    return resolved(content["application/json"]["schema"]) if "application/json" in content else {}


def calls() -> Iterator[Call]:
    for path, operations in SPEC["paths"].items():
        for method, operation in operations.items():
            for one in operation.get("parameters", []):
                if one["in"] in ("path", "query") and is_id(one["name"], one["schema"]):
                    yield Call(method.upper(), path, one["in"], one["name"])
            for name, schema in body_schema(operation).get("properties", {}).items():
                if is_id(name, schema) and name not in NO_ID:
                    yield Call(method.upper(), path, "body", name)
    for path, route in sockets().items():
        for one in (*route.dependant.path_params, *route.dependant.query_params):
            if looks_like_an_id(one.name):
                where = "path" if f"{{{one.name}}}" in path else "query"
                yield Call("WEBSOCKET", path, where, one.name)


def all_routes() -> Iterator[tuple[str, BaseRoute]]:
    """Yield each route with its whole path."""
    for route in API.routes:
        router = getattr(route, "original_router", None)
        for one in [route] if router is None else router.routes:
            path = getattr(one, "path", "")
            yield path if router is None else f"/api/v1{path}", one


def sockets() -> dict[str, APIWebSocketRoute]:
    return {path: route for path, route in all_routes() if isinstance(route, APIWebSocketRoute)}


CALLS = list(calls())


@pytest.mark.req("DOM-ORG-02")
def test_the_matrix_knows_every_route_and_every_id() -> None:
    known = set(SPEC["paths"]) | OUTSIDE
    routes = {path for path, route in all_routes() if isinstance(route, APIRoute | Route)}
    assert routes == known
    assert [str(call) for call in CALLS if kind_of(call.name, unknown()) is None] == []
    assert len(sockets()) >= 2
    print(  # noqa: T201
        f"\ntenancy matrix: {len(CALLS)} ids on {len({(c.method, c.path) for c in CALLS})} routes of the API"
    )


def fitting(schema: Schema) -> object:
    """Return a small value that the schema takes."""
    plain = resolved(schema)
    if "discriminator" in plain:
        tag, named = plain["discriminator"]["propertyName"], plain["discriminator"]["mapping"]
        chosen, where = next(iter(named.items()))
        inner = fitting({"$ref": where})
        assert isinstance(inner, dict)
        return {tag: chosen, **inner}
    if "enum" in plain:
        return plain["enum"][-1]
    if "pattern" in plain:
        return "name"
    simple = {"string": "Some text", "integer": 1, "boolean": True, "array": [], "number": 1}
    if plain.get("type") == "object" or "properties" in plain:
        wanted = plain.get("required", [])
        return {name: fitting(plain["properties"][name]) for name in wanted}
    return simple[plain["type"]]


def request(call: Call, own: Ids, asked: Ids) -> tuple[str, Schema, Schema | None]:
    """Return address, query and body: `asked` in the one place, the caller's own ids everywhere else."""
    path, query, body = call.path.replace("{provider}", "openai").replace("{number}", "1"), {}, None
    operation = SPEC["paths"].get(call.path, {}).get(call.method.lower(), {})
    for one in CALLS:
        if (one.method, one.path) != (call.method, call.path):
            continue
        kind = kind_of(one.name, own)
        assert kind is not None
        value = asked[kind] if one == call else own[kind]
        if one.where == "path":
            path = path.replace(f"{{{one.name}}}", value)
        elif one == call and one.where == "query":
            query[one.name] = value
    schema = body_schema(operation)
    if schema:
        body = fitting(schema)
        assert isinstance(body, dict)
        for name, inner in schema["properties"].items():
            if call.where == "body" and name == call.name:
                kind = kind_of(name, asked)
                assert kind is not None
                body[name] = [asked[kind]] if resolved(inner).get("type") == "array" else asked[kind]
            elif name == "conversation_id" and call.where == "body":
                body[name] = own[name]  # a file goes with a conversation
    return path, query, body


def api_as(person: Person) -> httpx.AsyncClient:
    cookies = {sessions.COOKIE: person.cookie}
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(API), base_url="http://console.test", cookies=cookies
    )


def takes_a_file(call: Call) -> bool:
    operation = SPEC["paths"].get(call.path, {}).get(call.method.lower(), {})
    return "multipart/form-data" in operation.get("requestBody", {}).get("content", {})


async def answer(person: Person, call: Call, own: Ids, asked: Ids) -> str:
    """Return all that the caller can tell from the answer."""
    path, query, body = request(call, own, asked)
    if call.method == "WEBSOCKET":
        return await socket_answer(person, path)
    files = {"file": PIXEL} if takes_a_file(call) else None
    async with api_as(person) as api, asyncio.timeout(10):
        said = await api.request(call.method, path, params=query, json=body, files=files)
    kept = {name: value for name, value in said.headers.items() if name not in COUNTED}
    return blinded(f"{said.status_code} {json.dumps(kept, sort_keys=True)} {said.text}", asked)


async def socket_answer(person: Person, address: str, headers: dict[str, str] | None = None) -> str:
    cookie = f"{sessions.COOKIE}={person.cookie}"
    async with connected(API, address, cookie=cookie, headers=headers) as socket:
        return json.dumps(
            [dict(message) for message in await socket.until_closed()], sort_keys=True, default=str
        )


@pytest.fixture
async def places() -> tuple[Place, Place]:
    return await furnished("Ours"), await furnished("Theirs")


@pytest.mark.req("DOM-ORG-02")
@pytest.mark.parametrize("caller", ["owner", "app_admin"])
async def test_another_organizations_id_is_answered_like_an_unknown_one(
    places: tuple[Place, Place], caller: str
) -> None:
    ours, theirs = places
    if caller == "app_admin":
        await make_admin(ours.owner)
    before, wrong = await rows_of(ours, theirs), []
    for call in CALLS:
        nothing = unknown()
        foreign = await answer(ours.owner, call, ours.ids, theirs.ids)
        missing = await answer(ours.owner, call, ours.ids, nothing)
        if foreign != missing or "403" in foreign.split(" ")[0]:
            wrong.append(f"{call}\n  foreign: {foreign}\n  unknown: {missing}")
        if call.where == "path" and not (
            "4404" in foreign if call.method == "WEBSOCKET" else foreign[:3] == "404"
        ):
            wrong.append(f"{call}\n  is not refused: {foreign}")
    after = await rows_of(ours, theirs)
    assert not wrong, "\n".join(wrong)
    assert after == before


@pytest.mark.req("DOM-ORG-02")
async def test_the_same_calls_reach_what_is_the_callers_own(places: tuple[Place, Place]) -> None:
    """A matrix that asked in the wrong way would be refused everywhere and prove nothing."""
    ours, _ = places
    refused = []
    for call in CALLS:
        if call.method in ("GET", "PATCH") and "stream" not in call.path:
            said = await answer(ours.owner, call, ours.ids, ours.ids)
            if said[:1] != "2":
                refused.append(f"{call}: {said}")
    assert refused == []


@pytest.mark.req("DOM-ORG-02", "DOM-ORG-08")
async def test_naming_another_organization_is_like_naming_one_that_does_not_exist(
    places: tuple[Place, Place],
) -> None:
    ours, theirs = places
    before, wrong, asked = await rows_of(ours, theirs), [], 0
    names = [(theirs.ids["organization_id"], str(new_id())), (theirs.slug, "no-such-place")]
    for path, operations in SPEC["paths"].items():
        if path.startswith(("/api/v1/auth/", "/api/v1/health")):
            continue
        for method, operation in operations.items():
            asked += 1
            address = path
            for name, value in ours.ids.items():
                address = address.replace(f"{{{name}}}", value)
            body = fitting(body_schema(operation)) if body_schema(operation) else None
            files = {"file": b"text"} if "multipart" in json.dumps(operation.get("requestBody", {})) else None
            if isinstance(body, dict) and "organization_id" in body:
                body["organization_id"] = ours.ids["organization_id"]
            for foreign, missing in names:
                told = []
                for name in (foreign, missing):
                    for way in ({"headers": {"x-organization-id": name}}, {"params": {"organization": name}}):
                        async with api_as(ours.owner) as api:
                            said = await api.request(method, address, json=body, files=files, **way)
                        told.append(f"{said.status_code} {said.text.replace(name, '<id>')}")
                if len(set(told)) != 1 or told[0][:3] != "404":
                    wrong.append(f"{method} {path}: {told}")
    for path in sockets():
        address = path.replace("{run_id}", ours.ids["run_id"])
        told = [
            await socket_answer(ours.owner, address, {"x-organization-id": name})
            for pair in names
            for name in pair
        ]
        if len(set(told)) != 1 or "4404" not in told[0]:
            wrong.append(f"WEBSOCKET {path}: {told}")
    assert not wrong, "\n".join(wrong)
    assert asked >= 25
    assert await rows_of(ours, theirs) == before
