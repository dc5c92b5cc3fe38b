"""How a run's rows are prepared, kept and closed, for the run host."""

from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from agenticos_app.bus import bus
from agenticos_app.bus.run_log import SecondWriter
from agenticos_app.bus.signals import Signal
from agenticos_app.contracts.capability import AttachedFile
from agenticos_app.contracts.cards import CARD
from agenticos_app.contracts.events import Event, Part, RunStatus, ToolStatus, replayed
from agenticos_app.contracts.models import Candidate
from agenticos_app.contracts.recording import (
    CallRecord,
    Outcome,
    PastCall,
    PastTurn,
    Recorded,
    TakenOver,
)
from agenticos_app.contracts.secrets import Payload
from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.errors import ExternalFailure
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, ConversationId, FileId, HostId, OrganizationId, RunId, VersionId
from agenticos_app.kernel.text import storable
from agenticos_app.models import Message, Run, ToolCall
from agenticos_app.repos import conversations as conversation_repo
from agenticos_app.repos import ledger as ledger_repo
from agenticos_app.repos import records
from agenticos_app.repos import runs as repo
from agenticos_app.repos import versions as version_repo
from agenticos_app.security.actor import Actor, Surface, nobody
from agenticos_app.services import equipment, model_access
from agenticos_app.services.equipment import NotAssembled
from agenticos_app.services.files import ConversationTexts
from agenticos_app.services.ledger import RunLedger
from agenticos_app.services.model_access import Chain
from agenticos_app.services.work import Tx, system_work, work

log = structlog.get_logger()

LEASE_S = 30
"""A run whose host has not renewed its lease for so long is taken for lost."""

HISTORY_MESSAGES = 200
"""Messages that a run is given of its conversation, always the latest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """Everything that a run needs, read before it begins."""

    run_id: RunId
    organization_id: OrganizationId
    version_id: VersionId | None
    """None for a draft."""
    spec: AgentSpec
    candidates: list[Candidate]
    prompt: str
    started_at: datetime
    history: list[PastTurn]
    conversation_id: ConversationId | None
    files: list[AttachedFile]
    texts: ConversationTexts | None
    credentials: Mapping[str, Payload] = field(repr=False)
    variables: Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRef:
    """Where a run's rows are."""

    run_id: RunId
    organization_id: OrganizationId
    agent_id: AgentId
    user_id: UUID | None = None
    conversation_id: UUID | None = None
    message_id: UUID | None = None

    @property
    def actor(self) -> Actor:
        """Return the platform itself in the run's organization: it has no permissions and needs none."""
        return nobody(self.organization_id, Surface.WEB)


Ready = tuple[RunRef, Prepared | NotAssembled]
"""Where a run is written, and what it works with or why it cannot begin."""

KEPT_SPECS = 256
_specs: OrderedDict[UUID, AgentSpec] = OrderedDict()
"""Specs of frozen versions; they never change."""


async def prepare(run_id: RunId, host_id: HostId) -> Ready | None:
    """Read what a claimed run needs; None when this host may not execute it (any more)."""
    async with system_work() as inner:
        run = await repo.claimed(inner, run_id, host_id)
        if run is None:
            return None
        tx = inner.acting_as(_ref(run).actor)
        answer = question = None
        if run.conversation_id:
            answer, question = await repo.answer_of(tx, run_id), await repo.question_of(tx, run_id)
        return await prepared(tx, run, question, answer)


async def prepared(tx: Tx, run: Run, question: Message | None, answer: Message | None) -> Ready:
    """Read what a run needs, and note on its row which model it uses."""
    ref = _ref(run, answer)
    try:
        return ref, await _prepared(tx.acting_as(ref.actor), run, question, answer)
    except NotAssembled as reason:
        return ref, reason


async def _prepared(tx: Tx, run: Run, question: Message | None, answer: Message | None) -> Prepared:
    spec = await _spec(tx, run)
    chain = await _chain(tx, run, spec)
    conversation_id = ConversationId(run.conversation_id) if run.conversation_id else None
    return Prepared(
        run_id=RunId(run.id),
        organization_id=tx.actor.organization_id,
        version_id=VersionId(run.version_id) if run.version_id else None,
        spec=spec,
        candidates=chain.candidates,
        prompt=question.text if question else run.prompt,
        started_at=run.started_at,
        conversation_id=conversation_id,
        history=await _history(tx, answer) if answer else [],
        files=await _files(tx, conversation_id) if conversation_id else [],
        texts=ConversationTexts(tx.actor, conversation_id) if conversation_id else None,
        credentials=await equipment.credentials(tx, spec),
        variables=await equipment.variables(tx, spec, AgentId(run.agent_id), run.started_at),
    )


async def _chain(tx: Tx, run: Run, spec: AgentSpec) -> Chain:
    """Return who may answer, and name the model on the run's row, also when it cannot be asked."""
    chain = await model_access.chain(tx, spec.model_profile_id)
    if chain is None and spec.model_profile_id is None:
        raise NotAssembled("no_model", "No model is set for this agent.")
    if chain is None:
        run.model_label = await repo.last_model_label(tx, run.version_id) if run.version_id else ""
        raise NotAssembled("model_gone", f"{_named(run)} was deleted.")
    run.model_label, run.provider = chain.profile.name, chain.profile.provider
    if chain.problem == "no_key":
        raise NotAssembled("no_key", f"{_named(run)} has no key.")
    if chain.problem:
        raise NotAssembled("key_unavailable", f"The key of {_named(run)} cannot be used.")
    return chain


def _named(run: Run) -> str:
    return f"The model {run.model_label}" if run.model_label else "The agent's model"


async def _spec(tx: Tx, run: Run) -> AgentSpec:
    if run.spec is not None:
        return _read(run.spec)
    version_id = run.version_id
    if version_id is not None and (kept := _specs.get(version_id)) is not None:
        return kept
    version = await version_repo.get(tx, version_id) if version_id else None
    if version is None:
        raise NotAssembled("version_gone", "The agent's version does not exist any more.")
    spec = _read(version.spec)
    _specs[version.id] = spec
    if len(_specs) > KEPT_SPECS:
        _specs.popitem(last=False)
    return spec


def _read(document: Mapping[str, object]) -> AgentSpec:
    try:
        return read_spec(document)
    except ValueError as error:
        sentence = f"The agent's version could not be read ({type(error).__name__})."
        raise NotAssembled("assembly", sentence) from error


async def _history(tx: Tx, answer: Message) -> list[PastTurn]:
    """Return the turns before this one: the last `HISTORY_MESSAGES` messages, oldest first."""
    past = await conversation_repo.recent(tx, answer.conversation_id, answer.id, limit=HISTORY_MESSAGES + 1)
    past = [message for message in past if message.run_id != answer.run_id or message.run_id is None]
    past = past[-HISTORY_MESSAGES:]
    answers = [message.id for message in past if message.role == "assistant" and message.parts]
    calls = {str(call.id): call for call in await conversation_repo.calls_of(tx, answers)} if answers else {}
    return [_past(message, calls) for message in past]


def _past(message: Message, calls: dict[str, ToolCall]) -> PastTurn:
    if message.role == "user":
        return PastTurn(role="user", steps=[message.text])
    steps: list[str | PastCall] = []
    for part in map(Part.model_validate, message.parts):
        if part.kind in ("text", "data") and part.text:
            steps.append(part.text)
        elif part.kind == "tool" and (call := calls.get(part.call_id)) is not None:
            steps.append(
                PastCall(
                    reference=call.reference,
                    tool=call.tool,
                    arguments=call.arguments,
                    result=call.result if call.result is not None else "The call was interrupted.",
                )
            )
    return PastTurn(role="assistant", steps=steps)


async def _files(tx: Tx, conversation_id: ConversationId) -> list[AttachedFile]:
    return [
        AttachedFile(id=FileId(file.id), name=file.name, size_bytes=file.size_bytes, lines=file.lines)
        for file in await conversation_repo.files_of(tx, conversation_id)
    ]


def _ref(run: Run, answer: Message | None = None) -> RunRef:
    return RunRef(
        run_id=RunId(run.id),
        organization_id=OrganizationId(run.organization_id),
        agent_id=AgentId(run.agent_id),
        user_id=run.user_id,
        conversation_id=run.conversation_id,
        message_id=answer.id if answer else None,
    )


class DatabaseTranscript:
    """Keeps one run's steps in the database. The runner knows it as a `Transcript`."""

    def __init__(self, ref: RunRef, host_id: HostId, ledger: RunLedger) -> None:
        self._ref, self._host_id, self._ledger = ref, host_id, ledger

    async def save(self, recorded: Recorded) -> None:
        """Store parts, calls and requests so far, and what they used and cost.

        Raises:
            TakenOver: The run is not this host's any more, or has ended.
        """
        ended = [call for call in recorded.calls if call.status is not ToolStatus.RUNNING]
        held = _held(self._ref, self._host_id)
        async with work(self._ref.actor, single=True) as tx:
            is_ours = await records.save(tx, held, recorded, self._ledger.written_with(tx))
        if not is_ours:
            raise TakenOver
        for call in ended:
            call.is_stored = True


class RunEvents:
    """Appends one run's events to the bus. The runner knows it as an `EventSink`."""

    def __init__(self, run_id: RunId) -> None:
        self._run_id = run_id

    async def append(self, event: Event) -> None:
        """Add the next event.

        Raises:
            TakenOver: Another process has the run.
        """
        try:
            await bus.current().runs.append(self._run_id, event)
        except SecondWriter as error:
            raise TakenOver from error


async def finish(
    ref: RunRef,
    host_id: HostId,
    recorded: Recorded,
    outcome: Outcome,
    ledger: RunLedger,
) -> None:
    """Write how a run ended and what it cost, then tell everybody who follows it.

    Nothing is told when the run is not this host's any more, for its end is told by whoever wrote it.
    """
    held = _held(ref, host_id)
    async with work(ref.actor, single=True) as tx:
        is_ours = await records.end(tx, held, recorded, outcome, now(), ledger.written_with(tx))
    if is_ours:
        await tell_end(ref, recorded, outcome)


def _held(ref: RunRef, host_id: HostId) -> records.Held:
    return records.Held(run_id=ref.run_id, host_id=host_id, message_id=ref.message_id)


async def tell_end(ref: RunRef, recorded: Recorded, outcome: Outcome) -> None:
    """Close a run's event log and signal its end."""
    runs = bus.current().runs
    end = Event(
        type="end",
        seq=recorded.seq + 1,
        status=outcome.status,
        error=outcome.error_code,
        usage=recorded.usage,
    )
    try:
        with suppress(SecondWriter):
            await runs.append(ref.run_id, end)
        await runs.drop(ref.run_id)
    except ExternalFailure:  # the rows say it; readers look at them again
        log.warning("run.end_not_announced", run_id=str(ref.run_id))
    await bus.current().signals.send(
        Signal(
            kind="run.ended",
            topic=str(ref.user_id),
            conversation_id=ref.conversation_id,
            run_id=ref.run_id,
        )
    )


async def give_up(run_id: RunId, host_id: HostId) -> None:
    """End a run whose record could not be written: as failed, with what was stored of it before."""
    outcome = Outcome(status=RunStatus.FAILED, error_code="internal", error="The run could not be recorded.")
    async with system_work() as inner:
        run = await repo.claimed(inner, run_id, host_id)
        if run is not None:
            await _end_unrecorded(inner.acting_as(_ref(run).actor), run, outcome)


async def _end_unrecorded(tx: Tx, run: Run, outcome: Outcome) -> None:
    answer = await repo.answer_of(tx, run.id)
    run.status, run.ended_at = outcome.status.value, now()
    run.error_code, run.error = outcome.error_code, outcome.error
    if answer is not None:
        answer.status = outcome.status.value
    await tx.flush()
    ref = _ref(run, answer)

    async def tell() -> None:
        seen = await bus.current().runs.read(ref.run_id, 0)
        await tell_end(ref, Recorded(seq=seen[-1].seq if seen else 0), outcome)

    tx.after_commit(tell)


async def cancel_waiting(tx: Tx, run: Run) -> None:
    """End a run that no host executes, within the caller's transaction."""
    run.stop_requested_at = now()
    await _end_unrecorded(tx, run, Outcome(status=RunStatus.CANCELLED))


async def stop_unbegun(run_id: RunId, host_id: HostId) -> None:
    """End a run that was stopped while its host still read what it needs."""
    async with system_work() as inner:
        found = await repo.claimed(inner, run_id, host_id)
        if found is not None:
            await cancel_waiting(inner.acting_as(_ref(found).actor), found)


async def hand_over(run_id: RunId, host_id: HostId) -> None:
    """Give a run that was not begun to whoever has room."""
    async with system_work() as tx:
        await repo.hand_over(tx, run_id, host_id)
    await bus.current().signals.send(Signal(kind="run.waiting", topic="hosts"))


async def claim_waiting(host_id: HostId, *, limit: int) -> list[RunId]:
    """Take runs that wait for a host, fairly over organizations."""
    async with system_work() as tx:
        rows = await repo.claim_waiting(tx, host_id, until=_lease(), limit=limit)
        return [RunId(row.id) for row in rows]


async def renew(host_id: HostId, run_ids: Collection[RunId]) -> dict[RunId, bool]:
    """Renew the leases of what the host executes; return what it still has, with whether it shall stop."""
    async with system_work() as tx:
        kept = await repo.renew(tx, host_id, run_ids, until=_lease())
        return {RunId(run_id): stop for run_id, stop in kept.items()}


def _lease() -> datetime:
    return now() + timedelta(seconds=LEASE_S)


async def end_lost(host_id: HostId, *, abandoned: bool = False) -> int:
    """End the runs whose host is gone as interrupted, with all that was shown of them; return how many.

    With `abandoned` every other host counts as gone: for a process that knows that it is the only one.
    """
    async with system_work() as tx:
        lost = await repo.claim_lost(tx, host_id, at=now(), until=_lease(), abandoned=abandoned)
    for run in lost:
        try:
            await _end_lost(run, host_id)
        except Exception:  # the next sweep tries again, when the lease that this one took is over
            log.exception("run.not_ended", run_id=str(run.id))
    return len(lost)


async def _end_lost(run: Run, host_id: HostId) -> None:
    async with work(_ref(run).actor) as tx:
        answer = await repo.answer_of(tx, run.id)
        calls = await repo.calls_of(tx, run.id)
        requests = await repo.requests_of(tx, run.id)
        lost = await ledger_repo.open_of(tx, run.id)
    stored = [Part.model_validate(part) for part in answer.parts] if answer else []
    seq = answer.stream_seq if answer else 0
    events = await bus.current().runs.read(run.id, seq)
    recorded = Recorded(
        parts=[_closed(part) for part in replayed(stored, events)],
        calls=[_call(call) for call in calls],
        requests=[*map(repo.request_record, requests), *map(repo.lost_request, lost)],
        seq=events[-1].seq if events else seq,
    )
    outcome = Outcome(
        status=RunStatus.FAILED, error_code=repo.INTERRUPTED, error="The server that ran this stopped."
    )
    log.warning("run.interrupted", run_id=str(run.id))
    ref = _ref(run, answer)
    async with work(ref.actor) as tx:
        is_ours = await records.end(tx, _held(ref, host_id), recorded, outcome, now())
        for reservation in lost:
            await ledger_repo.book(tx, reservation.id)
    if is_ours:
        await tell_end(ref, recorded, outcome)


def _closed(part: Part) -> Part:
    part = part.model_copy(update={"text": storable(part.text)})
    if part.done:
        return part
    stopped = {"status": ToolStatus.STOPPED} if part.kind == "tool" else {}
    return part.model_copy(update={"done": True} | stopped)


def _call(row: ToolCall) -> CallRecord:
    is_open = row.status == ToolStatus.RUNNING.value
    return CallRecord(
        id=str(row.id),
        position=row.position,
        reference=row.reference,
        tool=row.tool,
        arguments=row.arguments,
        started_at=row.started_at,
        status=ToolStatus.STOPPED if is_open else ToolStatus(row.status),
        result=row.result,
        milliseconds=row.milliseconds,
        card=CARD.validate_python(row.card) if row.card else None,
    )
