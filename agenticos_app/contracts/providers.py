"""The catalogue of model providers: what each is called, how it is spoken to, and what it accepts.

Plain data and plain checks. Adding a provider that speaks a known dialect is one entry here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from urllib.parse import urlsplit

from agenticos_app.errors import FieldProblem

PRACTICE = "practice"
MODEL_NAME_LENGTH = 200
BASE_URL_LENGTH = 500

_REGION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)


class CredentialKind(StrEnum):
    """What a provider wants to see before it answers."""

    API_KEY = "api_key"
    AZURE_OPENAI = "azure_openai"
    """Key, endpoint and version."""
    AWS = "aws_credentials"
    """Key pair and region."""
    GCP = "gcp_service_account"
    """The JSON of a service account, and a location."""
    NONE = "none"
    """Nothing; a key is sent when there is one, for a server behind a proxy."""


class Dialect(StrEnum):
    """The wire formats that the platform speaks."""

    PRACTICE = "practice"
    OPENAI_CHAT = "openai_chat"
    OPENAI_RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    BEDROCK = "bedrock"
    MISTRAL = "mistral"


class Listing(StrEnum):
    """Whether a provider tells which models it has."""

    NONE = "none"
    KEY = "key"
    """To who shows a credential."""
    OPEN = "open"
    """To everyone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Provider:
    """One entry of the catalogue."""

    id: str
    label: str
    dialects: tuple[Dialect, ...] = (Dialect.OPENAI_CHAT,)
    """The first is used unless a profile asks for another."""
    credential: CredentialKind = CredentialKind.API_KEY
    base_url: str = ""
    """Where it is; empty when the credential says so."""
    takes_url: bool = False
    """Whether a profile may point somewhere else."""
    listing: Listing = Listing.KEY
    listing_url: str = ""
    """Where it lists its models, when that is not beside the completions."""
    prices: str = ""
    """Its id in the price data; empty when that has no prices of it."""
    has_namespaces: bool = False
    """Whether a model id is `maker/model`."""
    omits: frozenset[str] = field(default_factory=frozenset[str])
    """Fields of the dialect that its servers refuse."""
    is_retired: bool = False
    """Its service has ended. Kept, so that what names it can be read; not offered."""

    @property
    def dialect(self) -> Dialect:
        """The wire format that is spoken with it by default."""
        return self.dialects[0]

    @property
    def needs_credential(self) -> bool:
        """Whether nothing works without one."""
        return self.credential is not CredentialKind.NONE


_CHAT_AND_RESPONSES = (Dialect.OPENAI_CHAT, Dialect.OPENAI_RESPONSES)
_OLD_LIMIT = frozenset({"max_completion_tokens"})

_ENTRIES = (
    Provider(
        id=PRACTICE,
        label="Practice model",
        dialects=(Dialect.PRACTICE,),
        credential=CredentialKind.NONE,
        listing=Listing.NONE,
    ),
    Provider(
        id="openai",
        label="OpenAI",
        dialects=_CHAT_AND_RESPONSES,
        base_url="https://api.openai.com/v1",
        takes_url=True,
        prices="openai",
    ),
    Provider(
        id="anthropic",
        label="Anthropic",
        dialects=(Dialect.ANTHROPIC,),
        base_url="https://api.anthropic.com",
        takes_url=True,
        prices="anthropic",
    ),
    Provider(
        id="google",
        label="Google Gemini",
        dialects=(Dialect.GOOGLE,),
        base_url="https://generativelanguage.googleapis.com",
        takes_url=True,
        prices="google",
    ),
    Provider(
        id="openrouter",
        label="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        listing=Listing.OPEN,
        prices="openrouter",
        has_namespaces=True,
    ),
    Provider(
        id="alibaba",
        label="Alibaba Cloud Model Studio",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        takes_url=True,
    ),
    Provider(
        id="cerebras",
        label="Cerebras",
        base_url="https://api.cerebras.ai/v1",
        prices="cerebras",
    ),
    Provider(id="deepseek", label="DeepSeek", base_url="https://api.deepseek.com", prices="deepseek"),
    Provider(
        id="fireworks",
        label="Fireworks AI",
        base_url="https://api.fireworks.ai/inference/v1",
        prices="fireworks",
    ),
    Provider(
        id="github",
        label="GitHub Models",
        base_url="https://models.github.ai/inference",
        listing=Listing.NONE,
        is_retired=True,
    ),
    # Groq, xAI, Cohere and Hugging Face are spoken to in the OpenAI dialect that each of them documents:
    # their own SDKs bring another HTTP client, gRPC or a tokenizer, and nothing that a run needs.
    Provider(
        id="groq",
        label="Groq",
        base_url="https://api.groq.com/openai/v1",
        prices="groq",
    ),
    Provider(
        id="heroku",
        label="Heroku Inference",
        base_url="https://us.inference.heroku.com/v1",
        takes_url=True,
        listing=Listing.NONE,
        omits=_OLD_LIMIT,
    ),
    Provider(
        id="mistral",
        label="Mistral",
        dialects=(Dialect.MISTRAL,),
        base_url="https://api.mistral.ai",
        listing_url="https://api.mistral.ai/v1/models",
        prices="mistral",
    ),
    Provider(
        id="moonshotai",
        label="Moonshot AI",
        base_url="https://api.moonshot.ai/v1",
        prices="moonshotai",
    ),
    Provider(id="nebius", label="Nebius", base_url="https://api.studio.nebius.com/v1"),
    Provider(
        id="ovhcloud",
        label="OVHcloud",
        base_url="https://oai.endpoints.kepler.ai.cloud.ovh.net/v1",
        listing=Listing.OPEN,
        prices="ovhcloud",
    ),
    Provider(
        id="sambanova",
        label="SambaNova",
        base_url="https://api.sambanova.ai/v1",
        takes_url=True,
        listing=Listing.OPEN,
    ),
    Provider(
        id="together",
        label="Together AI",
        base_url="https://api.together.xyz/v1",
        prices="together",
    ),
    Provider(
        id="vercel",
        label="Vercel AI Gateway",
        base_url="https://ai-gateway.vercel.sh/v1",
        listing=Listing.OPEN,
    ),
    Provider(
        id="zai",
        label="Z.AI",
        base_url="https://api.z.ai/api/paas/v4",
        prices="zai",
        omits=_OLD_LIMIT,
    ),
    Provider(
        id="xai",
        label="xAI",
        dialects=_CHAT_AND_RESPONSES,
        base_url="https://api.x.ai/v1",
        takes_url=True,
        prices="x-ai",
    ),
    Provider(
        id="cohere",
        label="Cohere",
        base_url="https://api.cohere.ai/compatibility/v1",
        listing_url="https://api.cohere.com/v1/models?endpoint=chat&page_size=1000",
        prices="cohere",
        omits=_OLD_LIMIT | {"parallel_tool_calls"},
    ),
    Provider(
        id="huggingface",
        label="Hugging Face",
        base_url="https://router.huggingface.co/v1",
        takes_url=True,
        listing=Listing.OPEN,
    ),
    Provider(
        id="ollama",
        label="Ollama",
        credential=CredentialKind.NONE,
        takes_url=True,
        listing=Listing.OPEN,
    ),
    Provider(
        id="litellm",
        label="LiteLLM",
        credential=CredentialKind.NONE,
        takes_url=True,
        listing=Listing.OPEN,
    ),
    Provider(
        id="azure",
        label="Azure OpenAI",
        dialects=_CHAT_AND_RESPONSES,
        credential=CredentialKind.AZURE_OPENAI,
        listing=Listing.NONE,
        prices="azure",
    ),
    Provider(
        id="bedrock",
        label="Amazon Bedrock",
        dialects=(Dialect.BEDROCK,),
        credential=CredentialKind.AWS,
        listing=Listing.NONE,
        prices="aws",
    ),
    Provider(
        id="google_cloud",
        label="Google Cloud (Vertex AI)",
        dialects=(Dialect.GOOGLE,),
        credential=CredentialKind.GCP,
        listing=Listing.NONE,
        prices="google",
    ),
)

PROVIDERS: Mapping[str, Provider] = MappingProxyType({entry.id: entry for entry in _ENTRIES})
"""Every provider by its permanent id."""

OFFERED: Mapping[str, Provider] = MappingProxyType(
    {entry.id: entry for entry in _ENTRIES if not entry.is_retired and entry.dialect is not Dialect.PRACTICE}
)
"""Those that may be chosen."""


def problems_of(
    *, provider: str, model_name: str, base_url: str = "", has_credential: bool = True
) -> list[FieldProblem]:
    """Return what is wrong with a description of a model, field by field; empty when nothing is.

    The submitted values are in no answer. A private or local host is fine: it is where people run models.
    """
    entry = PROVIDERS.get(provider)
    if entry is None:
        return [{"field": "provider", "message": "unknown"}]
    if entry.dialect is Dialect.PRACTICE:
        return []
    found = _problems_of_url(entry, base_url)
    if not has_credential and needs_key(provider, base_url):
        found.append({"field": "api_key", "message": "missing"})
    return found + _problems_of_name(entry, model_name)


def needs_key(provider: str, base_url: str) -> bool:
    """Tell whether a model there is out of reach without a credential."""
    entry = PROVIDERS[provider]
    return entry.needs_credential and not (entry.takes_url and base_url)


def _problems_of_url(entry: Provider, base_url: str) -> list[FieldProblem]:
    if not base_url:
        where_known = entry.base_url or entry.needs_credential
        return [] if where_known else [{"field": "base_url", "message": "missing"}]
    if not entry.takes_url:
        return [{"field": "base_url", "message": "not_accepted"}]
    return [] if is_address(base_url) else [{"field": "base_url", "message": "address"}]


def _problems_of_name(entry: Provider, model_name: str) -> list[FieldProblem]:
    message = ""
    if not model_name:
        message = "missing"
    elif len(model_name) > MODEL_NAME_LENGTH:
        message = "too_long"
    elif not model_name.isprintable() or " " in model_name:
        message = "invalid"
    elif entry.has_namespaces and not all(model_name.partition("/")[::2]):
        message = "namespace"
    return [{"field": "model_name", "message": message}] if message else []


def is_address(text: str) -> bool:
    """Tell whether a client can be pointed there; not with a password in it, for addresses are shown."""
    if not text.isprintable() or " " in text or len(text) > BASE_URL_LENGTH:
        return False
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError:
        return False
    is_web = address.scheme in ("http", "https") and bool(address.hostname) and port != 0
    return is_web and "@" not in address.netloc


def is_region(text: str) -> bool:
    """Tell whether it is the name of a cloud's region: it becomes part of a host name."""
    return len(text) <= 40 and _REGION.fullmatch(text) is not None
