"""Reasoning, as each provider is asked for it: a level that a model lacks becomes the nearest that it has."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import models
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters

from capabilities.thinking import CAPABILITY
from capabilities.thinking.config import ThinkingConfig
from integrations.models.providers import Providers
from tests.fakes.model_access import KINDS
from tests.fakes.provider_server import ProviderServer

LEVELS = ("minimal", "high", "max")


async def asked(kind: str, model: str, effort: str | None) -> Mapping[str, Any]:
    """Return the body of a request of an agent with the capability; its answer must have been taken."""
    settings = CAPABILITY.build(ThinkingConfig.model_validate({"effort": effort})).settings
    messages = [ModelRequest(parts=[UserPromptPart("Hi")])]
    family = Providers()
    async with ProviderServer(KINDS[kind].wire()) as server:
        opened = family.open(replace(KINDS[kind].to(server.url), model_name=model))
        with models.override_allow_model_requests(True):
            async with opened.request_stream(list(messages), settings, ModelRequestParameters()) as stream:
                async for _ in stream:
                    pass
        await family.close()
        return server.questions[-1].body


def effort_in(body: Mapping[str, Any]) -> object:
    """Return how much reasoning a request asks for, wherever its dialect says so."""
    thinking = body.get("thinking", body.get("additionalModelRequestFields", {}).get("thinking", {}))
    google = body.get("generationConfig", {}).get("thinkingConfig", {})
    places = (
        body.get("reasoning_effort"),
        body.get("output_config", {}).get("effort"),
        thinking.get("budget_tokens"),
        google.get("thinking_level"),
        google.get("thinking_budget"),
        "default" if thinking or google else None,
    )
    return next((found for found in places if found is not None), None)


@pytest.mark.req("CAP-THINK-01", "CAP-THINK-02", "CAP-THINK-03")
@pytest.mark.parametrize(
    ("kind", "model", "unset", "levels"),
    [
        ("openai", "gpt-5-mini", "medium", ("minimal", "high", "high")),
        ("openai", "gpt-4o", None, (None, None, None)),
        ("anthropic", "claude-sonnet-5-5", "default", ("low", "high", "max")),
        ("anthropic", "claude-haiku-4-5", 10_000, (1024, 16_384, 32_768)),
        ("google", "gemini-3-pro-preview", "default", ("LOW", "HIGH", "HIGH")),
        ("google", "gemini-2.5-flash", "default", (128, 24_576, 24_576)),
        ("mistral", "magistral-medium-latest", "high", ("high", "high", "high")),
    ],
)
async def test_a_level_becomes_the_nearest_that_the_model_has(
    kind: str, model: str, unset: object, levels: tuple[object, ...]
) -> None:
    assert effort_in(await asked(kind, model, None)) == unset
    assert tuple([effort_in(await asked(kind, model, level)) for level in LEVELS]) == levels
