"""Any server that speaks OpenAI's chat completions: OpenAI itself, Ollama, vLLM, LM Studio, gateways.

All accesses share one connection pool and one TLS context; an access is a base address and a header on top.
"""

import asyncio
import time
from collections import OrderedDict
from math import isfinite

import httpx2
from openai import APIConnectionError, AsyncOpenAI, AsyncStream, NotGiven, Omit, OpenAIError, not_given
from openai._base_client import make_request_options
from openai._types import Body, Headers, Query
from openai.resources.chat import AsyncCompletions
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelNotFoundError,
    ModelRateLimitError,
)
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

from agenticos_app.contracts.models import ModelAccess, ModelCheck, ModelKind
from agenticos_app.kernel.text import clipped
from integrations.models.transport import Transport

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 120
"""The longest silence between two pieces of an answer."""
CHECK_TIMEOUT_S = 30
RETRIES = 2
"""Repeats of a request that was refused before its answer began; a begun stream is never repeated."""
LONGEST_RETRY_WAIT_S = 10
"""A server that asks for more patience than this gets no repeat: the person is told instead."""
KEPT_CLIENTS = 512
LISTED_MODELS = 500
QUESTION = "Reply with the single word: ready"

# What only OpenAI's own servers are known to accept.
COMPATIBLE_PROFILE = OpenAIModelProfile(
    openai_chat_supports_allowed_tools=False,
    openai_supports_strict_tool_definition=False,
    openai_supports_batch_api=False,
)
PROBLEMS: tuple[tuple[type[AgentRunError], str], ...] = (
    (ModelAuthenticationError, "unauthorized"),
    (ModelNotFoundError, "not_found"),
    (ModelRateLimitError, "rate_limited"),
    (ModelConnectionError, "unreachable"),
    (AgentRunError, "failed"),
)


class OpenAICompatible:
    """The family of models behind one address and one key."""

    kind = ModelKind.OPENAI_COMPATIBLE

    def __init__(self) -> None:
        self._http: httpx2.AsyncClient | None = None
        self._clients: OrderedDict[tuple[str, str], AsyncOpenAI] = OrderedDict()
        self._models: OrderedDict[ModelAccess, Model] = OrderedDict()

    def open(self, access: ModelAccess) -> Model:
        """Return the model, which holds no state of a run; the last ones used are kept."""
        model = self._models.pop(access, None) or self._build(access)
        self._models[access] = model
        if len(self._models) > KEPT_CLIENTS:
            self._models.popitem(last=False)
        return model

    def _build(self, access: ModelAccess) -> Model:
        ours = httpx2.URL(access.base_url).host.endswith("api.openai.com")
        return OpenAIChatModel(
            access.model_name,
            provider=OpenAIProvider(openai_client=self._client(access)),
            profile=None if ours else COMPATIBLE_PROFILE,
        )

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Ask one short question without repeats, and list the names that the server offers."""
        client = self._client(access).with_options(max_retries=0, timeout=CHECK_TIMEOUT_S)
        started = time.perf_counter()
        reply, problem, names = "", "", ()
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                names = await _names(client)
                started = time.perf_counter()
                reply, problem = await _ask(self.open(access))
        except (TimeoutError, APIConnectionError):
            problem = "unreachable"
        milliseconds = round((time.perf_counter() - started) * 1000)
        return ModelCheck(
            ok=not problem, milliseconds=milliseconds, reply=reply, problem=problem, models=names
        )

    async def close(self) -> None:
        """Close all connections. Answers that are being read end with an error."""
        self._clients.clear()
        self._models.clear()
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def _client(self, access: ModelAccess) -> AsyncOpenAI:
        if self._http is None:
            self._http = httpx2.AsyncClient(
                transport=Transport(), event_hooks={"response": [_limit_patience]}
            )
        key = (access.base_url, access.api_key)
        client = self._clients.get(key)
        if client is None:
            client = AsyncOpenAI(
                base_url=access.base_url,
                # A server without keys gets one that is none; the SDK insists on sending something.
                api_key=access.api_key or "none",
                http_client=self._http,
                max_retries=RETRIES,
                timeout=httpx2.Timeout(
                    connect=CONNECT_TIMEOUT_S,
                    read=READ_TIMEOUT_S,
                    write=READ_TIMEOUT_S,
                    pool=CONNECT_TIMEOUT_S * 2,
                ),
            )
            client.chat.completions = _Completions(client)  # pyright: ignore[reportAttributeAccessIssue]  # a cached property
            self._clients[key] = client
            if len(self._clients) > KEPT_CLIENTS:
                self._clients.popitem(last=False)
        self._clients.move_to_end(key)
        return client


class _Completions(AsyncCompletions):
    """Sends requests as Pydantic AI builds them.

    The SDK's own walk through every message and tool is for shapes that are not used here: it changes
    nothing in them, and costs a fifth of a short run.
    """

    async def create(  # pyright: ignore[reportIncompatibleMethodOverride]  # the fields as a whole
        self,
        *,
        stream: bool = False,
        extra_headers: Headers | None = None,
        extra_query: Query | None = None,
        extra_body: Body | None = None,
        timeout: float | httpx2.Timeout | NotGiven | None = not_given,  # noqa: ASYNC109  # the SDK's own
        **fields: object,
    ) -> ChatCompletion | AsyncStream[ChatCompletionChunk]:
        """Ask for a completion."""
        given = {name: value for name, value in fields.items() if not isinstance(value, Omit)}
        return await self._post(
            "/chat/completions",
            body=given | {"stream": stream},
            options=make_request_options(
                extra_headers=extra_headers,
                extra_query=extra_query,
                extra_body=extra_body,
                timeout=timeout,
                security={"bearer_auth": True},
            ),
            cast_to=ChatCompletion,
            stream=stream,
            stream_cls=AsyncStream[ChatCompletionChunk],
        )


async def _limit_patience(response: httpx2.Response) -> None:
    """Keep the SDK from sleeping through a long `Retry-After`, which it would up to two minutes long."""
    try:
        wait_s = float(response.headers.get("retry-after", "0"))
    except ValueError:
        return
    if isfinite(wait_s) and wait_s > LONGEST_RETRY_WAIT_S:
        response.headers["x-should-retry"] = "false"


async def _names(client: AsyncOpenAI) -> tuple[str, ...]:
    """Return the models that the server lists; none when it has no such list.

    Raises:
        APIConnectionError: Nobody answers at the address.
    """
    try:
        page = await client.models.list()
    except APIConnectionError:
        raise
    except (OpenAIError, ValueError, TypeError, AttributeError):
        return ()
    return tuple(sorted(clipped(str(model.id), 200) for model in page.data or ())[:LISTED_MODELS])


async def _ask(model: Model) -> tuple[str, str]:
    """Return the model's words and the problem code; one of them is empty."""
    request = ModelRequest.user_text_prompt(QUESTION)
    try:
        response = await model.request([request], {"max_retries": 0}, ModelRequestParameters())
    except AgentRunError as error:
        return "", next(code for kind, code in PROBLEMS if isinstance(error, kind))
    text = clipped(response.text or "", 200)
    return (text, "") if text else ("", "empty")
