"""One request to a model: its answer streamed to the recorder, its usage told whatever happens."""

import asyncio
import time
from collections.abc import Sequence
from typing import Literal

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse

from agenticos_app.contracts.recording import RequestRecord
from agenticos_app.kernel.clock import now
from agenticos_app.runner.recorder import Recorder

CHARACTERS_PER_TOKEN = 4
"""For what a provider did not count because the request broke off."""


async def ask(
    model: Model, messages: list[ModelMessage], parameters: ModelRequestParameters, recorder: Recorder
) -> ModelResponse:
    """Make one model request, stream its answer, return it whole.

    Raises:
        AgentRunError: The provider failed, in one of its kinds.
    """
    request = _Request(number=len(recorder.recorded.requests) + 1, messages=messages)
    try:
        sent = model.prepare_messages(messages, parameters)
        async with model.request_stream(sent, None, parameters) as stream:
            request.stream = stream
            async for event in stream:
                kind, text = _prose(event)
                if text:
                    request.streamed += len(text)
                    await recorder.prose(kind, text)
            response = stream.get()
    except BaseException as error:
        recorder.request_ends(request.ended(error))
        raise
    recorder.request_ends(request.ended(None))
    return response


def _prose(event: ModelResponseStreamEvent) -> tuple[Literal["text", "thinking"], str]:
    """Return the kind and text of a piece of prose or reasoning; no text for any other event."""
    if isinstance(event, PartDeltaEvent):
        if isinstance(event.delta, TextPartDelta):
            return "text", event.delta.content_delta
        if isinstance(event.delta, ThinkingPartDelta):
            return "thinking", event.delta.content_delta or ""
    elif isinstance(event, PartStartEvent):
        if isinstance(event.part, TextPart):
            return "text", event.part.content
        if isinstance(event.part, ThinkingPart):
            return "thinking", event.part.content
    return "text", ""


class _Request:
    """One request while it is made."""

    def __init__(self, *, number: int, messages: Sequence[ModelMessage]) -> None:
        self._number, self._messages = number, messages
        self._began, self._started = now(), time.monotonic()
        self.stream: StreamedResponse | None = None
        self.streamed = 0
        """Characters of prose that came."""

    def ended(self, error: BaseException | None) -> RequestRecord:
        """Return its record; with the provider's usage, or with ours when it broke off while it answered."""
        usage = self.stream.usage if self.stream else None
        told = (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
        is_cut = self.streamed > 0 or isinstance(error, asyncio.CancelledError)
        is_estimated = error is not None and is_cut and told == (0, 0)
        if is_estimated:
            sent = len(ModelMessagesTypeAdapter.dump_json([*self._messages]))
            told = sent // CHARACTERS_PER_TOKEN, -(-self.streamed // CHARACTERS_PER_TOKEN)
        return RequestRecord(
            number=self._number,
            started_at=self._began,
            milliseconds=int((time.monotonic() - self._started) * 1000),
            input_tokens=told[0],
            output_tokens=told[1],
            is_estimated=is_estimated,
            failed=None if error is None else type(error).__name__,
        )
