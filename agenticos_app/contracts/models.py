"""How the platform gets a language model, and what it hears about it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from agenticos_app.contracts.prices import Tariff
from agenticos_app.contracts.providers import PROVIDERS, Dialect, Provider
from agenticos_app.contracts.secrets import ApiKey, AwsCredentials, AzureOpenAI, GcpServiceAccount
from agenticos_app.kernel.ids import ModelProfileId

if TYPE_CHECKING:  # half a second of a start, which only who runs models needs
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
    from pydantic_ai.settings import ModelSettings

LONGEST_CHAIN = 3
"""Models that one request may be offered to, the first included."""


Credential = ApiKey | AzureOpenAI | AwsCredentials | GcpServiceAccount
"""What a provider may want to see, as the vault keeps it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelParams:
    """How a profile asks. None is left out of the request."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    parallel_tool_calls: bool | None = None
    timeout_s: float | None = None
    """The longest that one request may take, from its first byte to its last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAccess:
    """Everything needed to talk to one model, secrets opened. Lives in memory only."""

    provider: str
    """An id of the catalogue."""
    model_name: str
    base_url: str = ""
    """Empty is the provider's own address."""
    credential: Credential | None = field(default=None, repr=False)
    params: ModelParams = ModelParams()
    dialect: Dialect | None = None
    """Another of the provider's dialects than its first."""
    secret_id: str = ""
    """Which secret the credential came from; a new value under the same id closes the old connections."""

    @property
    def entry(self) -> Provider:
        """The provider's entry in the catalogue."""
        return PROVIDERS[self.provider]

    @property
    def spoken(self) -> Dialect:
        """The wire format in use."""
        return self.dialect or self.entry.dialect

    @property
    def api_key(self) -> str:
        """The key, where one key is all there is to the credential; else empty."""
        return self.credential.api_key.get_secret_value() if isinstance(self.credential, ApiKey) else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCheck:
    """What one live check of a model found."""

    ok: bool
    milliseconds: int
    reply: str = ""
    """The model's own words, cut; empty when it failed."""
    problem: str = ""
    """A code, i18n key `models.problem.*`.

    One of unreachable, unauthorized, not_found, rate_limited, failed, empty.
    """
    models: tuple[str, ...] = ()
    """Names that the server lists; empty when it lists none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedModel:
    """One model that a provider offers."""

    id: str
    context_length: int | None = None
    """Tokens; None when the provider does not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelList:
    """What there is to choose from; a name that is not in it may work all the same."""

    models: tuple[ListedModel, ...]
    is_live: bool
    """Whether the provider said so within the last hour; else it is the short list that comes along."""
    problem: str = ""
    """Why it is not live: a code as in `ModelCheck`; empty when the provider has no such list."""


class ModelFamily(Protocol):
    """Models that are opened, tried and listed in one way."""

    def open(self, access: ModelAccess) -> "Model":
        """Return a model on connections that are shared by everyone with the same credential.

        Raises:
            ModelAPIError: The credential is not one that this provider takes.
        """
        ...

    async def load(self, access: ModelAccess) -> None:
        """Import what `open` needs beside the event loop: an SDK takes a second or two, the first time."""
        ...

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Ask the model one short question and list the server's models. Never raises for the other side."""
        ...

    async def models(self, access: ModelAccess) -> ModelList:
        """Return the models to choose from; never raises for the other side. No credential is needed."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """One model that may answer a request."""

    profile_id: ModelProfileId
    access: ModelAccess
    is_free: bool = False
    """Whether nobody is paid for it: the practice model, or a server of one's own that is declared so."""

    @property
    def tariff(self) -> Tariff:
        """Whose price its answers have."""
        access = self.access
        return Tariff(
            provider=access.provider,
            model_name=access.model_name,
            is_free=self.is_free,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One request that was sent and failed before it had said anything."""

    candidate: Candidate
    error: Exception
    milliseconds: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Answering:
    """A request that is being answered."""

    stream: "StreamedResponse"
    """Its events, the ones that came before it was known to answer included."""
    candidate: Candidate
    """Who answers."""
    attempts: tuple[Attempt, ...]
    """What failed before, oldest first."""


BeforeSending = Callable[[Candidate], Awaitable["ModelSettings | None"]]
"""Called before each request; returns settings on top of the others. What it raises ends the request."""

AfterFailure = Callable[[Attempt], Awaitable[None]]
"""Called after each request that failed before it had said anything."""


class OpenStream(Protocol):
    """The one way to ask a model. `integrations.models.fallback` is it."""

    def __call__(
        self,
        candidates: Sequence[Candidate],
        messages: "list[ModelMessage]",
        settings: "ModelSettings | None",
        params: "ModelRequestParameters",
        *,
        before: BeforeSending | None = None,
        failed: AfterFailure | None = None,
    ) -> AbstractAsyncContextManager[Answering]:
        """Ask the candidates in turn until one begins to answer.

        Once text, reasoning or a call has come, an error is the caller's: nobody else is asked.

        Raises:
            ModelAPIError, UnexpectedModelBehavior: Of the last candidate that was asked.
            ValueError: No candidate, or more than `LONGEST_CHAIN`.
        """
        ...


OpenModel = Callable[[ModelAccess], "Model"]

LoadModel = Callable[[ModelAccess], Awaitable[None]]
