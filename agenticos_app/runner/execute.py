"""The step loop: asks the model, lets tools work, hands every event to the recorder."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog
from pydantic_ai import Agent, ModelRequestNode
from pydantic_ai.agent import AgentRun
from pydantic_ai.messages import (
    FunctionToolResultEvent,
    ModelMessagesTypeAdapter,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from agenticos_app.contracts.capability import RunDeps, ToolInfo
from agenticos_app.contracts.events import RunStatus, ToolStatus
from agenticos_app.contracts.models import ModelAccess, OpenModel
from agenticos_app.contracts.recording import Outcome, PastTurn, RequestRecord, TakenOver
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import VersionId
from agenticos_app.runner.assemble import Assembled, Assembler
from agenticos_app.runner.failures import StepLimitReached, outcome_of
from agenticos_app.runner.history import messages_of
from agenticos_app.runner.recorder import Recorder

log = structlog.get_logger()

NO_LIMITS = UsageLimits(request_limit=None)
"""The loop counts steps itself, so that the sentence about the limit is ours."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One run, with everything that it needs resolved."""

    version_id: VersionId
    spec: AgentSpec
    access: ModelAccess
    prompt: str
    history: Sequence[PastTurn]
    deps: RunDeps


async def execute(job: Job, assembler: Assembler, open_model: OpenModel, recorder: Recorder) -> Outcome:
    """Execute a run to its end; its own failures are outcomes.

    Provider connections are closed when it returns, is cancelled or fails.

    Raises:
        TakenOver: Another host has the run.
    """
    stage = "assembly"
    try:
        assembled, model = assembler.agent_for(job.version_id, job.spec), open_model(job.access)
        stage = "model"
        await _run(job, assembled, model, recorder)
    except TakenOver:
        raise
    except Exception as error:  # the edge of a run: every error becomes its outcome
        log.warning("run.failed", run_id=str(job.deps.run_id), stage=stage, exc_info=error)
        return outcome_of(error, stage)
    return Outcome(status=RunStatus.COMPLETED)


async def _run(job: Job, assembled: Assembled, model: Model, recorder: Recorder) -> None:
    async with assembled.agent.iter(
        job.prompt,
        message_history=messages_of(job.history),
        model=model,
        deps=job.deps,
        usage_limits=NO_LIMITS,
        infer_name=False,
    ) as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                if len(recorder.recorded.requests) >= assembled.max_steps:
                    limit = f"The step limit of {assembled.max_steps} model requests was reached."
                    raise StepLimitReached(limit)
                await _ask(node, run, recorder)
            elif Agent.is_call_tools_node(node) and node.model_response.tool_calls:
                await recorder.calls_begin(_calls(node.model_response, assembled.tools))
                async with node.stream(run.ctx) as events:
                    async for event in events:
                        if isinstance(event, FunctionToolResultEvent):
                            await _record_result(event.part, recorder)
        await recorder.close_prose()


async def _ask(node: ModelRequestNode[RunDeps, str], run: AgentRun[RunDeps, str], recorder: Recorder) -> None:
    """Make one model request and stream its answer."""
    request = _Request(number=len(recorder.recorded.requests) + 1, run=run)
    try:
        async with node.stream(run.ctx) as stream:
            async for event in stream:
                if isinstance(event, PartDeltaEvent):
                    if isinstance(event.delta, TextPartDelta):
                        request.streamed += len(event.delta.content_delta)
                        await recorder.prose("text", event.delta.content_delta)
                    elif isinstance(event.delta, ThinkingPartDelta):
                        request.streamed += len(event.delta.content_delta or "")
                        await recorder.prose("thinking", event.delta.content_delta or "")
                elif isinstance(event, PartStartEvent):
                    if isinstance(event.part, TextPart):
                        request.streamed += len(event.part.content)
                        await recorder.prose("text", event.part.content)
                    elif isinstance(event.part, ThinkingPart):
                        await recorder.prose("thinking", event.part.content)
    except BaseException as error:
        recorder.request_ends(request.ended(error))
        raise
    recorder.request_ends(request.ended(None))


CHARACTERS_PER_TOKEN = 4
"""For what a provider did not count because the request broke off."""


class _Request:
    """One request while it is made."""

    def __init__(self, *, number: int, run: AgentRun[RunDeps, str]) -> None:
        self._number, self._run = number, run
        self._began, self._started = now(), time.monotonic()
        self._before = (run.usage.input_tokens, run.usage.output_tokens)
        self.streamed = 0
        """Characters of prose that came."""

    def ended(self, error: BaseException | None) -> RequestRecord:
        """Return its record; with the provider's usage, or with ours when it broke off while it answered."""
        usage = self._run.usage
        told = usage.input_tokens - self._before[0], usage.output_tokens - self._before[1]
        is_cut = self.streamed > 0 or isinstance(error, asyncio.CancelledError)
        is_estimated = error is not None and is_cut and told == (0, 0)
        if is_estimated:
            sent = len(ModelMessagesTypeAdapter.dump_json(self._run.all_messages()))
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


def _calls(
    response: ModelResponse, tools: Mapping[str, ToolInfo]
) -> list[tuple[str, str, dict[str, object], str]]:
    calls: list[tuple[str, str, dict[str, object], str]] = []
    for part in response.tool_calls:
        arguments = _arguments(part)
        info = tools.get(part.tool_name)
        subject = str(arguments.get(info.subject, "")) if info and info.subject else ""
        calls.append((part.tool_call_id, part.tool_name, arguments, subject))
    return calls


def _arguments(part: ToolCallPart) -> dict[str, object]:
    try:
        return part.args_as_dict()
    except ValueError:
        return {"unreadable": str(part.args)[:2_000]}


async def _record_result(part: ToolReturnPart, recorder: Recorder) -> None:
    status = ToolStatus.DONE if part.outcome == "success" else ToolStatus.FAILED
    await recorder.call_ends(part.tool_call_id, part.model_response_str(), status)
