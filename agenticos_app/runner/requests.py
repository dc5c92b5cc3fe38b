"""The one door to models: every request is reserved before it is sent and settled when it is over."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal
from uuid import UUID

from pydantic_ai.exceptions import ModelRequestTimeout, ModelTimeoutError
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
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings

from agenticos_app.contracts.models import Attempt, Candidate, OpenStream
from agenticos_app.contracts.money import Estimate, Ledger, Reservation
from agenticos_app.contracts.prices import NO_TOKENS, Prices, Tokens
from agenticos_app.contracts.recording import RequestRecord
from agenticos_app.kernel.clock import now
from agenticos_app.runner.recorder import Recorder

CHARACTERS_OF_A_SHORT_TOKEN = 2
"""Of a prompt that nobody has counted: more than any provider makes of plain text."""

CHARACTERS_PER_TOKEN = 4
"""Of an answer that broke off before the provider counted it."""

MOST_TOKENS = 2**31 - 1
"""That a row can hold; a server that says more lies."""


class Requests:
    """Asks the models of one run, the first that answers."""

    def __init__(
        self,
        candidates: Sequence[Candidate],
        open_stream: OpenStream,
        prices: Prices,
        ledger: Ledger,
        recorder: Recorder,
    ) -> None:
        self._candidates = candidates
        self._open_stream = open_stream
        self._prices = prices
        self._ledger = ledger
        self._recorder = recorder
        self._open: _Request | None = None
        self._measured = self._prompt_tokens = 0

    @property
    def count(self) -> int:
        """Requests that were sent."""
        return len(self._recorder.recorded.requests)

    async def ask(
        self,
        messages: list[ModelMessage],
        parameters: ModelRequestParameters,
        settings: ModelSettings | None = None,
    ) -> ModelResponse:
        """Make a request, stream its answer to the recorder, return it whole.

        `settings` go before those of the profile that answers.

        Raises:
            BudgetExceeded: It could cost more than a cap has left, so it was not sent.
            ModelAPIError, UnexpectedModelBehavior: No candidate answered, or the one that did broke off.
        """
        prompt_tokens = self._tokens_of(messages, parameters)

        async def before(candidate: Candidate) -> ModelSettings | None:
            estimate = self._estimate(candidate, prompt_tokens, settings)
            reservation = await self._reserve(estimate)
            self._open = _Request(candidate, reservation, self.count + 1, prompt_tokens)
            limit = reservation.output_limit
            return ModelSettings(max_tokens=limit) if limit is not None else None

        async def failed(attempt: Attempt) -> None:
            self._close(attempt.error)

        try:
            async with self._open_stream(
                self._candidates, messages, settings, parameters, before=before, failed=failed
            ) as answering:
                request = self._open
                assert request is not None, "the door was passed"
                request.stream = answering.stream
                async for event in answering.stream:
                    kind, text = _prose(event)
                    request.streamed += len(text)
                    if text and kind != "call":
                        await self._recorder.prose(kind, text)
                response = answering.stream.get()
        except BaseException as error:
            self._close(error)
            raise
        self._close(None)
        return response

    async def _reserve(self, estimate: Estimate | None) -> Reservation:
        """Reserve; whoever is stopped meanwhile gives back what was kept for a request that is never sent."""
        reserving = asyncio.ensure_future(self._ledger.reserve(self.count + 1, estimate))
        try:
            return await asyncio.shield(reserving)
        except asyncio.CancelledError:
            with suppress(Exception):
                self._ledger.settle(await reserving, 0)
            raise

    def _tokens_of(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> int:
        """Return an upper estimate of the prompt. Messages that were measured before are not again."""
        self._prompt_tokens += _most_tokens(ModelMessagesTypeAdapter.dump_json(messages[self._measured :]))
        self._measured = len(messages)
        beside = [part.content for part in parameters.instruction_parts or ()]
        for tool in (*parameters.function_tools, *parameters.output_tools):
            beside += [tool.description or "", str(tool.parameters_json_schema)]
        return self._prompt_tokens + _most_tokens("".join(beside).encode())

    def _estimate(
        self, candidate: Candidate, prompt_tokens: int, settings: ModelSettings | None
    ) -> Estimate | None:
        """Return what the request can cost at most; None when nobody knows."""
        tariff, most = candidate.tariff, self._prices.upper_estimate
        prompt = most(tariff, prompt_tokens=prompt_tokens, max_output=0)
        million = most(tariff, prompt_tokens=prompt_tokens, max_output=1_000_000)
        if prompt is None or million is None:
            return None
        asked = (settings or {}).get("max_tokens") or candidate.access.params.max_tokens
        return Estimate(
            prompt=prompt,
            per_million_output=million - prompt,
            longest=asked or self._prices.longest_output(tariff.model_name),
            may_shrink=asked is None,
        )

    def _close(self, error: BaseException | None) -> None:
        """Record and settle the open request, if there is one."""
        request, self._open = self._open, None
        if request is None:
            return
        tokens, is_estimated = request.used(error)
        cost = self._prices.price(request.candidate.tariff, tokens) if tokens != NO_TOKENS else 0
        self._ledger.settle(request.reservation, cost)
        access = request.candidate.access
        self._recorder.request_ends(
            RequestRecord(
                number=request.number,
                started_at=request.started_at,
                milliseconds=int((time.monotonic() - request.began) * 1000),
                provider=access.provider,
                model=access.model_name,
                profile_id=request.candidate.profile_id,
                secret_id=UUID(access.secret_id) if access.secret_id else None,
                tokens=tokens,
                is_estimated=is_estimated,
                cost_micros=cost,
                failed=None if error is None else type(error).__name__,
            )
        )


def _most_tokens(text: bytes) -> int:
    """Return the most tokens that a provider makes of a text: half its ASCII characters, all other bytes."""
    plain = len(text.decode("ascii", "ignore"))
    return -(-plain // CHARACTERS_OF_A_SHORT_TOKEN) + len(text) - plain


def _prose(event: ModelResponseStreamEvent) -> tuple[Literal["text", "thinking", "call"], str]:
    """Return the kind and text of a piece of prose, reasoning or a call; no text for any other event."""
    if isinstance(event, PartDeltaEvent):
        if isinstance(event.delta, TextPartDelta):
            return "text", event.delta.content_delta
        if isinstance(event.delta, ThinkingPartDelta):
            return "thinking", event.delta.content_delta or ""
        if isinstance(event.delta, ToolCallPartDelta):
            return "call", str(event.delta.args_delta or "")
    elif isinstance(event, PartStartEvent):
        if isinstance(event.part, TextPart):
            return "text", event.part.content
        if isinstance(event.part, ThinkingPart):
            return "thinking", event.part.content
        if isinstance(event.part, ToolCallPart):
            return "call", str(event.part.args or "")
    return "text", ""


class _Request:
    """One request while it is on its way."""

    def __init__(
        self, candidate: Candidate, reservation: Reservation, number: int, prompt_tokens: int
    ) -> None:
        self.candidate, self.reservation, self.number = candidate, reservation, number
        self.started_at, self.began = now(), time.monotonic()
        self.stream: StreamedResponse | None = None
        self.streamed = 0
        """Characters of prose and of calls that came."""
        self._prompt_tokens = prompt_tokens

    def used(self, error: BaseException | None) -> tuple[Tokens, bool]:
        """Return what it used, and whether that is our estimate, for it broke off while answered."""
        usage = self.stream.usage if self.stream else None
        told = NO_TOKENS
        if usage is not None:
            told = Tokens(
                input=_counted(usage.input_tokens),
                output=_counted(usage.output_tokens),
                cache_read=_counted(usage.cache_read_tokens),
                cache_write=_counted(usage.cache_write_tokens),
            )
        if (told.input, told.output) != (0, 0) or self._was_refused(error):
            return told, False
        return Tokens(input=self._prompt_tokens, output=-(-self.streamed // CHARACTERS_PER_TOKEN)), True

    def _was_refused(self, error: BaseException | None) -> bool:
        """Tell whether the provider has not worked on it: it said no, or was never reached."""
        if error is None or self.streamed or isinstance(error, asyncio.CancelledError):
            return False
        return not isinstance(error, ModelTimeoutError | ModelRequestTimeout)


def _counted(tokens: int) -> int:
    """Return a provider's count as far as it can be one."""
    return min(max(tokens, 0), MOST_TOKENS)
