"""Connections: whose they are, and when they close."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr
from pydantic_ai import Agent, models
from pydantic_ai.exceptions import ModelConnectionError

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.secrets import ApiKey
from integrations.models import pool, transport
from integrations.models.providers import Providers
from tests.fakes.model_access import KINDS
from tests.fakes.provider_server import ProviderServer
from tests.fakes.wires.openai_chat import OpenAIChat
from tests.fakes.wires.wire import Situation


@dataclass
class Place:
    server: ProviderServer
    family: Providers
    access: ModelAccess

    async def ask(self, access: ModelAccess) -> None:
        """Ask one question; a refusal counts as an answer."""
        await self.family.check(access)

    async def connections(self, count: int) -> None:
        """Wait until so many are open."""
        async with asyncio.timeout(5):
            while self.server.open_connections != count:  # noqa: ASYNC110
                await asyncio.sleep(0.01)


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with ProviderServer(OpenAIChat()) as server:
        access = replace(KINDS["openai"].to(server.url), secret_id="s1")
        made = Place(server, Providers(), access)
        with models.override_allow_model_requests(True):
            yield made
        await made.family.close()


def with_key(access: ModelAccess, key: str) -> ModelAccess:
    return replace(access, credential=ApiKey(api_key=SecretStr(key)))


@pytest.mark.req("DOM-MODEL-02")
async def test_a_new_value_of_a_secret_closes_the_old_ones_connections(place: Place):
    await place.ask(place.access)
    await place.connections(1)
    await place.ask(with_key(place.access, "rotated"))
    await place.connections(1)
    keys = [question.headers["authorization"] for question in place.server.questions]
    assert keys == ["Bearer key", "Bearer rotated"]


@pytest.mark.req("DOM-MODEL-02")
@pytest.mark.parametrize("ends_by", ["itself", "shutdown"])
async def test_an_answer_that_is_being_read_outlives_its_key(place: Place, ends_by: str):
    place.server.situation = Situation.SILENCE
    texts: list[str] = []

    async def read() -> None:
        async with Agent(place.family.open(place.access)).run_stream("Hi") as answer:
            async for text in answer.stream_text(debounce_by=None):
                texts[:] = [text]

    task = asyncio.create_task(read())
    async with asyncio.timeout(10):
        while not texts:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    place.family.open(with_key(place.access, "rotated"))
    await asyncio.sleep(0.05)
    assert not task.done()
    assert place.server.open_connections == 1
    if ends_by == "itself":
        task.cancel()
    else:
        await place.family.close()
    with pytest.raises((asyncio.CancelledError, ModelConnectionError)):
        await task
    await place.connections(0)


@pytest.mark.req("DOM-MODEL-02")
async def test_other_models_and_parameters_share_the_connections_of_a_credential(place: Place):
    for name in ("a", "b", "c"):
        await place.ask(replace(place.access, model_name=name))
    assert place.server.open_connections == 1


async def test_what_nobody_uses_is_closed(place: Place, monkeypatch: pytest.MonkeyPatch):
    await place.ask(place.access)
    monkeypatch.setattr(pool, "IDLE_S", 0)
    place.family.open(replace(place.access, secret_id="s2"))
    await place.connections(0)


async def test_an_answer_without_end_is_cut_off(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(transport, "ANSWER_LIMIT_BYTES", 100)
    assert (await place.family.check(place.access)).problem == "unreachable"
