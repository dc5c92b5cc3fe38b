"""Mistral's chat: nearly OpenAI's, but strict about fields and the ids of calls."""

import httpx2
from mistralai.client import Mistral
from pydantic_ai.models import Model
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.providers.mistral import MistralProvider

from agenticos_app.contracts.models import ModelAccess
from integrations.models.asking import settings_of


def build(access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    """Return the model."""
    client = Mistral(
        api_key=access.api_key or "none",
        server_url=access.base_url or access.entry.base_url,
        timeout_ms=int((http.timeout.read or 0) * 1000),
        async_client=http,  # pyright: ignore[reportArgumentType]  # its annotations name the older library
    )
    provider = MistralProvider(mistral_client=client)
    return MistralModel(access.model_name, provider=provider, settings=settings_of(access))
