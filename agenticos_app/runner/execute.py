"""The step loop: asks the model, lets tools work, hands every event to the recorder."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog
from pydantic_ai import Agent, ModelRequestNode
from pydantic_ai.agent import AgentRun
from pydantic_ai.messages import (
    FunctionToolResultEvent,
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
    began, started = now(), time.monotonic()
    number = len(recorder.recorded.requests) + 1
    failed: str | None = None
    before = run.usage
    input_before, output_before = before.input_tokens, before.output_tokens
    try:
        async with node.stream(run.ctx) as stream:
            async for event in stream:
                if isinstance(event, PartDeltaEvent):
                    if isinstance(event.delta, TextPartDelta):
                        await recorder.prose("text", event.delta.content_delta)
                    elif isinstance(event.delta, ThinkingPartDelta):
                        await recorder.prose("thinking", event.delta.content_delta or "")
                elif isinstance(event, PartStartEvent):
                    if isinstance(event.part, TextPart):
                        await recorder.prose("text", event.part.content)
                    elif isinstance(event.part, ThinkingPart):
                        await recorder.prose("thinking", event.part.content)
    except BaseException as error:
        failed = type(error).__name__
        raise
    finally:
        after = run.usage
        recorder.request_ends(
            RequestRecord(
                number=number,
                started_at=began,
                milliseconds=int((time.monotonic() - started) * 1000),
                input_tokens=after.input_tokens - input_before,
                output_tokens=after.output_tokens - output_before,
                failed=failed,
            )
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
