"""The step loop: asks the model, lets tools work, hands every event to the recorder."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import structlog
from pydantic_ai import RunContext, UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import AbstractModel
from pydantic_ai.usage import RunUsage

from agenticos_app.contracts.capability import RunDeps, ToolInfo
from agenticos_app.contracts.events import RunStatus, ToolStatus
from agenticos_app.contracts.recording import Outcome, PastTurn, TakenOver
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.ids import VersionId
from agenticos_app.runner.answer import AnswerInvalid
from agenticos_app.runner.assemble import Assembled, Assembler
from agenticos_app.runner.failures import StepLimitReached, outcome_of
from agenticos_app.runner.history import messages_of
from agenticos_app.runner.recorder import Recorder
from agenticos_app.runner.requests import Requests
from agenticos_app.runner.tools import RunTools
from agenticos_app.runner.verdict import CallResult

log = structlog.get_logger()

EMPTY_ANSWERS = 3
"""So many answers without a word or a call end the run."""

CALLS_AT_ONCE = 32
"""Calls of one answer that are made; the model may ask for the others again."""

TOO_MANY = CallResult(text=f"Only {CALLS_AT_ONCE} calls at once are made. Call again.", outcome="retried")

LONGEST_S = 3600
"""No run works longer, whatever keeps it."""

NO_MODEL = cast("AbstractModel", None)
"""Tools are handed no model: whoever asks one goes through `Requests`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One run, with everything that it needs resolved."""

    version_id: VersionId | None
    """None for a draft."""
    spec: AgentSpec
    prompt: str
    history: Sequence[PastTurn]
    deps: RunDeps


async def execute(job: Job, assembler: Assembler, requests: Requests, recorder: Recorder) -> Outcome:
    """Execute a run to its end; its own failures are outcomes.

    Provider connections are closed when it returns, is cancelled or fails.

    Raises:
        TakenOver: Another host has the run.
    """
    stage, limit = "assembly", None
    try:
        assembled = assembler.agent_for(job.version_id, job.spec)
        stage = "model"
        async with asyncio.timeout(LONGEST_S) as limit:
            is_cut = await _run(job, assembled, requests, recorder)
    except TakenOver:
        raise
    except Exception as error:  # the edge of a run: every error becomes its outcome
        if limit is not None and limit.expired():
            sentence = f"The run worked for {LONGEST_S // 60} minutes, which is the most."
            return Outcome(status=RunStatus.FAILED, error_code="time_limit", error=sentence)
        log.warning("run.failed", run_id=str(job.deps.run_id), stage=stage, exc_info=error)
        return outcome_of(error, stage)
    return Outcome(status=RunStatus.COMPLETED, error_code="answer_cut" if is_cut else None)


async def _run(job: Job, assembled: Assembled, requests: Requests, recorder: Recorder) -> bool:
    """Walk the steps to the answer; return whether the answer was cut at the length that it may have."""
    instructions = assembled.told(job.deps)
    turns = [*job.history, PastTurn(role="user", steps=[job.prompt])]
    messages = messages_of(turns, assembled.name_of)
    ctx = RunContext(deps=job.deps, model=NO_MODEL, usage=RunUsage(), prompt=job.prompt, messages=messages)
    toolset = await assembled.toolset.for_run(ctx)
    empty, was_corrected = 0, False
    async with toolset:
        tools = RunTools(toolset, ctx)
        for _ in range(assembled.spec.max_steps):
            parameters = assembled.parameters(await tools.offer(), instructions)
            response = await requests.ask(messages, parameters, assembled.settings)
            if assembled.answer is not None and (answer := assembled.answer.attempt(response)) is not None:
                if answer.value is not None:
                    await recorder.data(answer.value, was_prose=answer.was_prose)
                    return False
                if was_corrected:
                    raise AnswerInvalid
                was_corrected = True
                messages += [response, answer.correction]
            elif response.tool_calls:
                messages.append(response)
                messages.append(await _call(response, assembled.tools, tools, recorder))
            elif response.text:
                await recorder.close_prose()
                return response.finish_reason == "length"
            else:
                empty += 1
                if empty == EMPTY_ANSWERS:
                    raise UnexpectedModelBehavior(f"{empty} answers held neither text nor a call.")
    raise StepLimitReached(f"The step limit of {assembled.spec.max_steps} model requests was reached.")


async def _call(
    response: ModelResponse, infos: Mapping[str, ToolInfo], tools: RunTools, recorder: Recorder
) -> ModelRequest:
    """Let the called tools work, beside each other where they may, and return their results in order."""
    calls = response.tool_calls
    ids = await recorder.calls_begin([_begun(call, infos) for call in calls])
    results: dict[int, ToolReturnPart] = {}

    async def work(index: int, call: ToolCallPart) -> None:
        result = await tools.call(call) if index < CALLS_AT_ONCE else TOO_MANY
        status = ToolStatus.DONE if result.outcome == "success" else ToolStatus.FAILED
        await recorder.call_ends(ids[index], result.text, status, result.card)
        results[index] = ToolReturnPart(
            call.tool_name, result.text, call.tool_call_id, outcome=result.outcome
        )

    if len(calls) == 1 or any(tools.is_sequential(call.tool_name) for call in calls):
        for index, call in enumerate(calls):
            await work(index, call)
    else:
        try:
            async with asyncio.TaskGroup() as group:
                for index, call in enumerate(calls):
                    group.create_task(work(index, call))
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from several
    return ModelRequest(parts=[results[index] for index in range(len(calls))])


def _begun(call: ToolCallPart, infos: Mapping[str, ToolInfo]) -> tuple[str, str, dict[str, object], str]:
    arguments = _arguments(call)
    info = infos.get(call.tool_name)
    subject = str(arguments.get(info.subject, "")) if info and info.subject else ""
    return call.tool_call_id, info.id if info else call.tool_name, arguments, subject


def _arguments(call: ToolCallPart) -> dict[str, object]:
    try:
        return call.args_as_dict()
    except ValueError:
        return {"unreadable": str(call.args)[:2_000]}
