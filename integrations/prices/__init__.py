"""The price list that comes with the `genai-prices` package. Nothing is fetched.

A refresh is a new pin of the package in `requirements.in` and its date here.
"""

from collections import OrderedDict
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple, Protocol

from agenticos_app.contracts.money import Tokens
from agenticos_app.kernel.clock import now

SNAPSHOT = date(2026, 11, 10)
"""When the pinned package was released."""

LISTED_AS = {
    "bedrock": "aws",
    "google_cloud": "google",
    "xai": "x-ai",
    "alibaba": "",
    "github": "",
    "ollama": "",
    "litellm": "",
}
"""Providers under the name of the list; empty: it has no prices of theirs."""

LONGEST_OUTPUT = 16_384
SHORTER_OUTPUT = (
    ("claude-3-5", 8_192),
    ("claude-3-7", 8_192),
    ("claude-3", 4_096),
    ("gpt-3.5", 4_096),
    ("gpt-4-", 4_096),
    ("gpt-4o-2024-05", 4_096),
    ("gemini-1.5", 8_192),
    ("gemini-2.0", 8_192),
    ("deepseek-chat", 8_192),
    ("command-r", 4_096),
)
"""Older models refuse to be asked for more tokens; by a piece of their name, the first that fits."""

KEPT = 1_000
FRESH = timedelta(hours=1)
"""Some prices depend on the day or hour, so they are looked up again."""


class _Tiered(Protocol):
    base: Decimal
    tiers: "list[_Tier]"


class _Tier(Protocol):
    start: int
    price: Decimal


class _Rates(NamedTuple):
    """Dollars per million tokens, which is millionths of a dollar per token."""

    input: "Decimal | _Tiered"
    output: "Decimal | _Tiered"
    cache_read: "Decimal | _Tiered"
    cache_write: "Decimal | _Tiered"


class PriceList:
    """Prices by provider and model. The runner knows it as `Prices`."""

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[datetime, _Rates | None]] = OrderedDict()

    def cost(self, provider: str, model: str, tokens: Tokens) -> int | None:
        """Return what a request cost in millionths of a dollar, rounded up; None when no price is known."""
        rates = self._rates(provider, model)
        if rates is None:
            return None
        fresh = max(0, tokens.input - tokens.cache_read - tokens.cache_write)
        counted = (
            (fresh, rates.input),
            (tokens.cache_read, rates.cache_read),
            (tokens.cache_write, rates.cache_write),
            (tokens.output, rates.output),
        )
        total = sum((count * _at(rate, tokens.input) for count, rate in counted if count), Decimal(0))
        return int(total.to_integral_value(ROUND_CEILING))

    def longest_output(self, model: str) -> int:
        """Return the tokens of the longest answer that the model can be asked for without being refused."""
        return next((tokens for piece, tokens in SHORTER_OUTPUT if piece in model), LONGEST_OUTPUT)

    def _rates(self, provider: str, model: str) -> _Rates | None:
        key, at = (provider, model), self._clock()
        kept = self._kept.get(key)
        if kept is None or kept[0] < at - FRESH:
            kept = self._kept[key] = (at, _listed(provider, model, at))
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return kept[1]


def context_window(provider: str, model: str) -> int | None:
    """Return the model's context window in tokens, where the list has it."""
    found = _found(provider, model)
    return found.context_window if found is not None else None


def _listed(provider: str, model: str, at: datetime) -> _Rates | None:
    found = _found(provider, model)
    if found is None:
        return None
    prices = vars(found.get_prices(at))
    known = prices.get("input_mtok"), prices.get("output_mtok")
    if None in known:
        return None
    return _Rates(
        input=prices["input_mtok"],
        output=prices["output_mtok"],
        cache_read=prices.get("cache_read_mtok") or prices["input_mtok"],
        cache_write=prices.get("cache_write_mtok") or prices["input_mtok"],
    )


def _found(provider: str, model: str):  # the package's own class
    from genai_prices.data_snapshot import get_snapshot  # half a second, so not at the start

    name = LISTED_AS.get(provider, provider)
    if not name:
        return None
    try:
        return get_snapshot().find_provider_model(model, None, name, None)[1]
    except LookupError:
        return None


def _at(rate: "Decimal | _Tiered", prompt_tokens: int) -> Decimal:
    """Return the price that holds for a prompt of that size: past a threshold for all of its tokens."""
    if isinstance(rate, Decimal):
        return rate
    reached = [tier.price for tier in rate.tiers if prompt_tokens > tier.start]
    return reached[-1] if reached else rate.base
