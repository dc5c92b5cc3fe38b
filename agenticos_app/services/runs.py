"""Runs: started by every door in the same way, stopped, listed, read."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.bus.signals import Signal
from agenticos_app.contracts.cards import CARD
from agenticos_app.contracts.events import Part, RunStatus
from agenticos_app.contracts.recording import Recorded
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound, Overloaded
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, HostId, RunId, new_id
from agenticos_app.kernel.money import dollars
from agenticos_app.kernel.paging import PAGE_SIZE, Page, cursor_of
from agenticos_app.kernel.text import clipped
from agenticos_app.models import Agent, Conversation, Message, Run, RunRequest, ToolCall
from agenticos_app.repos import agents as agent_repo
from agenticos_app.repos import conversations as conversation_repo
from agenticos_app.repos import runs as repo
from agenticos_app.repos import versions as version_repo
from agenticos_app.schemas.runs import Ask, AskTest, RunDetail, RunRow, Started, TimelineRow
from agenticos_app.security.access import AGENT
from agenticos_app.security.actor import Surface
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access, admission, deployment, environments, hosting, recording
from agenticos_app.services.paging import after_cursor

TITLE_LENGTH = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class Executed:
    """What a run executes: a version, or a draft as it is now."""

    version_id: UUID | None = None
    environment_id: UUID | None = None
    spec: dict[str, object] | None = None
    is_test: bool = False


async def start(
    tx: Tx, agent_id: AgentId, ask: Ask, *, is_admitted: bool = False, run_id: RunId | None = None
) -> Started:
    """Accept a question: store what was written and a running run, then let a host execute it.

    From the console a question without a conversation begins one; from the API it leaves no transcript. A
    caller who was let in at the door (`is_admitted`) may wait for a host however many wait already. `run_id`
    is the id that the run gets when the caller has chosen it.

    Raises:
        NotFound: Agent, environment, conversation or a file is not there for this actor.
        Forbidden: The actor sees the agent but may not run it.
        Conflict: Nothing published or archived (`reason="not_published"`), or the conversation's last
            run still works (`reason="run_in_progress"`, `run_id`).
        Overloaded: No host can take it now.
    """
    agent, version_id = await _runnable(tx, agent_id)
    if ask.environment_id is not None:
        version_id = await environments.version_of(tx, agent.id, ask.environment_id)
    executed = Executed(version_id=version_id, environment_id=ask.environment_id)
    return await _accept(tx, agent, ask, executed, is_admitted, run_id)


async def start_test(
    tx: Tx, agent_id: AgentId, ask: AskTest, *, is_admitted: bool = False, run_id: RunId | None = None
) -> Started:
    """Accept a question to the draft, or to any version, of whoever may edit the agent.

    It is a run like others, with the same limits and a price, but flagged and listed apart. What is run of a
    draft is kept with the run.

    Raises:
        NotFound: Agent, version, test conversation or a file is not there for this actor.
        Forbidden: The actor sees the agent but may not edit or not run it.
        Conflict: Archived (`reason="archived"`), or the conversation's last run still works
            (`reason="run_in_progress"`, `run_id`).
        Overloaded: No host can take it now.
    """
    agent = await agent_repo.get(tx, agent_id)
    for permission in (Permission.AGENTS_EDIT, Permission.AGENTS_RUN):
        await access.require(tx, AGENT, agent, permission)
    assert agent is not None
    if agent.archived_at is not None:
        raise Conflict(reason="archived", agent_id=agent_id)
    if ask.tested == "draft":
        tested = Executed(spec=agent.draft, is_test=True)
    else:
        version = await version_repo.by_number(tx, agent_id, ask.tested)
        if version is None:
            raise NotFound(version=ask.tested)
        tested = Executed(version_id=version.id, is_test=True)
    return await _accept(tx, agent, ask, tested, is_admitted, run_id)


async def _accept(
    tx: Tx, agent: Agent, ask: Ask | AskTest, what: Executed, is_admitted: bool, run_id: RunId | None
) -> Started:
    conversation = await _conversation(tx, agent, ask, is_test=what.is_test)
    at, run_id = now(), run_id or RunId(new_id())
    host_id = await _place(tx, run_id, is_admitted=is_admitted)
    run = Run(
        id=run_id,
        organization_id=tx.actor.organization_id,
        agent_id=agent.id,
        version_id=what.version_id,
        environment_id=what.environment_id,
        is_test=what.is_test,
        spec=what.spec,
        user_id=tx.actor.user_id,
        api_key_id=tx.actor.api_key_id,
        conversation_id=conversation.id if conversation else None,
        surface=tx.actor.surface.value,
        status=RunStatus.RUNNING.value,
        prompt="" if conversation else ask.prompt,
        host_id=host_id,
        lease_until=at + timedelta(seconds=recording.LEASE_S) if host_id else None,
        started_at=at,
    )
    question = answer = None
    if conversation is not None:
        question, answer = await _write_turn(tx, conversation, what.version_id, run_id, ask)
    ready = await recording.prepared(tx, run, question, answer) if host_id else None
    tx.add(run)
    await tx.flush()
    _begin_after_commit(tx, run, ready)
    return Started(run_id=run_id, conversation_id=run.conversation_id)


async def _runnable(tx: Tx, agent_id: AgentId) -> tuple[Agent, UUID]:
    """Return the agent and its version in use."""
    agent = await agent_repo.to_run(tx, agent_id)
    await access.require(tx, AGENT, agent, Permission.AGENTS_RUN)
    assert agent is not None
    if agent.live_version_id is None or agent.archived_at is not None:
        raise Conflict(reason="not_published", agent_id=agent_id)
    return agent, agent.live_version_id


async def _conversation(tx: Tx, agent: Agent, ask: Ask | AskTest, *, is_test: bool) -> Conversation | None:
    if ask.conversation_id is not None:
        conversation = await conversation_repo.get(tx, ask.conversation_id, lock=True)
        if conversation is None or conversation.is_test is not is_test:
            raise NotFound(conversation_id=ask.conversation_id)
        busy = (await conversation_repo.running(tx, [conversation.id])).get(conversation.id)
        if busy is not None:
            raise Conflict(reason="run_in_progress", run_id=busy)
        conversation.agent_id, conversation.last_message_at = agent.id, now()
        return conversation
    if tx.actor.surface is Surface.API:
        if ask.file_ids:
            raise InvalidInput({"field": "file_ids", "message": "needs_conversation"})
        return None
    conversation = Conversation(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        user_id=tx.actor.person,
        agent_id=agent.id,
        title=clipped(ask.prompt, TITLE_LENGTH),
        is_test=is_test,
        last_message_at=now(),
    )
    tx.add(conversation)
    await tx.flush()
    return conversation


async def _place(tx: Tx, run_id: RunId, *, is_admitted: bool) -> HostId | None:
    """Return this process's host when it has room, None to let the run wait for one."""
    host = hosting.current()
    if host is not None and host.reserve(run_id):
        tx.on_rollback(lambda: host.release(run_id))
        return host.id
    if not is_admitted and await repo.waiting(tx) >= deployment.current().runs_waiting:
        raise Overloaded(retry_after_seconds=admission.BUSY_RETRY_S)
    return None


async def _write_turn(
    tx: Tx, conversation: Conversation, version_id: UUID | None, run_id: RunId, ask: Ask | AskTest
) -> tuple[Message, Message]:
    """Store the person's words and an empty answer that grows while the run lives."""
    question = Message(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        conversation_id=conversation.id,
        run_id=run_id,
        role="user",
        text=ask.prompt,
        parts=[],
    )
    answer = Message(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        conversation_id=conversation.id,
        run_id=run_id,
        role="assistant",
        parts=[],
        version_id=version_id,
        status=RunStatus.RUNNING.value,
    )
    tx.add(question, answer)
    await tx.flush()
    wanted = set(ask.file_ids)
    if wanted:
        linked = await conversation_repo.link_files(
            tx, list(wanted), conversation_id=conversation.id, message_id=question.id
        )
        if linked != len(wanted):
            raise NotFound(files=len(wanted) - linked)
    return question, answer


def _begin_after_commit(tx: Tx, run: Run, ready: recording.Ready | None) -> None:
    person, run_id, conversation_id = str(tx.actor.user_id), RunId(run.id), run.conversation_id

    async def begin() -> None:
        signals, host = bus.current().signals, hosting.current()
        if ready is not None and host is not None:
            host.begin(run_id, ready)
        else:
            await signals.send(Signal(kind="run.waiting", topic="hosts"))
        if conversation_id is not None:
            await signals.send(
                Signal(kind="run.started", topic=person, conversation_id=conversation_id, run_id=run_id)
            )

    tx.after_commit(begin)


async def readable(tx: Tx, run_id: RunId, *, lock: bool = False) -> Run:
    """Return a run that the actor may read: an own one, or any with `runs:view`.

    Raises:
        NotFound: Not in the organization, or neither.
    """
    run = await repo.get(tx, run_id, lock=lock)
    if run is None or tx.actor.user_id is None:
        raise NotFound(run_id=run_id)
    if run.user_id != tx.actor.user_id and not tx.actor.may(Permission.RUNS_VIEW):
        raise NotFound(run_id=run_id)
    return run


async def _may_stop(tx: Tx, run: Run) -> bool:
    """Tell whether the actor may stop the run: an own one, or one of an agent that the actor may edit."""
    if run.user_id == tx.actor.user_id:
        return True
    agent = await agent_repo.to_run(tx, AgentId(run.agent_id))
    return agent is not None and bool(await access.allowed(tx, AGENT, [agent], Permission.AGENTS_EDIT))


async def stop(tx: Tx, run_id: RunId) -> RunStatus:
    """Ask the run's host to stop; the run ends `cancelled` within a second. Ended runs stay as they are.

    Raises:
        NotFound: Not a run that the actor may read.
        Forbidden: Somebody else's run of an agent that the actor may not edit.
    """
    run = await readable(tx, run_id, lock=True)
    if not await _may_stop(tx, run):
        raise Forbidden(permission=Permission.AGENTS_EDIT.value)
    if run.status == RunStatus.RUNNING.value and run.host_id is None:
        await recording.cancel_waiting(tx, run)
    elif run.status == RunStatus.RUNNING.value and run.stop_requested_at is None:
        run.stop_requested_at = now()
        await tx.flush()

        async def tell() -> None:
            await bus.current().signals.send(Signal(kind="run.stop", topic="hosts", run_id=run_id))

        tx.after_commit(tell)
    return RunStatus(run.status)


async def list_runs(
    tx: Tx,
    *,
    cursor: str = "",
    statuses: Collection[RunStatus] = (),
    agent_id: AgentId | None = None,
    surface: str = "",
    is_test: bool = False,
    limit: int = PAGE_SIZE,
) -> Page[RunRow]:
    """Return the organization's runs, the latest first; without `runs:view` only the actor's own.

    Test runs are listed apart from the others.

    Raises:
        InvalidInput: The cursor is not one of ours.
    """
    after = after_cursor(cursor)
    only = None if tx.actor.may(Permission.RUNS_VIEW) else tx.actor.person
    rows = await repo.page(
        tx,
        after,
        limit=limit + 1,
        statuses=statuses,
        agent_id=agent_id,
        surface=surface,
        only_user=only,
        is_test=is_test,
    )
    more, rows = len(rows) > limit, rows[:limit]
    return Page(
        rows=[_row(row) for row in rows],
        next_cursor=cursor_of(rows[-1][0].started_at, rows[-1][0].id) if more else "",
    )


def _row(listed: repo.Listed) -> RunRow:
    run, agent_name, version, person, api_key, asked = listed
    return RunRow(
        id=run.id,
        status=RunStatus(run.status),
        agent_id=run.agent_id,
        agent_name=agent_name,
        version=version or 0,
        is_test=run.is_test,
        is_draft=run.spec is not None,
        surface=run.surface,
        person=person or "",
        api_key=api_key or "",
        prompt=clipped(asked, 120),
        model_label=run.model_label,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
        cost_usd=dollars(run.cost_micros),
        cost_is_partial=run.cost_is_partial,
        started_at=run.started_at,
        milliseconds=_lasted(run),
    )


def _lasted(run: Run) -> int | None:
    return int((run.ended_at - run.started_at).total_seconds() * 1000) if run.ended_at else None


async def get_run(tx: Tx, run_id: RunId) -> RunDetail:
    """Return a run with its timeline.

    Raises:
        NotFound: Not a run that the actor may read.
    """
    run = await readable(tx, run_id)
    (listed,) = await repo.page(tx, None, limit=1, run_id=run_id)
    answer, question = await repo.answer_of(tx, run_id), await repo.question_of(tx, run_id)
    calls = await repo.calls_of(tx, run_id)
    requests = await repo.requests_of(tx, run_id)
    owner = await conversation_repo.get(tx, run.conversation_id) if run.conversation_id else None
    parts = [Part.model_validate(part) for part in answer.parts] if answer else []
    answered = Recorded(parts=parts)
    timeline = _timeline(run, calls, requests, {part.call_id: part.subject for part in parts})
    lasted = _lasted(run) or 0
    return RunDetail(
        **_row(listed).model_dump(),
        conversation_id=run.conversation_id,
        is_own_conversation=owner is not None and not owner.is_test,
        may_stop=await _may_stop(tx, run),
        error_code=run.error_code,
        error=run.error,
        requests=run.requests,
        output=run.output or answered.answer,
        structured=run.structured or answered.structured,
        parts=parts,
        full_prompt=question.text if question else run.prompt,
        ended_at=run.ended_at,
        timeline=timeline,
        total_ms=max([lasted, *(row.offset_ms + row.milliseconds for row in timeline)], default=0),
    )


def _timeline(
    run: Run, calls: list[ToolCall], requests: list[RunRequest], subjects: Mapping[str, str]
) -> list[TimelineRow]:
    def offset(at: datetime) -> int:
        return max(0, int((at - run.started_at).total_seconds() * 1000))

    rows = [
        TimelineRow(
            kind="model",
            name="",
            subject="",
            number=request.number,
            status="failed" if request.failed else "done",
            input_tokens=request.input_tokens,
            output_tokens=request.output_tokens,
            cost_usd=dollars(request.cost_micros),
            cost_is_partial=request.is_estimated or request.cost_micros is None,
            served_by=f"{request.provider} / {request.model}" if request.model else "",
            offset_ms=offset(request.started_at),
            milliseconds=request.milliseconds,
            arguments="",
            result="",
        )
        for request in requests
    ]
    rows += [
        TimelineRow(
            kind="tool",
            name=call.tool,
            subject=subjects.get(str(call.id), ""),
            number=0,
            status=call.status,
            input_tokens=None,
            output_tokens=None,
            cost_usd=None,
            cost_is_partial=False,
            served_by="",
            offset_ms=offset(call.started_at),
            milliseconds=call.milliseconds or 0,
            arguments=json.dumps(call.arguments, ensure_ascii=False, indent=2),
            result=call.result or "",
            call_id=str(call.id),
            card=CARD.validate_python(call.card) if call.card else None,
        )
        for call in calls
    ]
    return sorted(rows, key=lambda row: row.offset_ms)
