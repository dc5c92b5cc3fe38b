"""Turns what an agent does into numbered events and a record of parts, calls and requests."""

import asyncio
import json
import time
from collections.abc import Coroutine
from typing import Literal, cast

from agenticos_app.contracts.cards import CARD, Card
from agenticos_app.contracts.events import Event, Part, ToolStatus
from agenticos_app.contracts.recording import CallRecord, EventSink, Recorded, RequestRecord, Transcript
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.kernel.text import clipped, storable, storable_json

COALESCE_S = 0.05
"""The first piece of text leaves at once, the next ones join for this long."""

SHOWN_CHARACTERS = 2_000
SUBJECT_CHARACTERS = 80
TOOL_CHARACTERS = 128


class Recorder:
    """Records one run. Finished steps are stored before they are announced."""

    def __init__(self, events: EventSink, transcript: Transcript) -> None:
        self._events = events
        self._transcript = transcript
        self.recorded = Recorded()
        self._pending = ""
        self._flushed_at = 0.0
        self._timer: asyncio.Task[None] | None = None
        self._sending = asyncio.Lock()
        self._failure: BaseException | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    async def prose(self, kind: Literal["text", "thinking"], text: str) -> None:
        """Add a piece of prose or reasoning; another kind than before opens a new part.

        Raises:
            Exception: What the event sink raised, now or at a delayed flush.
        """
        if self._failure is not None:
            raise self._failure
        if not text:
            return
        last = self.recorded.parts[-1] if self.recorded.parts else None
        if last is None or last.done or last.kind != kind:
            await self.close_prose()
            await self._whole(self._open_prose(kind))
        self._pending += storable(text)
        if self._timer is None:
            self._timer = asyncio.create_task(self._flush_soon())

    async def close_prose(self) -> None:
        """Close the open part of prose, if there is one."""
        await self._flush()
        last = self.recorded.parts[-1] if self.recorded.parts else None
        if last is not None and not last.done and last.kind != "tool":
            await self._whole(self._close_part(last))

    async def calls_begin(self, calls: list[tuple[str, str, dict[str, object], str]]) -> list[str]:
        """Record that calls begin: (reference, tool, arguments, subject) each. Return our ids of them.

        A provider's references may be the same for two calls, ours are not.
        """
        await self.close_prose()
        opened: list[Part] = []
        for reference, tool, given, subject in calls:
            arguments = cast("dict[str, object]", storable_json(given))
            call = CallRecord(
                id=str(new_id()),
                position=len(self.recorded.calls),
                reference=storable(reference),
                tool=storable(tool)[:TOOL_CHARACTERS],
                arguments=arguments,
                started_at=now(),
            )
            self.recorded.calls.append(call)
            part = Part(
                index=len(self.recorded.parts) + len(opened),
                kind="tool",
                call_id=call.id,
                tool=call.tool,
                subject=storable(clipped(subject, SUBJECT_CHARACTERS)),
                arguments=json.dumps(arguments, ensure_ascii=False)[:SHOWN_CHARACTERS],
                status=ToolStatus.RUNNING,
            )
            opened.append(part)
        await self._whole(self._announce_parts(opened))
        return [part.call_id for part in opened]

    async def call_ends(
        self, call_id: str, result: str, status: ToolStatus, card: Card | None = None
    ) -> None:
        """Record what a call returned and what it shows to the person; `call_id` is ours."""
        call = next(call for call in self.recorded.calls if call.id == call_id)
        call.result, call.status = storable(result), status
        call.card = CARD.validate_python(storable_json(card.model_dump())) if card else None
        call.milliseconds = int((now() - call.started_at).total_seconds() * 1000)
        part = next(part for part in self.recorded.parts if part.call_id == call.id)
        closed = part.model_copy(
            update={
                "text": call.result[:SHOWN_CHARACTERS],
                "done": True,
                "status": status,
                "milliseconds": call.milliseconds,
                "card": call.card,
            }
        )
        await self._whole(self._announce_parts([closed]))

    async def data(self, value: dict[str, object], *, was_prose: bool) -> None:
        """Record an answer that is data, in the place of the prose that it was streamed as, if it was."""
        await self.close_prose()
        part = Part(
            index=len(self.recorded.parts) - was_prose,
            kind="data",
            text=json.dumps(storable_json(value), ensure_ascii=False, indent=2),
            done=True,
        )
        await self._whole(self._send_data(part))

    def request_ends(self, request: RequestRecord) -> None:
        """Record a request to the model; stored with the next step or the end."""
        self.recorded.requests.append(request)

    async def close(self) -> None:
        """Close everything that is open; the run is over. What cannot be announced any more is left out."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await asyncio.gather(*self._under_way, return_exceptions=True)
        try:
            await self.close_prose()
            stopped = [call for call in self.recorded.calls if call.status is ToolStatus.RUNNING]
            for call in stopped:
                await self.call_ends(call.id, "", ToolStatus.STOPPED)
        except Exception:  # noqa: S110  # the log is taken over or away; the rows are what counts now
            pass
        for call in self.recorded.calls:
            if call.status is ToolStatus.RUNNING:
                call.status = ToolStatus.STOPPED
        for part in self.recorded.parts:
            part.done = True

    async def _whole(self, sending: Coroutine[None, None, None]) -> None:
        """Let a piece of work end even if the run is cancelled meanwhile: what was shown is what is known."""
        task = asyncio.create_task(sending)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.shield(task)

    async def _open_prose(self, kind: Literal["text", "thinking"]) -> None:
        async with self._sending:
            part = Part(index=len(self.recorded.parts), kind=kind)
            await self._send("part", part=part)
            self.recorded.parts.append(part.model_copy())

    async def _send_data(self, part: Part) -> None:
        async with self._sending:
            await self._send("part", part=part)
            self.recorded.parts[part.index :] = [part]

    async def _close_part(self, part: Part) -> None:
        async with self._sending:
            await self._send("part", part=Part(index=part.index, kind=part.kind, done=True))
            part.done = True

    async def _announce_parts(self, parts: list[Part]) -> None:
        """Store first, then announce: whoever hears of it finds it."""
        async with self._sending:
            for part in parts:
                self.recorded.parts[part.index : part.index + 1] = [part]
            self.recorded.seq += len(parts)
            await self._transcript.save(self.recorded)
            self.recorded.seq -= len(parts)
            for part in parts:
                await self._send("part", part=part)

    async def _flush_soon(self) -> None:
        try:
            await asyncio.sleep(max(0.0, self._flushed_at + COALESCE_S - time.monotonic()))
            self._timer = None
            await self._flush()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # handed to the next call of `prose`
            self._failure = error

    async def _flush(self) -> None:
        if self._pending:
            await self._whole(self._send_pending())

    async def _send_pending(self) -> None:
        async with self._sending:
            text, self._pending = self._pending, ""
            if not text:
                return
            self._flushed_at = time.monotonic()
            await self._send("text", text=text)
            self.recorded.parts[-1].text += text

    async def _send(
        self, kind: Literal["part", "text"], *, part: Part | None = None, text: str | None = None
    ) -> None:
        seq = self.recorded.seq + 1
        await self._events.append(Event(type=kind, seq=seq, part=part, text=text))
        self.recorded.seq = seq
