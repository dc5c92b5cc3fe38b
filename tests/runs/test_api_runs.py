"""Runs over the API with a key: one request, one answer; limited per caller; safely repeated."""

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text

from agenticos_app.bus.limits import Limits
from agenticos_app.db.work import system_work
from agenticos_app.errors import LimitReached
from agenticos_app.kernel.ids import ApiKeyId, new_id
from agenticos_app.schemas.api_keys import ApiKeyIssued
from agenticos_app.security.permissions import Permission
from agenticos_app.services import api_keys, asking, conversations
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.api.keys import ASKS, api_with, key_of
from tests.services import redis_server
from tests.world import House, acting_as, api_of, build_house

MATHS = {"prompt": "What is 17*23?"}


def run_of(house: House) -> str:
    return f"/api/v1/agents/{house.agent_id}/run"


@pytest.fixture
async def key(house: House) -> ApiKeyIssued:
    return await key_of(house.owner, [*ASKS, Permission.RUNS_VIEW])


@pytest.fixture
async def api(key: ApiKeyIssued) -> AsyncGenerator[httpx.AsyncClient]:
    async with api_with(key.token) as client:
        yield client


async def runs_stored(house: House) -> int:
    async with system_work() as tx:
        query = text("SELECT count(*) FROM runs WHERE organization_id = :id")
        return int((await tx.session.execute(query, {"id": house.id})).scalar_one())


@pytest.mark.req(
    "SRF-API-01", "SRF-API-03", "SRF-API-04", "DOM-RUN-29", "DOM-RUN-15", "CH-REC-13", "DOM-AUTH-14"
)
async def test_one_request_gives_the_answer_and_leaves_a_run_alone(
    house: House, key: ApiKeyIssued, api: httpx.AsyncClient
) -> None:
    named = {"x-organization-id": str(house.id)}
    answer = await api.post(run_of(house), json=MATHS, headers=named)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert "391" in told["output"]
    assert (told["status"], told["error"], told["conversation_id"]) == ("completed", None, None)
    assert {"cost_usd", "cost_is_partial", "input_tokens", "output_tokens"} <= set(told)
    run = (await api.get(f"/api/v1/runs/{told['run_id']}")).json()
    assert (run["surface"], run["person"], run["api_key"]) == ("api", house.owner.name, key.name)
    assert (run["conversation_id"], run["output"]) == (None, told["output"])
    assert (run["cost_usd"], run["cost_is_partial"]) == (told["cost_usd"], told["cost_is_partial"])
    (row,) = (await api.get("/api/v1/runs", params={"surface": "api"})).json()["rows"]
    assert (row["id"], row["api_key"]) == (told["run_id"], key.name)
    async with acting_as(house.owner) as tx:
        assert (await conversations.list_conversations(tx)).rows == []


@pytest.mark.req("SRF-API-04")
@pytest.mark.parametrize(
    ("micros", "partial", "told"), [(4100, False, "0.0041"), (None, True, None), (0, False, "0")]
)
async def test_the_cost_is_told_as_it_was_booked(
    house: House, api: httpx.AsyncClient, micros: int | None, partial: bool, told: str | None
) -> None:
    first = (await api.post(run_of(house), json=MATHS, headers={"idempotency-key": "cost"})).json()
    async with system_work() as tx:
        await tx.session.execute(
            text("UPDATE runs SET cost_micros = :micros, cost_is_partial = :partial WHERE id = :id"),
            {"micros": micros, "partial": partial, "id": UUID(first["run_id"])},
        )
    again = (await api.post(run_of(house), json=MATHS, headers={"idempotency-key": "cost"})).json()
    assert (again["cost_usd"], again["cost_is_partial"]) == (told, partial)


@pytest.mark.req("SRF-API-07", "CH-REC-12")
async def test_a_conversation_goes_on_and_takes_files(house: House, api: httpx.AsyncClient) -> None:
    file = (await api.post("/api/v1/files", files={"file": ("plan.txt", b"alpha\nbeta\n")})).json()
    loose = await api.post(run_of(house), json=MATHS | {"file_ids": [file["id"]]})
    assert loose.json()["error"]["details"]["fields"] == [
        {"field": "file_ids", "message": "needs_conversation"}
    ]
    async with acting_as(house.owner) as tx:
        started = await asking.runs.start(tx, api_agent(house), asking.Ask(prompt="Hello"))
    conversation_id = str(started.conversation_id)
    await ended(api, str(started.run_id))
    body = {"prompt": "What does the file say?", "conversation_id": conversation_id, "file_ids": [file["id"]]}
    answer = (await api.post(run_of(house), json=body)).json()
    assert answer["conversation_id"] == conversation_id
    detail = (await api.get(f"/api/v1/conversations/{conversation_id}")).json()
    assert [turn["text"] for turn in detail["turns"]] == ["Hello", "What does the file say?"]
    assert detail["turns"][1]["run_id"] == answer["run_id"]
    assert [one["id"] for one in detail["turns"][1]["files"]] == [file["id"]]


def api_agent(house: House) -> "asking.AgentId":
    return asking.AgentId(house.agent_id)


async def ended(api: httpx.AsyncClient, run_id: str) -> None:
    await api.get(f"/api/v1/runs/{run_id}/stream")


@pytest.mark.req("SRF-API-07")
async def test_no_other_field_is_taken(house: House, api: httpx.AsyncClient) -> None:
    named = await api.post(run_of(house), json=MATHS | {"model_profile_id": str(new_id())})
    assert named.status_code == 422
    assert named.json()["error"]["details"]["fields"] == [
        {"field": "model_profile_id", "message": "unexpected"}
    ]
    for body in (
        MATHS | {"environment_id": str(new_id())},
        MATHS | {"conversation_id": str(new_id())},
        MATHS | {"conversation_id": str(new_id()), "environment_id": str(new_id())},
    ):
        assert (await api.post(run_of(house), json=body)).status_code == 404
    assert (await api.post(run_of(house), json=MATHS | {"environment_id": None})).status_code == 200
    assert await runs_stored(house) == 1


async def test_the_events_of_a_run_are_sent_to_who_accepts_them(house: House, api: httpx.AsyncClient) -> None:
    accept = {"accept": "text/event-stream"}
    answer = await api.post(run_of(house), json=MATHS, headers=accept)
    assert answer.headers["content-type"].startswith("text/event-stream")
    run_id = answer.headers["x-run-id"]
    events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    assert (events[-1]["type"], events[-1]["status"]) == ("end", "completed")
    stored = (await api.get(f"/api/v1/runs/{run_id}")).json()
    async with api.stream("GET", f"/api/v1/runs/{run_id}/stream") as again:
        late = (await again.aread()).decode()
    assert json.dumps(stored["output"])[1:-1] in late
    assert "391" in late


async def test_the_same_name_gives_the_same_run(house: House, api: httpx.AsyncClient) -> None:
    named = {"idempotency-key": "order-66"}
    first, *others = [
        answer.json()
        for answer in await asyncio.gather(
            *[api.post(run_of(house), json=MATHS, headers=named) for _ in range(8)]
        )
    ]
    assert "391" in first["output"]
    assert [one for one in others if one != first] == []
    assert (await api.post(run_of(house), json=MATHS, headers=named)).json() == first
    streamed = await api.post(run_of(house), json=MATHS, headers=named | {"accept": "text/event-stream"})
    assert streamed.headers["x-run-id"] == first["run_id"]
    assert await runs_stored(house) == 1
    other = await api.post(run_of(house), json={"prompt": "Something else"}, headers=named)
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_key_reused")
    unnamed = await api.post(run_of(house), json=MATHS)
    assert unnamed.json()["run_id"] != first["run_id"]


async def test_a_name_belongs_to_its_caller_and_lasts_a_day(house: House, api: httpx.AsyncClient) -> None:
    named = {"idempotency-key": "nightly"}
    first = (await api.post(run_of(house), json=MATHS, headers=named)).json()["run_id"]
    second_key = await key_of(house.owner)
    async with api_with(second_key.token) as another, api_of(house.owner) as person:
        for caller in (another, person):
            told = (await caller.post(run_of(house), json=MATHS, headers=named)).json()
            assert told["run_id"] != first
    async with system_work() as tx:
        await tx.session.execute(
            text("UPDATE idempotent_calls SET created_at = created_at - :day WHERE run_id = :id"),
            {"day": timedelta(hours=24), "id": UUID(first)},
        )
    assert (await api.post(run_of(house), json=MATHS, headers=named)).json()["run_id"] != first


async def test_a_refused_call_does_not_use_its_name_up(house: House, api: httpx.AsyncClient) -> None:
    named = {"idempotency-key": "again"}
    missing = MATHS | {"conversation_id": str(new_id())}
    assert (await api.post(run_of(house), json=missing, headers=named)).status_code == 404
    assert (await api.post(run_of(house), json=MATHS, headers=named)).status_code == 200
    long = await api.post(run_of(house), json=MATHS, headers={"idempotency-key": "k" * 256})
    assert long.json()["error"]["details"]["fields"][0]["message"] == "too_long"


async def test_a_revoked_key_cannot_fetch_an_earlier_answer(
    house: House, key: ApiKeyIssued, api: httpx.AsyncClient
) -> None:
    named = {"idempotency-key": "once"}
    await api.post(run_of(house), json=MATHS, headers=named)
    async with acting_as(house.owner) as tx:
        await api_keys.revoke(tx, ApiKeyId(key.id))
    assert (await api.post(run_of(house), json=MATHS, headers=named)).status_code == 401


@pytest.mark.req("SRF-API-02", "SRF-API-06", "DOM-RUN-29")
async def test_a_caller_starts_so_many_runs_in_a_minute_whatever_the_address(
    settings: Settings, tmp_path: Path
) -> None:
    few = settings.model_copy(update={"rate_limit_run_per_minute": 3})
    async with open_platform(few, sole=False):
        house = await build_house("Harbor Supply", roles=())
        first, second = await key_of(house.owner), await key_of(house.owner)
        async with api_with(first.token) as one, api_with(second.token) as two:
            named = {"idempotency-key": "first"}
            answers = [await one.post(run_of(house), json=MATHS, headers=named)]
            answers += [await one.post(run_of(house), json=MATHS) for _ in range(3)]
            repeated = await one.post(run_of(house), json=MATHS, headers=named)
            neighbour = await two.post(run_of(house), json=MATHS)
            async with api_of(house.owner) as person:
                themselves = await person.post(run_of(house), json=MATHS)
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert (neighbour.status_code, themselves.status_code, repeated.status_code) == (200, 200, 200)
        refused = answers[-1]
        assert refused.json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
        wait = int(refused.headers["retry-after"])
        assert 1 <= wait <= 61
        shown = [refused.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")]
        assert shown == ["3", "0", str(wait)]
        assert await runs_stored(house) == 5


async def test_requests_of_one_caller_are_limited_too(settings: Settings) -> None:
    few = settings.model_copy(update={"rate_limit_api_per_minute": 2})
    async with open_platform(few, hosts_runs=False):
        house = await build_house("Harbor Supply", roles=())
        first, second = await key_of(house.owner), await key_of(house.owner)
        async with api_with(first.token) as one, api_with(second.token) as two:
            answers = [await one.get("/api/v1/agents") for _ in range(3)]
            neighbour = await two.get("/api/v1/agents")
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["1", "0", "0"]
    assert "retry-after" in answers[-1].headers
    assert neighbour.headers["ratelimit-remaining"] == "1"


@pytest.mark.req("SRF-API-06")
async def test_the_limit_is_exact_over_processes() -> None:
    from redis.asyncio import Redis

    with redis_server() as url:
        clients = [Redis.from_url(url) for _ in range(3)]
        processes = [Limits(client) for client in clients]

        async def take(limits: Limits) -> bool:
            try:
                await limits.take("run", "key", per_minute=30)
            except LimitReached:
                return False
            return True

        taken = await asyncio.gather(*[take(processes[n % 3]) for n in range(90)])
        for client in clients:
            await client.aclose()
    assert sum(taken) == 30
