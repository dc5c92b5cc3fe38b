"""Every provider of the catalogue that is reached over the network."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import httpx2
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import Model, ModelRequestParameters

from agenticos_app.contracts.models import ListedModel, ModelAccess, ModelCheck, ModelList
from agenticos_app.contracts.providers import Dialect
from agenticos_app.kernel.text import clipped
from integrations.models import listing
from integrations.models.pool import KEPT_MODELS, Pool
from integrations.models.problems import problem_of

CHECK_TIMEOUT_S = 30
REPLY_LENGTH = 200
QUESTION = "Reply with the single word: ready"

Build = Callable[[ModelAccess, httpx2.AsyncClient], Model]


class Providers:
    """The models of all providers. An SDK is imported when a model of its dialect is opened first."""

    def __init__(self) -> None:
        self._pool = Pool()
        self._listings = listing.Listings()
        self._loaded: set[Dialect] = set()

    def open(self, access: ModelAccess) -> Model:
        """Return the model, which holds no state of a run; the last ones used are kept."""
        client = self._pool.client(access)
        model = client.models.pop(access, None) or builder_of(access.spoken)(access, client.http)
        client.models[access] = model
        if len(client.models) > KEPT_MODELS:
            client.models.popitem(last=False)
        return model

    async def load(self, access: ModelAccess) -> None:
        """Import the SDK of the model's dialect, unless it is there."""
        if access.spoken not in self._loaded:
            await asyncio.to_thread(builder_of, access.spoken)
            self._loaded.add(access.spoken)

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Ask one short question without repeats, and list the names that the server offers."""
        started = time.perf_counter()
        reply, problem, listed = "", "", ()
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                listed = await self._listed(access)
                await self.load(access)
                started = time.perf_counter()
                reply, problem = await _ask(self.open(access))
        except (TimeoutError, httpx2.TransportError, httpx2.InvalidURL, httpx2.UnsupportedProtocol):
            problem = "unreachable"
        except AgentRunError as error:
            problem = problem_of(error)
        milliseconds = round((time.perf_counter() - started) * 1000)
        names = tuple(model.id for model in listed)
        return ModelCheck(
            ok=not problem, milliseconds=milliseconds, reply=reply, problem=problem, models=names
        )

    async def models(self, access: ModelAccess) -> ModelList:
        """Return the models that the provider lists, for an hour as it said; else the short list."""
        return await self._listings.of(access, self._pool.client(access).http)

    async def close(self) -> None:
        """Close all connections. Answers that are being read end with an error."""
        await self._pool.close()

    async def _listed(self, access: ModelAccess) -> tuple[ListedModel, ...]:
        """Return what the server lists; nothing when it has no list or keeps it to itself.

        Raises:
            TransportError: Nobody answers at the address.
        """
        if not listing.is_asked(access):
            return ()
        with suppress(listing.NotListed):
            return await listing.asked(access, self._pool.client(access).http)
        return ()


async def _ask(model: Model) -> tuple[str, str]:
    """Return the model's words and the problem code; one of them is empty."""
    request = ModelRequest.user_text_prompt(QUESTION)
    response = await model.request([request], None, ModelRequestParameters())
    text = clipped(response.text or "", REPLY_LENGTH)
    return (text, "") if text else ("", "empty")


def builder_of(dialect: Dialect) -> Build:
    """Return what builds models of a dialect. Its SDK is imported now: that takes up to a second."""
    if dialect is Dialect.OPENAI_CHAT:
        from integrations.models import openai_chat as spoken
    elif dialect is Dialect.OPENAI_RESPONSES:
        from integrations.models import openai_responses as spoken
    elif dialect is Dialect.ANTHROPIC:
        from integrations.models import anthropic_messages as spoken
    elif dialect is Dialect.GOOGLE:
        from integrations.models import google_gemini as spoken
    elif dialect is Dialect.MISTRAL:
        from integrations.models import mistral_chat as spoken
    elif dialect is Dialect.BEDROCK:
        from integrations.models import bedrock_converse as spoken
    else:
        raise ValueError(dialect)
    return spoken.build
