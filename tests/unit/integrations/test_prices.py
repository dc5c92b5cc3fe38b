"""Prices against the package that they come from."""

from datetime import UTC, datetime
from decimal import ROUND_CEILING
from importlib.metadata import version
from pathlib import Path

import pytest
from genai_prices import Usage, calc_price

from agenticos_app.contracts.money import Tokens
from integrations.prices import PriceList, context_window

MODELS = [
    ("openai", "gpt-5"),
    ("openai", "gpt-4o-mini"),
    ("anthropic", "claude-sonnet-4-5"),
    ("google", "gemini-2.5-pro"),
    ("mistral", "mistral-large-latest"),
    ("groq", "llama-3.3-70b-versatile"),
    ("deepseek", "deepseek-chat"),
]
USES = [
    Tokens(input=1, output=1),
    Tokens(input=1_000, output=333, cache_read=200),
    Tokens(input=400_000, output=60_000, cache_read=7),
]


@pytest.mark.req("DOM-BUDGET-09", "DOM-MODEL-14")
@pytest.mark.parametrize("tokens", USES, ids=str)
@pytest.mark.parametrize(("provider", "model"), MODELS)
def test_a_cost_is_the_packages_rounded_up_to_a_millionth(provider: str, model: str, tokens: Tokens) -> None:
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)
    usage = Usage(input_tokens=tokens.input, output_tokens=tokens.output, cache_read_tokens=tokens.cache_read)
    theirs = calc_price(usage, model_ref=model, provider_id=provider, genai_request_timestamp=at).total_price
    ours = PriceList(lambda: at).cost(provider, model, tokens)
    assert ours == int((theirs * 1_000_000).to_integral_value(ROUND_CEILING))


@pytest.mark.req("DOM-BUDGET-08", "DOM-BUDGET-09")
@pytest.mark.parametrize(
    ("provider", "model"),
    [("openai", "house-model"), ("ollama", "llama3"), ("nowhere", "gpt-5"), ("anthropic", "gpt-5")],
)
def test_a_model_that_its_own_provider_does_not_list_has_no_price(provider: str, model: str) -> None:
    assert PriceList().cost(provider, model, Tokens(input=1)) is None


def test_context_windows_are_known_where_the_list_has_them() -> None:
    assert context_window("openai", "gpt-4o") == 128_000
    assert context_window("openai", "house-model") is None


@pytest.mark.req("DOM-MODEL-14")
def test_the_pinned_package_is_the_one_that_is_installed() -> None:
    pins = Path("requirements.in").read_text()
    assert f"genai-prices=={version('genai-prices')}\n" in pins
