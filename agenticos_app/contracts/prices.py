"""What an answer costs."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Tariff:
    """Whose price applies."""

    provider: str
    """An id of the catalogue."""
    model_name: str
    """As the provider lists it, wherever the model is served: a gateway passes the provider's price on."""
    is_free: bool = False
    """Declared so on the profile: costs 0, which is a price."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """What one answer used."""

    input: int = 0
    """With the cached ones."""
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    input_audio: int = 0
    output_audio: int = 0


NO_TOKENS = Tokens()


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """Micro-dollars for a million tokens, of a request that is not unusually long."""

    input_micros: int | None
    output_micros: int | None


class Prices(Protocol):
    """Prices from the bundled snapshot; nothing is fetched. Money is in whole micro-dollars, rounded up."""

    snapshot: date
    """The day that the prices are from."""

    def price(self, tariff: Tariff, tokens: Tokens) -> int | None:
        """Return what was spent; None when there is no price, which is not 0."""
        ...

    def upper_estimate(self, tariff: Tariff, *, prompt_tokens: int, max_output: int) -> int | None:
        """Return the most that a request can cost; None when there is no price."""
        ...

    def rates(self, tariff: Tariff) -> Rates | None:
        """Return the list price; None when there is none."""
        ...

    def longest_output(self, model_name: str) -> int:
        """Return the tokens of the longest answer that a model can be asked for without being refused."""
        ...

    def context_window(self, tariff: Tariff) -> int | None:
        """Return how many tokens fit; None when nobody knows."""
        ...
