"""The catalogue of providers, and that each of its entries can be opened."""

import pytest
from pydantic import SecretStr
from pydantic_ai.models import Model

from agenticos_app.contracts.models import Credential, ModelAccess, ModelParams
from agenticos_app.contracts.providers import PROVIDERS, CredentialKind, Dialect, Listing, problems_of
from agenticos_app.contracts.secrets import ApiKey, AzureOpenAI
from integrations.models.providers import Providers
from tests.fakes.model_access import AWS, KEY, service_account

IDS = """openai anthropic google openrouter alibaba cerebras deepseek fireworks github groq heroku mistral
moonshotai nebius ovhcloud sambanova together vercel zai xai cohere huggingface ollama litellm azure bedrock
google_cloud"""
TAKE_URLS = "openai anthropic google alibaba heroku sambanova xai huggingface ollama litellm"
REMOTE = [entry for entry in PROVIDERS.values() if entry.dialect is not Dialect.PRACTICE]


def credential_of(kind: CredentialKind) -> Credential | None:
    if kind is CredentialKind.AZURE_OPENAI:
        return AzureOpenAI(
            api_key=SecretStr("key"), endpoint="https://sea.openai.azure.com", api_version="2024-10-21"
        )
    if kind is CredentialKind.AWS:
        return AWS
    if kind is CredentialKind.GCP:
        return service_account()
    return KEY if kind is CredentialKind.API_KEY else None


@pytest.mark.req("DOM-MODEL-06")
def test_it_holds_27_providers_and_the_practice_model():
    assert {entry.id for entry in REMOTE} == set(IDS.split())
    assert len(REMOTE) == 27
    assert set(PROVIDERS) - {entry.id for entry in REMOTE} == {"practice"}


@pytest.mark.req("DOM-MODEL-12")
def test_twenty_hosted_providers_list_their_models_five_of_them_to_everyone():
    hosted = [entry for entry in REMOTE if entry.base_url]
    assert sum(entry.listing is not Listing.NONE for entry in hosted) == 20
    open_ones = {entry.id for entry in hosted if entry.listing is Listing.OPEN}
    assert open_ones == {"openrouter", "sambanova", "vercel", "ovhcloud", "huggingface"}


@pytest.mark.req("DOM-MODEL-06")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("entry", REMOTE, ids=lambda entry: entry.id)
async def test_every_entry_opens_in_each_of_its_dialects(entry, monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS"):
        monkeypatch.setenv(name, "/nowhere")
    family = Providers()
    for dialect in entry.dialects:
        access = ModelAccess(
            provider=entry.id,
            model_name="maker/model-1",
            base_url="" if entry.base_url or entry.needs_credential else "http://localhost:11434/v1",
            credential=credential_of(entry.credential),
            dialect=dialect,
            params=ModelParams(temperature=0.5, max_tokens=7),
        )
        model = family.open(access)
        assert isinstance(model, Model)
        assert model is family.open(access)
        assert model.settings == {"temperature": 0.5, "max_tokens": 7}
        if entry.base_url:
            assert (model.base_url or "").startswith(entry.base_url)
    await family.close()


def problems(provider: str, **fields: object) -> dict[str, str]:
    given = {"model_name": "maker/model", "base_url": "", "has_credential": True} | fields
    return {found["field"]: found["message"] for found in problems_of(provider=provider, **given)}


@pytest.mark.req("DOM-MODEL-07")
@pytest.mark.parametrize("entry", REMOTE, ids=lambda entry: entry.id)
def test_an_address_of_ones_own_is_taken_by_ten_and_refused_by_name_elsewhere(entry):
    expected = {} if entry.id in TAKE_URLS.split() else {"base_url": "not_accepted"}
    assert problems(entry.id, base_url="http://10.0.0.7:8000/v1") == expected


@pytest.mark.req("DOM-MODEL-07")
@pytest.mark.parametrize(
    "url",
    [
        "ftp://x.test",
        "x.test/v1",
        "http://",
        "http://u:p@x.test",
        "http://x.test:0",
        "http://x .test",
        "http://[",
    ],
)
def test_an_address_is_http_with_a_host_and_without_a_password(url: str):
    assert problems("openai", base_url=url) == {"base_url": "address"}


@pytest.mark.req("DOM-MODEL-07")
@pytest.mark.parametrize(
    "url", ["http://localhost:11434/v1", "http://192.168.1.4/v1", "https://[::1]:8000/v1"]
)
def test_private_addresses_are_fine(url: str):
    assert problems("openai", base_url=url, has_credential=False) == {}


@pytest.mark.req("DOM-MODEL-09")
@pytest.mark.parametrize("name", ["canary-model", "/canary", "canary/"])
def test_openrouter_wants_a_namespace_and_the_value_is_not_repeated(name: str):
    found = problems_of(provider="openrouter", model_name=name)
    assert found == [{"field": "model_name", "message": "namespace"}]
    assert "canary" not in str(found)
    assert problems("openrouter", model_name="z-ai/glm-5.3") == {}


@pytest.mark.parametrize(
    ("provider", "fields", "expected"),
    [
        ("nobody", {}, {"provider": "unknown"}),
        ("openai", {"model_name": ""}, {"model_name": "missing"}),
        ("openai", {"model_name": "a" * 201}, {"model_name": "too_long"}),
        ("openai", {"model_name": "a b"}, {"model_name": "invalid"}),
        ("openai", {"has_credential": False}, {"api_key": "missing"}),
        ("bedrock", {"has_credential": False}, {"api_key": "missing"}),
        ("ollama", {"has_credential": False}, {"base_url": "missing"}),
        ("ollama", {"has_credential": False, "base_url": "http://localhost:11434/v1"}, {}),
        ("practice", {"model_name": "", "has_credential": False}, {}),
    ],
)
def test_what_is_missing_is_named_field_by_field(
    provider: str, fields: dict[str, object], expected: dict[str, str]
):
    assert problems(provider, **fields) == expected


def test_a_credential_shows_in_no_representation():
    access = ModelAccess(
        provider="openai", model_name="m", credential=ApiKey(api_key=SecretStr("sk-canary-7351"))
    )
    assert "canary" not in repr(access) + str(access.credential)
