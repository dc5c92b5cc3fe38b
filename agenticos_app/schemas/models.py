"""Model profiles: which models agents use, and whether they answer."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from agenticos_app.contracts.models import LONGEST_CHAIN
from agenticos_app.contracts.providers import PROVIDERS, CredentialKind, Dialect

MOST_TOKENS = 100_000_000

Trimmed = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
ProfileName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)]


def _known(provider: str) -> str:
    if provider not in PROVIDERS:
        raise ValueError("invalid")
    return provider


ProviderId = Annotated[
    str,
    AfterValidator(_known),
    Field(description="An id of the catalogue", json_schema_extra={"enum": list(PROVIDERS)}),
]
Fallbacks = Annotated[
    list[UUID],
    Field(max_length=LONGEST_CHAIN - 1, description="Asked in this order when the model fails"),
]


class Params(BaseModel):
    """How the model is asked. What is null is left out of the requests."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    parallel_tool_calls: bool | None = None
    timeout_s: float | None = Field(default=None, ge=1, le=3600, description="Of one whole request")


class _Described(BaseModel):
    """A model as somebody describes it."""

    model_config = ConfigDict(hide_input_in_errors=True)

    provider: ProviderId
    model_name: Trimmed = Field(default="", description="As the provider calls it")
    base_url: Trimmed = Field(default="", description="For example http://localhost:11434/v1")
    secret_id: UUID | None = Field(default=None, description="A key of the vault")
    dialect: Dialect | None = Field(default=None, description="Null: the provider's first")
    params: Params = Params()
    is_free: bool = Field(default=False, description="Nobody is paid for it: a server of one's own")


class ModelDraft(_Described):
    """A model to try, or to make the default at once."""

    api_key: SecretStr = Field(default=SecretStr(""), description="Instead of a key of the vault")


class ModelCreate(_Described):
    """A new model profile."""

    name: ProfileName
    context_length: int | None = Field(
        default=None, ge=1, le=MOST_TOKENS, description="Tokens; null: what the bundled data says"
    )
    fallback_profile_ids: Fallbacks = []


class ModelChange(BaseModel):
    """What is different; absent fields stay. A key does not follow to another server by itself."""

    model_config = ConfigDict(hide_input_in_errors=True)

    name: ProfileName | None = None
    provider: ProviderId | None = None
    model_name: Trimmed | None = None
    base_url: Trimmed | None = None
    secret_id: UUID | None = None
    dialect: Dialect | None = None
    context_length: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    params: Params | None = None
    is_free: bool | None = None
    fallback_profile_ids: Fallbacks | None = None


class ModelCheckResult(BaseModel):
    """What one live check found."""

    model_config = ConfigDict(frozen=True)

    ok: bool
    milliseconds: int
    reply: str = Field(default="", description="The model's own words, cut")
    problem: str = Field(default="", description="i18n key models.problem.*")
    models: list[str] = Field(default_factory=list[str], description="What the server lists")


class ListedRow(BaseModel):
    """One model that a provider offers."""

    model_config = ConfigDict(frozen=True)

    id: str
    context_length: int | None = Field(description="Tokens; null: the provider does not say")


class ModelListResult(BaseModel):
    """Models to choose from; a name that is not among them may work all the same."""

    model_config = ConfigDict(frozen=True)

    models: list[ListedRow]
    is_live: bool = Field(description="Whether the provider said so; else a short list that comes along")
    problem: str = Field(default="", description="Why it is not live; i18n key models.problem.*")


class ProviderRow(BaseModel):
    """One provider of the catalogue."""

    model_config = ConfigDict(frozen=True)

    id: str
    label: str
    credential: CredentialKind
    takes_url: bool = Field(description="Whether a profile may name another address")
    needs_url: bool = Field(description="Whether it must")
    dialects: list[Dialect] = Field(description="The first unless a profile names another")
    lists_models: bool


class LocalServer(BaseModel):
    """An OpenAI-compatible server found on this machine."""

    model_config = ConfigDict(frozen=True)

    name: str
    provider: str
    base_url: str
    models: list[str]


class ModelUse(BaseModel):
    """What would be without its model."""

    model_config = ConfigDict(frozen=True)

    type: Literal["agent", "model_profile"]
    id: UUID
    name: str


class FallbackRow(BaseModel):
    """A model that is asked when another fails."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str


class ModelProfileRow(BaseModel):
    """A model that agents of the organization may use."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    provider: str
    model_name: str
    base_url: str
    secret_id: UUID | None = Field(description="Null when there is no key, or none that the caller may see")
    key_name: str = Field(description="Empty when there is no key, or none that the caller may see")
    key_hint: str = Field(description="The key's last four characters; empty when there is none")
    has_key: bool
    is_usable: bool = Field(description="False: it needs a key and has none")
    dialect: Dialect | None
    context_length: int | None = Field(description="Tokens; null: not known")
    params: Params
    is_free: bool
    input_usd: str | None = Field(description="For a million tokens, decimal; null: not known")
    output_usd: str | None = Field(description="For a million tokens, decimal; null: not known")
    prices_from: date = Field(description="The day of the bundled prices")
    is_default: bool
    fallbacks: list[FallbackRow]
    used_by: list[ModelUse] = Field(description="Published agents, and models that fall back to it")


class KeyChoice(BaseModel):
    """A key of the vault, as a picker names it."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    hint: str


class ModelDeleted(BaseModel):
    """What used the model and fails now, or has one fallback less."""

    model_config = ConfigDict(frozen=True)

    broken: list[ModelUse]
