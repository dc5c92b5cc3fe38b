"""How the platform gets a language model."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # half a second of a start, which only who runs models needs
    from pydantic_ai.models import Model


class ModelKind(StrEnum):
    """The families of models that a profile can name."""

    PRACTICE = "practice"
    OPENAI_COMPATIBLE = "openai_compatible"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelAccess:
    """Everything needed to talk to one model, secrets opened. Lives in memory only."""

    kind: ModelKind
    model_name: str
    base_url: str = ""
    api_key: str = ""

    def __repr__(self) -> str:
        key = "yes" if self.api_key else "no"
        return f"ModelAccess({self.kind}, {self.model_name!r}, {self.base_url!r}, key={key})"


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


class ModelFamily(Protocol):
    """One module of `integrations/models`."""

    kind: ModelKind

    def open(self, access: ModelAccess) -> "Model":
        """Return a model on a client that is shared by everyone with the same access."""
        ...

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Ask the model one short question and list the server's models. Never raises for the other side."""
        ...

    async def close(self) -> None:
        """Close all clients."""
        ...


OpenModel = Callable[[ModelAccess], "Model"]
