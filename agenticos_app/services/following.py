"""The one way to watch a run; sockets, server-sent events, bots and waiting API calls use it alike."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.contracts.events import Event, Part, RunStatus, Usage, joined
from agenticos_app.db.work import Tx
from agenticos_app.kernel.ids import RunId
from agenticos_app.kernel.money import dollars
from agenticos_app.models import Run
from agenticos_app.repos import runs as repo
from agenticos_app.security.actor import Actor
from agenticos_app.services import runs
from agenticos_app.services.work import work

IDLE_S = 15.0
"""A reader hears something at least this often."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """A run that the actor may watch, and as whom to read it again."""

    run_id: RunId
    actor: Actor


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stored:
    parts: list[Part]
    seq: int
    status: RunStatus
    end: Event | None
    snapshot: Event


async def watch(tx: Tx, run_id: RunId) -> Watched:
    """Admit a reader.

    Raises:
        NotFound: Not a run that the actor may read.
    """
    await runs.readable(tx, run_id)
    return Watched(run_id=run_id, actor=tx.actor)


async def _stored(watched: Watched) -> _Stored:
    async with work(watched.actor) as tx:
        run = await repo.get(tx, watched.run_id)
        assert run is not None
        answer = await repo.answer_of(tx, watched.run_id)
    status = RunStatus(run.status)
    seq = answer.stream_seq if answer else 0
    parts = [Part.model_validate(part) for part in answer.parts] if answer else _parts_of(run)
    end = None
    if run.ended_at is not None:
        usage = Usage(
            requests=run.requests,
            input_tokens=run.input_tokens,
            output_tokens=run.output_tokens,
            cost_usd=dollars(run.cost_micros),
            cost_is_partial=run.cost_is_partial,
        )
        end = Event(type="end", seq=seq + 1, status=status, error=run.error_code, usage=usage)
    snapshot = Event(type="snapshot", seq=seq, parts=parts, status=status, started_at=run.started_at)
    return _Stored(parts=parts, seq=seq, status=status, end=end, snapshot=snapshot)


def _parts_of(run: Run) -> list[Part]:
    """Return the answer of a run without a conversation, which is kept on its row once it has ended."""
    kind = "text" if run.structured is None else "data"
    return [Part(index=0, kind=kind, text=run.output, done=True)] if run.output else []


async def follow(watched: Watched, after: int = 0, *, is_new: bool = False) -> AsyncGenerator[Event]:
    """Yield what happened after event `after`, then what happens, and end with the run.

    A reader without a cursor (0), or with one that the log no longer reaches, gets a snapshot of the
    stored parts and goes on from there; not so whoever has just started the run (`is_new`), because nothing
    is stored of it. Pieces of text that wait together become one event.
    """
    async with bus.current().runs.follow(watched.run_id) as channel:
        cursor = after
        if not is_new and (not after or not await _reaches(watched.run_id, after)):
            stored = await _stored(watched)
            cursor = stored.seq
            yield stored.snapshot
            if stored.end is not None:
                yield stored.end
                return
        while True:
            events = await channel.wait(cursor, IDLE_S)
            if not events:
                if (ended := await _ended_elsewhere(watched, cursor)) is not None:
                    for event in ended:
                        yield event
                    return
                yield Event(type="idle", seq=cursor)
            elif events[0].seq > cursor + 1:
                stored = await _stored(watched)
                yield stored.snapshot
                cursor = stored.seq
            for event in joined([event for event in events if event.seq > cursor]):
                yield event
                cursor = event.seq
                if event.type == "end":
                    return


async def _reaches(run_id: UUID, after: int) -> bool:
    """Tell whether the log goes on right after the reader's cursor."""
    events = await bus.current().runs.read(run_id, after - 1)
    return bool(events) and events[0].seq == after


async def _ended_elsewhere(watched: Watched, cursor: int) -> list[Event] | None:
    """Return the end of a run whose last events this reader missed."""
    stored = await _stored(watched)
    if stored.end is None:
        return None
    return [stored.end] if stored.seq == cursor else [stored.snapshot, stored.end]
