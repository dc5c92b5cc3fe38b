"""OpenAI's responses dialect."""

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIResponsesModel

from agenticos_app.contracts.models import ModelAccess
from integrations.models.asking import settings_of
from integrations.models.openai_chat import client_of, provider_of


def build(access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    """Return the model."""
    provider = provider_of(access, client_of(access, http))
    return OpenAIResponsesModel(access.model_name, provider=provider, settings=settings_of(access))
