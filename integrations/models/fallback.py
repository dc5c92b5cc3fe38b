"""Asks models in turn until one begins to answer, and says who did."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count

from pydantic_ai.exceptions import ModelAPIError, ModelRequestTimeout
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings, merge_model_settings

from agenticos_app.contracts.models import (
    LONGEST_CHAIN,
    AfterFailure,
    Answering,
    Attempt,
    BeforeSending,
    Candidate,
    LoadModel,
    OpenModel,
)
from integrations.models.problems import is_passing, is_the_providers

REPEATS = 2
"""Of a request to the last candidate, when its trouble may pass; the others hand over at once."""
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 10
"""A server that asks for more patience than this is not asked again: the person is told instead."""


class Asking:
    """Opens streams over one set of model families."""

    def __init__(self, open_model: OpenModel, load_model: LoadModel) -> None:
        self._open_model, self._load_model = open_model, load_model

    @asynccontextmanager
    async def open_stream(
        self,
        candidates: Sequence[Candidate],
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        params: ModelRequestParameters,
        *,
        before: BeforeSending | None = None,
        failed: AfterFailure | None = None,
    ) -> AsyncGenerator[Answering]:
        """Ask the candidates in turn, as `contracts.models.OpenStream` says."""
        if not 1 <= len(candidates) <= LONGEST_CHAIN:
            raise ValueError(f"1 to {LONGEST_CHAIN} candidates")
        attempts: list[Attempt] = []
        for candidate, repeat in _turns(candidates):
            asked = settings
            if before is not None:
                asked = merge_model_settings(settings, await before(candidate))
            began = time.perf_counter()
            async with AsyncExitStack() as stack:
                try:
                    await self._load_model(candidate.access)
                    model = self._open_model(candidate.access)
                    stream = await _opened(stack, model, candidate, messages, asked, params)
                except Exception as raised:
                    if not is_the_providers(raised):
                        raise
                    error = raised
                else:
                    yield Answering(stream=stream, candidate=candidate, attempts=tuple(attempts))
                    return
            milliseconds = int((time.perf_counter() - began) * 1000)
            attempts.append(Attempt(candidate=candidate, error=error, milliseconds=milliseconds))
            if failed is not None:
                await failed(attempts[-1])
            if candidate is candidates[-1]:
                await _wait_or_raise(error, repeat)


def _turns(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, int]]:
    """Yield each candidate once, and the last one as often as somebody asks, with the number of repeats."""
    for candidate in candidates[:-1]:
        yield candidate, 0
    for repeat in count():
        yield candidates[-1], repeat


async def _wait_or_raise(error: Exception, repeat: int) -> None:
    """Return when the candidate may be asked again; raise the error when it may not."""
    asked_for = error.retry_after if isinstance(error, ModelAPIError) else None
    wait_s = FIRST_WAIT_S * 2**repeat if asked_for is None else asked_for
    if repeat >= REPEATS or wait_s > LONGEST_WAIT_S or not is_passing(error):
        raise error
    await asyncio.sleep(wait_s)


async def _opened(
    stack: AsyncExitStack,
    model: Model,
    candidate: Candidate,
    messages: list[ModelMessage],
    settings: ModelSettings | None,
    params: ModelRequestParameters,
) -> StreamedResponse:
    """Return the stream once it has said something, or has ended without a word."""
    limit_s = candidate.access.params.timeout_s
    opening = model.request_stream(model.prepare_messages(messages, params), settings, params)
    if limit_s is None:
        stream = await stack.enter_async_context(opening)
        events = aiter(stream)
    else:
        deadline = asyncio.get_running_loop().time() + limit_s
        with _in_time(candidate, limit_s):
            async with asyncio.timeout_at(deadline):
                stream = await stack.enter_async_context(opening)
        events = _timed(aiter(stream), deadline, candidate, limit_s)
    held: list[ModelResponseStreamEvent] = []
    async for event in events:
        held.append(event)
        if _says_something(event):
            break
    stream._event_iterator = _again(held, events)  # pyright: ignore[reportPrivateUsage]  # where it keeps its own
    return stream


@contextmanager
def _in_time(candidate: Candidate, limit_s: float) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise ModelRequestTimeout(candidate.access.model_name, limit_s) from error


async def _timed(
    events: AsyncIterator[ModelResponseStreamEvent], deadline: float, candidate: Candidate, limit_s: float
) -> AsyncGenerator[ModelResponseStreamEvent]:
    while True:
        with _in_time(candidate, limit_s):
            async with asyncio.timeout_at(deadline):
                event = await anext(events, None)
        if event is None:
            return
        yield event


async def _again(
    held: Sequence[ModelResponseStreamEvent], rest: AsyncIterator[ModelResponseStreamEvent]
) -> AsyncGenerator[ModelResponseStreamEvent]:
    for event in held:
        yield event
    async for event in rest:
        yield event


def _says_something(event: ModelResponseStreamEvent) -> bool:
    """Tell whether an event carries something that a person or a tool will have seen."""
    if isinstance(event, PartStartEvent):
        part = event.part
        return not isinstance(part, TextPart | ThinkingPart) or bool(part.content)
    if isinstance(event, PartDeltaEvent):
        delta = event.delta
        return not isinstance(delta, TextPartDelta | ThinkingPartDelta) or bool(delta.content_delta)
    return False
