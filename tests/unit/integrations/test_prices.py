"""Prices of the bundled snapshot."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot

from agenticos_app.contracts.money import Estimate
from agenticos_app.contracts.prices import Tariff, Tokens
from agenticos_app.contracts.providers import PROVIDERS
from integrations.models.listing import CURATED
from integrations.prices import bundled
from integrations.prices.bundled import BundledPrices

GPT = Tariff(provider="openai", model_name="gpt-4o")


@pytest.fixture
def prices() -> BundledPrices:
    return BundledPrices()


@pytest.mark.req("DOM-MODEL-14", "DOM-BUDGET-09")
def test_the_snapshot_is_the_pinned_package_and_never_updates_itself():
    pinned = re.search(r"^genai-prices==(\S+)$", Path("requirements.in").read_text(), re.MULTILINE)
    assert pinned is not None
    assert pinned[1] == version("genai-prices") == bundled.PACKAGE_VERSION
    assert not get_snapshot().from_auto_update


@pytest.mark.req("DOM-BUDGET-09")
@pytest.mark.parametrize("tokens", [Tokens(input=1000, output=100), Tokens(input=300_001, output=7)])
def test_every_model_costs_what_the_package_says(prices: BundledPrices, tokens: Tokens):
    ours = {entry.prices: entry.id for entry in PROVIDERS.values() if entry.prices}
    compared = 0
    for provider in get_snapshot().providers:
        for model in provider.models if provider.id in ours else []:
            cost = prices.price(Tariff(provider=ours[provider.id], model_name=model.id), tokens)
            usage = Usage(input_tokens=tokens.input, output_tokens=tokens.output)
            if cost is not None:
                theirs = calc_price(usage, model.id, provider_id=provider.id).total_price * 1_000_000
                assert cost - 1 < theirs <= cost, (provider.id, model.id)
                compared += 1
    assert compared > 1000


def test_cached_tokens_are_part_of_the_prompt_and_cheaper(prices: BundledPrices):
    assert prices.price(GPT, Tokens(input=1000, cache_read=200, output=10)) == 2350
    assert prices.price(GPT, Tokens(input=1000, output=10)) == 2600


def test_sound_has_a_price_of_its_own(prices: BundledPrices):
    audio = Tariff(provider="openai", model_name="gpt-audio")
    written = prices.price(audio, Tokens(input=1000, output=100))
    heard = prices.price(audio, Tokens(input=1000, input_audio=1000, output=100, output_audio=100))
    assert written is not None
    assert heard is not None
    assert heard > written


def test_a_fraction_is_rounded_up(prices: BundledPrices):
    assert prices.price(GPT, Tokens(input=1)) == 3  # 2.5


@pytest.mark.req("DOM-MODEL-14")
@pytest.mark.parametrize(
    "tariff",
    [
        Tariff(provider="openai", model_name="nobody-knows-this"),
        Tariff(provider="ollama", model_name="llama3"),
        Tariff(provider="nobody", model_name="gpt-4o"),
        Tariff(provider="practice", model_name="practice"),
    ],
)
def test_no_price_is_none_and_never_zero(prices: BundledPrices, tariff: Tariff):
    assert prices.price(tariff, Tokens(input=10, output=10)) is None
    assert prices.upper_estimate(tariff, prompt_tokens=10, max_output=10) is None


@pytest.mark.req("DOM-MODEL-15")
def test_what_is_declared_free_costs_nothing(prices: BundledPrices):
    local = Tariff(provider="ollama", model_name="llama3", is_free=True)
    assert prices.price(local, Tokens(input=10, output=10)) == 0
    assert prices.upper_estimate(local, prompt_tokens=10, max_output=10) == 0


@pytest.mark.req("DOM-BUDGET-09")
def test_the_same_model_costs_what_its_own_provider_takes(prices: BundledPrices):
    tokens = Tokens(input=1_000_000, output=1_000_000)
    names = {"groq": "openai/gpt-oss-120b", "cerebras": "gpt-oss-120b", "together": "openai/gpt-oss-120b"}
    costs = [prices.price(Tariff(provider=entry, model_name=name), tokens) for entry, name in names.items()]
    assert None not in costs
    assert len(set(costs)) > 1


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_the_estimate_covers_every_way_to_use_the_tokens(prices: BundledPrices, provider: str):
    tariff = Tariff(provider=provider, model_name=CURATED[provider][0])
    most = prices.upper_estimate(tariff, prompt_tokens=1000, max_output=500)
    assert most is not None
    for read, write in ((0, 0), (1000, 0), (0, 1000), (400, 600)):
        cost = prices.price(tariff, Tokens(input=1000, output=500, cache_read=read, cache_write=write))
        assert cost is not None
        assert cost <= most


@pytest.mark.parametrize("micros", [0, 1, 2500, 2501, 2510, 9999, 10_000, 1_234_567])
def test_a_sum_affords_the_longest_answer_that_it_covers(prices: BundledPrices, micros: int):
    prompt = prices.upper_estimate(GPT, prompt_tokens=1000, max_output=0)
    million = prices.upper_estimate(GPT, prompt_tokens=1000, max_output=1_000_000)
    assert prompt is not None
    assert million is not None
    wish = Estimate(prompt=prompt, per_million_output=million - prompt, longest=1_000_000, may_shrink=True)
    count = wish.affordable(micros)
    assert wish.of(count + 1) > micros
    if count >= 0:
        assert wish.of(count) <= micros
        assert (prices.upper_estimate(GPT, prompt_tokens=1000, max_output=count) or 0) <= micros


def test_windows_are_known_where_the_data_knows_them(prices: BundledPrices):
    assert prices.context_window(GPT) == 128_000
    assert prices.context_window(Tariff(provider="ollama", model_name="llama3")) is None


@pytest.mark.req("DOM-MODEL-12")
@pytest.mark.parametrize("provider", list(CURATED))
def test_every_curated_model_has_a_price(prices: BundledPrices, provider: str):
    for name in CURATED[provider]:
        assert prices.price(Tariff(provider=provider, model_name=name), Tokens(input=1000, output=10)), name
