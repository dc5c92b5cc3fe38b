"""Anthropic's messages."""

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from agenticos_app.contracts.models import ModelAccess
from integrations.models.asking import settings_of


def build(access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    """Return the model."""
    client = AsyncAnthropic(
        # A key, even one that is none, keeps the SDK from looking for another in the environment.
        api_key=access.api_key or "none",
        base_url=access.base_url or access.entry.base_url,
        http_client=http,
        max_retries=0,
        timeout=http.timeout,
    )
    client._custom_headers = {}  # pyright: ignore[reportPrivateUsage]  # what the environment put there
    provider = AnthropicProvider(anthropic_client=client)
    return AnthropicModel(access.model_name, provider=provider, settings=settings_of(access))
