"""The price data that comes with the package; a newer snapshot is a newer package.

The three facts that have to change together stand here: the pin in requirements.in, and these two.
"""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_CEILING, Decimal

from genai_prices import Usage
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, Provider, TieredPrices

from agenticos_app.contracts.prices import Rates, Tariff, Tokens
from agenticos_app.contracts.providers import PROVIDERS

PACKAGE_VERSION = "0.2.3"
SNAPSHOT = date(2026, 11, 10)

LONGEST_OUTPUT = 16_384
OUTPUT_LIMITS = (
    ("gpt-5", 64_000),
    ("claude-opus-4", 32_000),
    ("claude-sonnet-4", 64_000),
    ("claude-haiku-4", 64_000),
    ("gemini-2.5", 64_000),
    ("gemini-3", 64_000),
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
"""What models can be asked for, by a piece of their name, the first that fits: those that reason need more,
and older ones refuse it."""

KEPT = 2048
MICROS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Priced:
    """One model's entry in the data."""

    provider: Provider
    model: ModelInfo


class BundledPrices:
    """`contracts.prices.Prices` over the package. Finding a model is slow, so what was found is kept."""

    snapshot = SNAPSHOT

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], _Priced | None] = OrderedDict()

    def price(self, tariff: Tariff, tokens: Tokens) -> int | None:
        """Return what was spent, in micro-dollars rounded up; None when there is no price."""
        if tariff.is_free:
            return 0
        priced = self._priced(tariff)
        return None if priced is None else _micros(priced, tokens)

    def upper_estimate(self, tariff: Tariff, *, prompt_tokens: int, max_output: int) -> int | None:
        """Return the most that a request can cost: its prompt written to the cache, if that is dearer."""
        if tariff.is_free:
            return 0
        priced = self._priced(tariff)
        if priced is None:
            return None
        plain = Tokens(input=prompt_tokens, output=max_output)
        cached = Tokens(input=prompt_tokens, output=max_output, cache_write=prompt_tokens)
        found = [cost for tokens in (plain, cached) if (cost := _micros(priced, tokens)) is not None]
        return max(found, default=None)

    def rates(self, tariff: Tariff) -> Rates | None:
        """Return the list price of a short request; None when there is none."""
        if tariff.is_free:
            return Rates(input_micros=0, output_micros=0)
        priced = self._priced(tariff)
        if priced is None:
            return None
        price = priced.model.get_prices(datetime.now(tz=UTC))
        rates = [_rate(each, 0) for each in (price.input_mtok, price.output_mtok)]
        told = [None if rate is None else _up(rate * MICROS) for rate in rates]
        return Rates(input_micros=told[0], output_micros=told[1])

    def longest_output(self, model_name: str) -> int:
        """Return the tokens of the longest answer that a model can be asked for without being refused."""
        return next((tokens for piece, tokens in OUTPUT_LIMITS if piece in model_name), LONGEST_OUTPUT)

    def context_window(self, tariff: Tariff) -> int | None:
        """Return how many tokens fit; None when the data does not say."""
        priced = self._priced(tariff)
        return None if priced is None else priced.model.context_window or None

    def _priced(self, tariff: Tariff) -> _Priced | None:
        entry = PROVIDERS.get(tariff.provider)
        if entry is None or not entry.prices:
            return None
        key = (entry.prices, tariff.model_name)
        if key not in self._kept:
            self._kept[key] = _found(*key)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]


def _found(provider_id: str, model_name: str) -> _Priced | None:
    try:
        provider, model = get_snapshot().find_provider_model(model_name, None, provider_id, None)
    except LookupError:
        return None
    return _Priced(provider, model)


def _micros(priced: _Priced, tokens: Tokens) -> int | None:
    """Return the cost; None when the data has no price for this kind of token."""
    if tokens.input_audio or tokens.output_audio:
        return _by_the_package(priced, tokens)
    price = priced.model.get_prices(datetime.now(tz=UTC))
    total = tokens.input
    rate_in, rate_out = _rate(price.input_mtok, total), _rate(price.output_mtok, total)
    if (rate_in is None and total) or (rate_out is None and tokens.output):
        return None
    rate_in, rate_out = rate_in or Decimal(), rate_out or Decimal()
    read, write = _rate(price.cache_read_mtok, total), _rate(price.cache_write_mtok, total)
    # Dollars for a million tokens are micro-dollars for one.
    return _up(
        max(total - tokens.cache_read - tokens.cache_write, 0) * rate_in
        + tokens.cache_read * (rate_in if read is None else read)
        + tokens.cache_write * (rate_in if write is None else write)
        + tokens.output * rate_out
    )


def _rate(price: Decimal | TieredPrices | None, input_tokens: int) -> Decimal | None:
    """Return the rate of all tokens of a request whose prompt is so long."""
    if not isinstance(price, TieredPrices):
        return price
    return next((tier.price for tier in reversed(price.tiers) if input_tokens > tier.start), price.base)


def _by_the_package(priced: _Priced, tokens: Tokens) -> int | None:
    """Return what the package computes, which knows more kinds of tokens and takes forty times as long."""
    usage = Usage(
        input_tokens=max(tokens.input, tokens.cache_read + tokens.cache_write),
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cache_read or None,
        cache_write_tokens=tokens.cache_write or None,
        input_audio_tokens=tokens.input_audio or None,
        output_audio_tokens=tokens.output_audio or None,
    )
    try:
        found = priced.model.calc_price(usage, priced.provider, genai_request_timestamp=datetime.now(tz=UTC))
    except (LookupError, ValueError):
        return None
    return _up(found.total_price * MICROS)


def _up(cost: Decimal) -> int:
    return int(cost.to_integral_value(rounding=ROUND_CEILING))
