"""The OpenAI-compatible family against a server with every kind of bad day."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from pydantic import SecretStr
from pydantic_ai import Agent, AgentRunResult, AgentRunResultEvent, models
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelNotFoundError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
)
from pydantic_ai.messages import ModelResponse, ThinkingPart

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.secrets import ApiKey
from integrations.models import pool, providers
from integrations.models.providers import Providers
from tests.fakes.openai_server import OpenAIServer


@dataclass
class Place:
    server: OpenAIServer
    family: Providers

    def access(self, name: str, key: str = "key") -> ModelAccess:
        return ModelAccess(
            provider="openai",
            model_name=name,
            base_url=self.server.base_url,
            credential=ApiKey(api_key=SecretStr(key)),
        )

    async def stream(self, name: str) -> AgentRunResult[str]:
        """Run one streamed request to its end."""
        result: AgentRunResult[str] | None = None
        async with Agent(self.family.open(self.access(name))).run_stream_events("Hi") as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    result = event.result
        assert result is not None
        return result


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with OpenAIServer(api_key="key") as server:
        made = Place(server, Providers())
        with models.override_allow_model_requests(True):
            yield made
        await made.family.close()


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("stub:status=401", ModelAuthenticationError),
        ("stub:status=404", ModelNotFoundError),
        ("stub:status=429:retry_after=60", ModelRateLimitError),
        ("stub:status=429:retry_after=0.01", ModelRateLimitError),
        ("stub:status=500:retry_after=0.01", ModelServerError),
        ("stub:cut=5", ModelConnectionError),
        ("stub:cut=5:rate=200", ModelConnectionError),
        ("stub:garbage=3", ModelAPIError),
    ],
)
async def test_what_fails_is_told_and_not_repeated_by_the_sdk(
    place: Place, name: str, error: type[Exception]
):
    with pytest.raises(error):
        await place.stream(name)
    assert len(place.server.chats) == 1


@pytest.mark.parametrize("usage", ["missing", "zero"])
async def test_a_server_that_counts_nothing_gives_zero_and_no_failure(place: Place, usage: str):
    result = await place.stream(f"stub:usage={usage}")
    assert result.output.startswith("tok0")
    assert (result.usage.requests, result.usage.input_tokens, result.usage.output_tokens) == (1, 0, 0)


async def test_a_streamed_request_asks_for_usage(place: Place):
    await place.stream("stub")
    assert place.server.chats[0].body["stream_options"] == {"include_usage": True}


async def test_reasoning_of_the_server_is_kept_apart_from_its_answer(place: Place):
    result = await place.stream("stub:thinking=3:text=done")
    response = result.all_messages()[-1]
    assert isinstance(response, ModelResponse)
    assert [part.content for part in response.parts if isinstance(part, ThinkingPart)] == ["tok0 tok1 tok2 "]
    assert result.output.strip() == "done"


@pytest.mark.req("DOM-MODEL-02")
async def test_everyone_with_one_key_shares_one_pool(place: Place):
    for key in ("key", "key", "other", "key"):
        await place.family.check(place.access("stub", key))
    assert place.server.connections == 2
    sent = {seen.headers["authorization"] for seen in place.server.requests}
    assert sent == {"Bearer key", "Bearer other"}


async def test_cookies_of_a_server_are_not_sent_back(place: Place):
    await place.stream("stub")
    await place.stream("stub")
    assert all("cookie" not in seen.headers for seen in place.server.requests)


@pytest.mark.parametrize("hang", ["start", "middle"])
async def test_cancelling_closes_the_connection_even_when_nothing_comes(place: Place, hang: str):
    task = asyncio.create_task(place.stream(f"stub:hang={hang}"))
    async with asyncio.timeout(5):
        while not place.server.chats:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    cancelled_at = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    seen = await place.server.wait_gone(1)
    assert seen.disconnected_at is not None
    assert seen.disconnected_at - cancelled_at < 1


async def test_silence_in_the_middle_of_an_answer_ends_it(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool, "READ_TIMEOUT_S", 0.3)
    with pytest.raises(ModelTimeoutError):
        await place.stream("stub:hang=middle")
    assert len(place.server.chats) == 1


async def test_nobody_at_the_address_is_a_connection_error(place: Place):
    access = ModelAccess(provider="openai", model_name="m", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(ModelConnectionError):
        await Agent(place.family.open(access)).run("Hi")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("stub:status=401", "unauthorized"),
        ("stub:status=403", "unauthorized"),
        ("stub:status=404", "not_found"),
        ("nothing:like=this", "not_found"),
        ("stub:status=429", "rate_limited"),
        ("stub:status=500", "failed"),
        ("stub:tokens=0", "empty"),
    ],
)
async def test_a_check_names_the_problem_and_lists_the_models(place: Place, name: str, problem: str):
    found = await place.family.check(place.access(name))
    assert (found.ok, found.problem, found.reply) == (False, problem, "")
    assert found.models == tuple(sorted(place.server.models))
    assert len(place.server.chats) == 1


async def test_a_check_with_a_wrong_key_says_so(place: Place):
    found = await place.family.check(place.access("stub", "wrong"))
    assert (found.ok, found.problem, found.models) == (False, "unauthorized", ())


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/v1", "nonsense", "ftp://127.0.0.1/", "", "http://"])
async def test_a_check_of_an_address_with_nobody_behind_it_says_so(place: Place, address: str):
    access = ModelAccess(provider="openai", model_name="m", base_url=address)
    assert (await place.family.check(access)).problem == "unreachable"


async def test_a_check_does_not_wait_for_ever(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(providers, "CHECK_TIMEOUT_S", 0.3)
    found = await place.family.check(place.access("stub:hang=start"))
    assert found.problem == "unreachable"
    assert found.milliseconds < 2000


async def test_a_server_that_answers_something_else_is_not_found_or_failed(place: Place):
    access = ModelAccess(
        provider="openai",
        model_name="m",
        base_url=place.server.base_url.removesuffix("/v1"),
        credential=ApiKey(api_key=SecretStr("key")),
    )
    assert (await place.family.check(access)).problem == "not_found"


async def test_the_key_shows_in_no_representation(place: Place):
    access = place.access("stub", "sk-canary-7351")
    model = place.family.open(access)
    assert "sk-canary-7351" not in repr(access) + repr(model) + repr(await place.family.check(access))
