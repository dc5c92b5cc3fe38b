"""What the vault keeps: kinds of secrets with their fields, and the services that they are for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, cast
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    TypeAdapter,
    ValidationInfo,
    field_validator,
)

HINT_LENGTH = 4
HINTED_FROM = 12
"""Values shorter than this give no hint: four characters would be too much of them."""


class SecretKind(StrEnum):
    """Which fields a secret has. A secret that needs none is not stored."""

    API_KEY = "api_key"
    AZURE_OPENAI = "azure_openai"
    AWS_CREDENTIALS = "aws_credentials"
    GCP_SERVICE_ACCOUNT = "gcp_service_account"
    GITHUB_OAUTH_APP = "github_oauth_app"
    GOOGLE_OAUTH_APP = "google_oauth_app"


def _one_line(value: SecretStr) -> SecretStr:
    """Return the value without spaces around it; it goes into a header, so it is one line of ASCII."""
    text = value.get_secret_value().strip()
    if not text:
        raise ValueError("missing")
    if len(text) > 4096:
        raise ValueError("too_long")
    if not (text.isascii() and text.isprintable()):
        raise ValueError("invalid")
    return SecretStr(text)


_Plain = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[ -~]+$")
]
_Region = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[a-z0-9-]+$")
]


class _Payload(BaseModel):
    """The fields of a secret. They are sealed and opened as one document."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    identifying: ClassVar[str]
    """The field whose end tells one secret of a kind from another."""

    def hint(self) -> str:
        """Return the last four characters of the identifying field; empty when it is short."""
        value = getattr(self, self.identifying)
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        return text[-HINT_LENGTH:] if len(text) >= HINTED_FROM else ""


class ApiKey(_Payload):
    """One opaque value: a key or token."""

    identifying = "api_key"

    kind: Literal[SecretKind.API_KEY] = SecretKind.API_KEY
    api_key: SecretStr

    _clean = field_validator("api_key")(_one_line)


class AzureOpenAI(_Payload):
    """A key of an Azure OpenAI resource."""

    identifying = "api_key"

    kind: Literal[SecretKind.AZURE_OPENAI] = SecretKind.AZURE_OPENAI
    api_key: SecretStr
    endpoint: _Plain = Field(description="For example https://name.openai.azure.com")
    api_version: _Plain | Literal[""] = Field(
        default="", validate_default=True, description="For example 2024-10-21; none for an endpoint in /v1"
    )

    _clean = field_validator("api_key")(_one_line)

    @field_validator("endpoint")
    @classmethod
    def _is_address(cls, value: str) -> str:
        address = urlsplit(value)
        if address.scheme != "https" or not address.hostname or "@" in address.netloc:
            raise ValueError("invalid")
        return value.rstrip("/")

    @field_validator("api_version")
    @classmethod
    def _is_needed(cls, value: str, info: ValidationInfo) -> str:
        if not value and not str(info.data.get("endpoint", "")).endswith("/v1"):
            raise ValueError("missing")
        return value


class AwsCredentials(_Payload):
    """Access keys of an AWS account."""

    identifying = "access_key_id"

    kind: Literal[SecretKind.AWS_CREDENTIALS] = SecretKind.AWS_CREDENTIALS
    access_key_id: SecretStr
    secret_access_key: SecretStr
    region: _Region = Field(description="For example eu-central-1")
    session_token: SecretStr | None = None

    _clean = field_validator("access_key_id", "secret_access_key")(_one_line)

    @field_validator("session_token")
    @classmethod
    def _cleaned(cls, value: SecretStr | None) -> SecretStr | None:
        return _one_line(value) if value is not None and value.get_secret_value().strip() else None


class GcpServiceAccount(_Payload):
    """The JSON file of a Google Cloud service account."""

    identifying = "service_account"

    kind: Literal[SecretKind.GCP_SERVICE_ACCOUNT] = SecretKind.GCP_SERVICE_ACCOUNT
    service_account: SecretStr = Field(description="The file's content")
    region: _Region | Literal[""] = ""

    @field_validator("service_account")
    @classmethod
    def _is_service_account(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value().strip()
        if not text:
            raise ValueError("missing")
        if len(text) > 16_384:
            raise ValueError("too_long")
        try:
            found: object = json.loads(text)
        except ValueError:
            raise ValueError("service_account") from None
        needed = ("client_email", "private_key", "project_id")
        fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
        is_complete = all(isinstance(fields.get(name), str) and fields[name] for name in needed)
        if fields.get("type") != "service_account" or not is_complete:
            raise ValueError("service_account")
        return SecretStr(text)

    def info(self) -> Mapping[str, str]:
        """Return the file's fields, as Google's libraries take them."""
        return cast("dict[str, str]", json.loads(self.service_account.get_secret_value()))

    def hint(self) -> str:
        """Return the end of the account's name, which is the part of its address before the `@`."""
        return self.info()["client_email"].partition("@")[0][-HINT_LENGTH:]


class GithubOauthApp(_Payload):
    """An OAuth app of GitHub."""

    identifying = "client_id"

    kind: Literal[SecretKind.GITHUB_OAUTH_APP] = SecretKind.GITHUB_OAUTH_APP
    client_id: _Plain
    client_secret: SecretStr

    _clean = field_validator("client_secret")(_one_line)


class GoogleOauthApp(_Payload):
    """An OAuth app of Google."""

    identifying = "client_id"

    kind: Literal[SecretKind.GOOGLE_OAUTH_APP] = SecretKind.GOOGLE_OAUTH_APP
    client_id: _Plain
    client_secret: SecretStr

    _clean = field_validator("client_secret")(_one_line)


Payload = Annotated[
    ApiKey | AzureOpenAI | AwsCredentials | GcpServiceAccount | GithubOauthApp | GoogleOauthApp,
    Field(discriminator="kind"),
]

PAYLOADS: Mapping[SecretKind, type[_Payload]] = MappingProxyType(
    {
        SecretKind.API_KEY: ApiKey,
        SecretKind.AZURE_OPENAI: AzureOpenAI,
        SecretKind.AWS_CREDENTIALS: AwsCredentials,
        SecretKind.GCP_SERVICE_ACCOUNT: GcpServiceAccount,
        SecretKind.GITHUB_OAUTH_APP: GithubOauthApp,
        SecretKind.GOOGLE_OAUTH_APP: GoogleOauthApp,
    }
)

_payload: TypeAdapter[Payload] = TypeAdapter(Payload, config=ConfigDict(hide_input_in_errors=True))


def document_of(payload: Payload) -> bytes:
    """Return the payload as the document that is sealed. It holds the plain values."""
    fields = {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in payload
        if value is not None
    }
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode()


def payload_of(document: bytes) -> Payload:
    """Return what `document_of` made the document of.

    Raises:
        ValueError: It is no such document.
    """
    return _payload.validate_json(document)


@dataclass(frozen=True, slots=True)
class Purpose:
    """A service that a secret is for."""

    id: str
    name: str
    """The service's own name; the console translates the one of `custom`."""
    kind: SecretKind = SecretKind.API_KEY


CUSTOM = "custom"

MODEL_PURPOSES = (
    Purpose("openai", "OpenAI"),
    Purpose("anthropic", "Anthropic"),
    Purpose("google", "Google Gemini"),
    Purpose("openrouter", "OpenRouter"),
    Purpose("azure", "Azure OpenAI", SecretKind.AZURE_OPENAI),
    Purpose("bedrock", "Amazon Bedrock", SecretKind.AWS_CREDENTIALS),
    Purpose("google_cloud", "Google Cloud", SecretKind.GCP_SERVICE_ACCOUNT),
    Purpose("alibaba", "Alibaba Cloud"),
    Purpose("cerebras", "Cerebras"),
    Purpose("cohere", "Cohere"),
    Purpose("deepseek", "DeepSeek"),
    Purpose("fireworks", "Fireworks AI"),
    Purpose("github", "GitHub Models"),
    Purpose("groq", "Groq"),
    Purpose("heroku", "Heroku"),
    Purpose("huggingface", "Hugging Face"),
    Purpose("litellm", "LiteLLM"),
    Purpose("mistral", "Mistral"),
    Purpose("moonshotai", "Moonshot AI"),
    Purpose("nebius", "Nebius"),
    Purpose("ollama", "Ollama"),
    Purpose("ovhcloud", "OVHcloud"),
    Purpose("sambanova", "SambaNova"),
    Purpose("together", "Together AI"),
    Purpose("vercel", "Vercel AI Gateway"),
    Purpose("xai", "xAI"),
    Purpose("zai", "Z.ai"),
)
"""One for each provider of models; their ids are the providers'."""

OTHER_PURPOSES = (
    Purpose("tavily", "Tavily"),
    Purpose("brave", "Brave Search"),
    Purpose("exa", "Exa"),
    Purpose("logfire", "Logfire"),
    Purpose("llamaparse", "LlamaParse"),
    Purpose("sandboxd", "sandboxd"),
    Purpose("daytona", "Daytona"),
    Purpose("github_oauth", "GitHub", SecretKind.GITHUB_OAUTH_APP),
    Purpose("google_oauth", "Google", SecretKind.GOOGLE_OAUTH_APP),
    Purpose(CUSTOM, "Custom"),
)

PURPOSES: Mapping[str, Purpose] = MappingProxyType(
    {purpose.id: purpose for purpose in (*MODEL_PURPOSES, *OTHER_PURPOSES)}
)
"""Every purpose by its permanent id, in the order in which they are offered. The purpose fixes the kind."""
