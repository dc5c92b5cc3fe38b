"""Asking an agent and waiting for the answer, for callers who do not follow the stream."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agenticos_app.contracts.events import Event, Part, RunStatus, Usage, replayed
from agenticos_app.contracts.recording import Recorded
from agenticos_app.kernel.ids import AgentId, RunId
from agenticos_app.schemas.runs import Ask, RunResult, Started
from agenticos_app.services import admission, following, runs
from agenticos_app.services.following import Watched
from agenticos_app.services.work import Credentials, signed_in


async def begin(
    credentials: Credentials, agent_id: AgentId, body: Ask
) -> tuple[Started, AsyncGenerator[Event]]:
    """Start a run and return its events. No transaction is open while it works.

    Raises:
        AppError: As `runs.start`.
    """
    async with admission.door().inside():
        return await _begin(credentials, agent_id, body)


async def _begin(
    credentials: Credentials, agent_id: AgentId, body: Ask
) -> tuple[Started, AsyncGenerator[Event]]:
    async with admission.door().starting(), signed_in(credentials) as tx:
        started = await runs.start(tx, agent_id, body, is_admitted=True)
        watched = Watched(run_id=RunId(started.run_id), actor=tx.actor)
    return started, following.follow(watched, is_new=True)


async def ask(credentials: Credentials, agent_id: AgentId, body: Ask) -> RunResult:
    """Start a run and return its result.

    Raises:
        AppError: As `runs.start`.
    """
    async with admission.door().inside():
        started, events = await _begin(credentials, agent_id, body)
        return await _result(started, events)


async def _result(started: Started, events: AsyncGenerator[Event]) -> RunResult:
    parts: list[Part] = []
    end = Event(type="end", seq=0, status=RunStatus.FAILED)
    async with aclosing(events):
        async for event in events:
            parts = replayed(parts, [event])
            if event.type == "end":
                end = event
    usage = end.usage or Usage()
    return RunResult(
        run_id=started.run_id,
        conversation_id=started.conversation_id,
        status=end.status or RunStatus.FAILED,
        output=Recorded(parts=parts).answer,
        error=end.error,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        cost_is_partial=usage.cost_is_partial,
    )
