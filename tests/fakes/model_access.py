"""Ways to models that tests talk to: one per family, with the credential that its fake expects."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.providers import Dialect
from agenticos_app.contracts.secrets import ApiKey, AwsCredentials, AzureOpenAI, GcpServiceAccount
from tests.fakes.wires import bedrock
from tests.fakes.wires.anthropic import Anthropic
from tests.fakes.wires.bedrock import Bedrock
from tests.fakes.wires.google import Google, GoogleCloud
from tests.fakes.wires.openai_chat import MistralChat, OpenAIChat, OpenRouter
from tests.fakes.wires.openai_responses import OpenAIResponses
from tests.fakes.wires.wire import Wire

KEY = ApiKey(api_key=SecretStr("key"))
AWS = AwsCredentials(
    access_key_id=SecretStr(bedrock.KEY_ID),
    secret_access_key=SecretStr(bedrock.SECRET),
    region=bedrock.REGION,
)


def service_account() -> GcpServiceAccount:
    """Return an account with a key made on the spot."""
    pem = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = {
        "type": "service_account",
        "project_id": "sea",
        "client_email": "agent@sea.iam.gserviceaccount.test",
        "private_key": pem.decode(),
    }
    return GcpServiceAccount(service_account=SecretStr(json.dumps(file)), region="europe-west4")


def azure_key(endpoint: str, api_version: str = "") -> AzureOpenAI:
    """Return a key for a fake, which is not reached over TLS as Azure is."""
    return AzureOpenAI.model_construct(api_key=SecretStr("key"), endpoint=endpoint, api_version=api_version)


@dataclass(frozen=True)
class Kind:
    """One family, the dialect of its servers, and how to reach one of them."""

    wire: Callable[[], Wire]
    to: Callable[[str], ModelAccess]
    """Takes the server's address."""


def _openai(url: str) -> ModelAccess:
    return ModelAccess(provider="openai", model_name="stub", base_url=f"{url}/v1", credential=KEY)


def _azure(url: str) -> ModelAccess:
    return ModelAccess(provider="azure", model_name="stub", credential=azure_key(url, "2024-10-21"))


def _azure_v1(url: str) -> ModelAccess:
    return ModelAccess(provider="azure", model_name="stub", credential=azure_key(f"{url}/openai/v1"))


def _at(provider: str, model_name: str = "stub") -> Callable[[str], ModelAccess]:
    return lambda url: ModelAccess(provider=provider, model_name=model_name, base_url=url, credential=KEY)


def _bedrock(url: str) -> ModelAccess:
    name = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    return ModelAccess(provider="bedrock", model_name=name, base_url=url, credential=AWS)


def _cloud(url: str) -> ModelAccess:
    return ModelAccess(
        provider="google_cloud",
        model_name="gemini-2.5-flash",
        base_url=url,
        credential=service_account(),
    )


KINDS = {
    "openai": Kind(OpenAIChat, _openai),
    "openai_responses": Kind(
        OpenAIResponses, lambda url: replace(_openai(url), dialect=Dialect.OPENAI_RESPONSES)
    ),
    "azure": Kind(OpenAIChat, _azure),
    "azure_v1": Kind(OpenAIChat, _azure_v1),
    "openrouter": Kind(OpenRouter, _at("openrouter", "maker/stub")),
    "cohere": Kind(OpenAIChat, _at("cohere")),
    "anthropic": Kind(Anthropic, _at("anthropic", "claude-sonnet-5-5")),
    "google": Kind(Google, _at("google", "gemini-2.5-flash")),
    "google_cloud": Kind(GoogleCloud, _cloud),
    "mistral": Kind(MistralChat, _at("mistral")),
    "bedrock": Kind(Bedrock, _bedrock),
}
