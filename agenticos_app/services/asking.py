"""Asking an agent and waiting for the answer, for callers who do not follow the stream."""

import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.contracts.events import Event, Part, RunStatus, Usage, replayed
from agenticos_app.contracts.recording import Recorded
from agenticos_app.db.work import Tx
from agenticos_app.errors import KeyReused
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, RunId, new_id
from agenticos_app.repos import api_keys as calls
from agenticos_app.schemas.runs import Ask, AskTest, RunResult, Started
from agenticos_app.security.actor import Surface
from agenticos_app.services import admission, deployment, following, runs
from agenticos_app.services.following import Watched
from agenticos_app.services.work import Credentials, signed_in

REPEATABLE_FOR = timedelta(hours=24)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A run that a caller waits for."""

    run_id: RunId
    conversation_id: UUID | None
    events: AsyncGenerator[Event]


async def begin(credentials: Credentials, agent_id: AgentId, body: Ask | AskTest, *, name: str = "") -> Asked:
    """Start a run and return its events. No transaction is open while it works.

    With `name`, which the caller chose (`Idempotency-Key`), the same call within a day gives the same run.

    Raises:
        LimitReached: The caller has started as many runs as one may in this minute.
        KeyReused: The name came with another call.
        AppError: As `runs.start`, or `runs.start_test`.
    """
    async with admission.door().inside():
        return await _begin(credentials, agent_id, body, name)


async def ask(
    credentials: Credentials, agent_id: AgentId, body: Ask | AskTest, *, name: str = ""
) -> RunResult:
    """Start a run, or find the one that the same call has started, and return its result.

    Raises:
        AppError: As `begin`.
    """
    async with admission.door().inside():
        return await _result(await _begin(credentials, agent_id, body, name))


async def _begin(credentials: Credentials, agent_id: AgentId, body: Ask | AskTest, name: str) -> Asked:
    is_test = isinstance(body, AskTest)
    leaves_one_row = credentials.surface is Surface.API and not (name or body.conversation_id or is_test)
    async with admission.door().starting(), signed_in(credentials, single=leaves_one_row) as tx:
        run_id = RunId(new_id())
        earlier = await _earlier(tx, agent_id, body, name, run_id) if name else None
        if earlier is None:
            await _count(tx)
            started = await _start(tx, agent_id, body, run_id)
            conversation_id = started.conversation_id
        else:
            run_id, conversation_id = earlier, (await runs.readable(tx, earlier)).conversation_id
        watched = Watched(run_id=run_id, actor=tx.actor)
    events = following.follow(watched, is_new=earlier is None)
    return Asked(run_id=run_id, conversation_id=conversation_id, events=events)


async def _start(tx: Tx, agent_id: AgentId, body: Ask | AskTest, run_id: RunId) -> Started:
    if isinstance(body, AskTest):
        return await runs.start_test(tx, agent_id, body, is_admitted=True, run_id=run_id)
    return await runs.start(tx, agent_id, body, is_admitted=True, run_id=run_id)


async def _count(tx: Tx) -> None:
    limits, per_minute = bus.current().limits, deployment.current().runs_per_minute
    await limits.take("run", str(tx.actor.caller_id), per_minute=per_minute)


async def _earlier(tx: Tx, agent_id: AgentId, body: Ask | AskTest, name: str, run_id: RunId) -> RunId | None:
    """Return the run that the caller's name stands for, or take the name for `run_id` and return None.

    Whoever sends the same name at the same time waits here until this transaction ends.
    """
    wanted = hashlib.sha256(f"{agent_id} {body.model_dump_json()}".encode()).digest()
    await calls.forget_calls(tx, now() - REPEATABLE_FOR)
    if await calls.begin_call(tx, name, wanted, run_id, now()):
        return None
    found = await calls.call(tx, name)
    if found is None or found.body_hash != wanted:
        raise KeyReused
    return RunId(found.run_id)


async def _result(asked: Asked) -> RunResult:
    parts: list[Part] = []
    end = Event(type="end", seq=0, status=RunStatus.FAILED)
    async with aclosing(asked.events):
        async for event in asked.events:
            parts = replayed(parts, [event])
            if event.type == "end":
                end = event
    usage, answered = end.usage or Usage(), Recorded(parts=parts)
    return RunResult(
        run_id=asked.run_id,
        conversation_id=asked.conversation_id,
        status=end.status or RunStatus.FAILED,
        output=answered.answer,
        structured=answered.structured,
        error=end.error,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        cost_is_partial=usage.cost_is_partial,
    )
