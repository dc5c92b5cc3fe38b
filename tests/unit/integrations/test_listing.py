"""Lists of models, as providers give them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr

from agenticos_app.contracts.models import ListedModel, ModelAccess, ModelList
from agenticos_app.contracts.providers import PROVIDERS
from agenticos_app.contracts.secrets import ApiKey
from integrations.models import listing
from integrations.models.providers import Providers
from tests.fakes.model_access import KEY
from tests.fakes.provider_server import ProviderServer
from tests.fakes.wires.openai_chat import OpenAIChat

GENERATES = {"supportedGenerationMethods": ["generateContent", "countTokens"]}
ROWS: dict[str, tuple[str, object]] = {
    "openai": ("/models", {"object": "list", "data": [{"id": "b", "object": "model"}, {"id": "a"}]}),
    "openrouter": ("/models", {"data": [{"id": "a", "context_length": 4096}, {"id": "b"}]}),
    "vercel": (
        "/models",
        {
            "data": [
                {"id": "a", "type": "language", "context_window": 4096},
                {"id": "b", "type": "language", "context_window": 0},
                {"id": "c", "type": "embedding"},
            ]
        },
    ),
    "together": (
        "/models",
        [
            {"id": "a", "type": "chat", "context_length": 4096},
            {"id": "b", "type": "chat", "context_length": None},
            {"id": "c", "type": "image"},
        ],
    ),
    "huggingface": (
        "/models",
        {
            "data": [
                {"id": "a", "providers": [{"context_length": 1024}, {"context_length": 4096}, {}]},
                {"id": "b", "providers": []},
            ]
        },
    ),
    "anthropic": (
        "/v1/models",
        {"data": [{"type": "model", "id": "a", "max_input_tokens": 4096}, {"type": "model", "id": "b"}]},
    ),
    "google": (
        "/v1beta/models",
        {
            "models": [
                {"name": "models/a", "inputTokenLimit": 4096, **GENERATES},
                {"name": "models/b", **GENERATES},
                {"name": "models/c", "supportedGenerationMethods": ["embedContent"]},
            ]
        },
    ),
    "mistral": (
        "/models",
        {
            "data": [
                {"id": "a", "capabilities": {"completion_chat": True}, "max_context_length": 4096},
                {"id": "b", "capabilities": {"completion_chat": True}},
                {"id": "c", "capabilities": {"completion_chat": False}},
            ]
        },
    ),
    "cohere": ("/models", {"models": [{"name": "a", "context_length": 4096}, {"name": "b"}]}),
    "ollama": ("/models", {"data": [{"id": "a", "max_model_len": 4096}, {"id": "b"}]}),
}


@dataclass
class Place:
    server: ProviderServer
    family: Providers

    def access(self, provider: str = "openai") -> ModelAccess:
        return ModelAccess(provider=provider, model_name="", base_url=self.server.url, credential=KEY)

    async def models(self, provider: str = "openai") -> ModelList:
        return await self.family.models(self.access(provider))


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with ProviderServer(OpenAIChat()) as server:
        made = Place(server, Providers())
        yield made
        await made.family.close()


@pytest.mark.req("DOM-MODEL-12")
@pytest.mark.parametrize("provider", list(ROWS))
async def test_each_way_to_list_is_understood_and_an_unknown_length_is_none(place: Place, provider: str):
    path, answer = ROWS[provider]
    place.server.lists[path] = answer
    found = await place.models(provider)
    lengths = (None, None) if provider == "openai" else (4096, None)
    named = zip(("a", "b"), lengths, strict=True)
    assert found.models == tuple(ListedModel(id=name, context_length=length) for name, length in named)
    assert (found.is_live, found.problem) == (True, "")


async def test_the_key_goes_along(place: Place):
    place.server.lists["/models"] = {"data": []}
    await place.models()
    assert place.server.seen[0].headers["authorization"] == "Bearer key"


@pytest.mark.req("DOM-MODEL-12")
async def test_a_list_is_asked_for_once_an_hour_and_by_each_credential(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    place.server.lists["/models"] = {"data": [{"id": "a"}]}
    assert await place.models() == await place.models()
    assert len(place.server.seen) == 1
    await place.family.models(replace(place.access(), credential=ApiKey(api_key=SecretStr("other"))))
    assert len(place.server.seen) == 2
    monkeypatch.setattr(listing, "CACHE_S", 0)
    await place.models()
    assert len(place.server.seen) == 3


@pytest.mark.req("DOM-MODEL-12")
async def test_a_failure_is_not_kept(place: Place):
    assert (await place.models()).problem == "not_found"
    place.server.lists["/models"] = {"data": [{"id": "a"}]}
    assert (await place.models()).is_live


@pytest.mark.parametrize("answer", [[], {}, {"data": None}, {"models": []}])
async def test_a_list_of_nothing_is_a_list(place: Place, answer: object):
    place.server.lists["/models"] = answer
    assert await place.models() == ModelList(models=(), is_live=True)


@pytest.mark.parametrize("answer", ["words", 7, {"data": "abc"}, {"data": [7]}, {"data": 7}])
async def test_what_is_no_list_is_told_as_such(place: Place, answer: object):
    place.server.lists["/models"] = answer
    assert await place.models() == ModelList(models=(), is_live=False, problem="failed")


async def test_a_list_without_end_is_cut_off(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "LIMIT_BYTES", 1000)
    place.server.lists["/models"] = {"data": [{"id": "a" * 2000}]}
    assert (await place.models()).problem == "failed"


async def test_names_are_cut_and_counted(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "LISTED_MODELS", 2)
    place.server.lists["/models"] = {"data": [{"id": "a" * 999}, {"id": "b"}, {"id": "c"}]}
    found = (await place.models()).models
    assert [len(model.id) for model in found] == [200, 1]


async def test_nobody_at_the_address_is_told(place: Place):
    access = replace(place.access(), base_url="http://127.0.0.1:1")
    assert await place.family.models(access) == ModelList(models=(), is_live=False, problem="unreachable")


@pytest.mark.req("DOM-MODEL-12")
@pytest.mark.parametrize("provider", ["openai", "anthropic", "bedrock", "azure", "github"])
async def test_without_anybody_to_ask_the_short_list_is_shown(place: Place, provider: str):
    found = await place.family.models(ModelAccess(provider=provider, model_name=""))
    assert [model.id for model in found.models] == list(listing.CURATED.get(provider, []))
    assert (found.is_live, found.problem) == (False, "")


@pytest.mark.req("DOM-MODEL-12")
def test_who_lists_to_everyone_is_asked_without_a_key():
    for entry in PROVIDERS.values():
        access = ModelAccess(provider=entry.id, model_name="")
        is_open = entry.listing == "open" and bool(entry.base_url)
        assert listing.is_asked(access) == is_open
