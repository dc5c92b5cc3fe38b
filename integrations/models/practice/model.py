"""The practice model on Pydantic AI's model interface."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil

from pydantic_ai import RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    ModelResponseStreamEvent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from agenticos_app.kernel.clock import now
from integrations.models.practice.rules import reply
from integrations.models.practice.turn import instructions_of, turn_of

MODEL_NAME = "practice"
LABEL = "Practice model"
TOKENS_PER_WORD = 1.3


class PracticeModel(Model[None]):
    """Answers from plain rules: no AI, no connection, no cost, the same answer every time."""

    def __init__(self, *, pace_s: float = 0) -> None:
        super().__init__()
        self._pace_s = pace_s
        """Pause after each word of a streamed answer."""

    @property
    def model_name(self) -> str:
        """The name that messages and prices know it by."""
        return MODEL_NAME

    @property
    def system(self) -> str:
        """The provider; there is none."""
        return MODEL_NAME

    @property
    def label(self) -> str:
        """The name that people read."""
        return LABEL

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Answer in one piece."""
        parts = _answer(messages, model_request_parameters)
        return ModelResponse(
            parts=parts,
            usage=_usage(messages, model_request_parameters, parts),
            model_name=MODEL_NAME,
            provider_name=MODEL_NAME,
            timestamp=now(),
        )

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[object] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Answer word by word."""
        parts = _answer(messages, model_request_parameters)
        yield _Stream(
            model_request_parameters, parts, _usage(messages, model_request_parameters, parts), self._pace_s
        )


@dataclass
class _Stream(StreamedResponse):
    answer: Sequence[ModelResponsePart]
    total: RequestUsage
    pace_s: float
    at: datetime = field(default_factory=now)

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        self._usage = RequestUsage(input_tokens=self.total.input_tokens)
        for number, part in enumerate(self.answer):
            if isinstance(part, TextPart):
                for word in re.findall(r"\s*\S+\s*|\s+", part.content):
                    for event in self._parts_manager.handle_text_delta(vendor_part_id=number, content=word):
                        yield event
                    if self.pace_s > 0:
                        await asyncio.sleep(self.pace_s)
            elif isinstance(part, ToolCallPart):
                yield self._parts_manager.handle_tool_call_part(
                    vendor_part_id=number,
                    tool_name=part.tool_name,
                    args=part.args_as_json_str(),
                    tool_call_id=part.tool_call_id,
                )
        self._usage = self.total
        self.finish_reason = (
            "tool_call" if any(isinstance(part, ToolCallPart) for part in self.answer) else "stop"
        )

    async def close_stream(self) -> None:
        """Nothing to close: there is no connection."""

    @property
    def model_name(self) -> str:
        """The model's name."""
        return MODEL_NAME

    @property
    def provider_name(self) -> str:
        """The provider's name."""
        return MODEL_NAME

    @property
    def provider_url(self) -> None:
        """No address."""

    @property
    def timestamp(self) -> datetime:
        """When the answer began."""
        return self.at


def _answer(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> list[ModelResponsePart]:
    turn = turn_of(messages, parameters)
    decided = reply(turn)
    if isinstance(decided, str):
        return [TextPart(decided)]
    first = len(messages)
    return [
        ToolCallPart(call.tool, dict(call.arguments), tool_call_id=f"practice-{first}-{number}")
        for number, call in enumerate(decided)
    ]


def _usage(
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    answer: Sequence[ModelResponsePart],
) -> RequestUsage:
    """Return about the tokens that a real model would count."""
    read = [_words(part) for message in messages for part in message.parts]
    read.append(len(instructions_of(messages, parameters).split()))
    return RequestUsage(
        input_tokens=ceil(sum(read) * TOKENS_PER_WORD),
        output_tokens=ceil(sum(map(_words, answer)) * TOKENS_PER_WORD),
    )


def _words(part: object) -> int:
    match part:
        case UserPromptPart(content=str() as text) | TextPart(content=text):
            return len(text.split())
        case ToolReturnPart():
            return len(part.model_response_str().split())
        case ToolCallPart():
            return 1 + len(part.args_as_json_str().split())
        case _:
            return 1
