"""The ordered, durable events of running runs.

An event is durable before any reader sees it, so that whatever was shown can be stored after a crash: in
Redis when there is one, else in a file per run, which outlives the process that wrote it.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol, cast
from uuid import UUID

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from agenticos_app.bus import keys
from agenticos_app.bus.channel import Channel, Channels
from agenticos_app.contracts.events import Event
from agenticos_app.errors import ExternalFailure
from agenticos_app.kernel.ids import new_id

log = structlog.get_logger()

KEEP_SECONDS = 600
"""How long a run can be followed after its last event; its parts are stored for good."""

PATIENCE_S = 15
"""How long a run waits for a Redis that is away."""

NOT_THE_NEXT = "equal or smaller than the target stream top item"
"""What Redis says about a stream id that is taken (7.0 and newer)."""

LINGER_S = 60
"""How long the embedded log keeps an ended run in memory for readers that are behind."""


class SecondWriter(Exception):
    """Another process writes this run's events."""


class RunLog(Protocol):
    """Appends events of runs, and lets readers follow them."""

    async def append(self, run_id: UUID, event: Event) -> None:
        """Add the next event.

        Raises:
            SecondWriter: The number is taken.
        """
        ...

    async def read(self, run_id: UUID, after: int) -> list[Event]:
        """Return what is kept after `after`, without waiting."""
        ...

    def follow(self, run_id: UUID) -> AbstractAsyncContextManager[Channel]:
        """Keep a channel filled while the context lasts."""
        ...

    async def drop(self, run_id: UUID) -> None:
        """Forget the run's events: all of it is stored."""
        ...

    async def close(self) -> None:
        """Stop."""
        ...


class FileLog:
    """Events of the one process, in a file per run under `folder`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._channels = Channels()
        self._open: dict[UUID, int] = {}
        self._leaving: dict[UUID, asyncio.TimerHandle] = {}

    async def append(self, run_id: UUID, event: Event) -> None:
        """Add the next event. A write to the page cache: it survives the process, and takes microseconds."""
        channel = self._channels[run_id]
        if not channel.last and event.seq > 1:
            await self._load(run_id, channel)
        if event.seq != channel.last + 1:
            raise SecondWriter(run_id)
        handle = self._open.get(run_id)
        if handle is None:
            handle = self._open[run_id] = os.open(
                self._path(run_id), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
            )
        os.write(handle, event.wire().encode() + b"\n")
        channel.put(event)
        if event.type == "end":
            os.close(self._open.pop(run_id))

    async def read(self, run_id: UUID, after: int) -> list[Event]:
        """Return what is kept after `after`."""
        channel = self._channels.get(run_id, Channel())
        if not channel.last:
            await self._load(run_id, channel)
        return channel.after(after)

    @asynccontextmanager
    async def follow(self, run_id: UUID) -> AsyncGenerator[Channel]:
        """Return the run's channel, which `append` fills."""
        channel = self._channels[run_id]
        channel.followers += 1
        try:
            if not channel.last:
                await self._load(run_id, channel)
            yield channel
        finally:
            channel.followers -= 1
            if not channel.followers and not channel.last:
                self._channels.pop(run_id, None)

    async def drop(self, run_id: UUID) -> None:
        """Remove the file; who still reads finds the events in memory for a while."""
        if (handle := self._open.pop(run_id, None)) is not None:
            os.close(handle)
        with suppress(FileNotFoundError):
            os.unlink(self._path(run_id))  # noqa: PTH108
        self._leaving[run_id] = asyncio.get_running_loop().call_later(LINGER_S, self._forget, run_id)

    async def close(self) -> None:
        """Close the files; what runs left in them is stored by the next start."""
        for timer in self._leaving.values():
            timer.cancel()
        for handle in self._open.values():
            os.close(handle)
        self._open.clear()

    async def _load(self, run_id: UUID, channel: Channel) -> None:
        """Read what a process that is gone has left."""
        if not self._is_there(run_id):
            return
        for event in await asyncio.to_thread(self._stored, run_id):
            channel.put(event)

    def _forget(self, run_id: UUID) -> None:
        self._channels.pop(run_id, None)
        self._leaving.pop(run_id, None)

    def _is_there(self, run_id: UUID) -> bool:
        """Look for the file: microseconds, where a thread that reads none costs a tenth of a short run."""
        return os.path.exists(self._path(run_id))  # noqa: PTH110

    def _path(self, run_id: UUID) -> str:
        return f"{self._folder}/{run_id}.jsonl"

    def _stored(self, run_id: UUID) -> list[Event]:
        try:
            lines = Path(self._path(run_id)).read_bytes().splitlines()
        except FileNotFoundError:
            return []
        events: list[Event] = []
        for line in lines:
            try:
                events.append(Event.model_validate_json(line))
            except ValueError:
                break
        return events


class RedisLog:
    """Events in Redis streams; one reader per process for all runs that somebody here follows."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._channels = Channels()
        self._cursors: dict[UUID, int] = {}
        self._id = new_id()
        self._reader: asyncio.Task[None] | None = None
        self._followed = asyncio.Event()

    async def append(self, run_id: UUID, event: Event) -> None:
        """Add the next event. Its number is the stream id, so Redis refuses a second writer."""
        patience = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            try:
                await self._add(run_id, event)
            except RedisError as error:
                if asyncio.get_running_loop().time() > patience:
                    raise ExternalFailure(service="redis") from error
                await asyncio.sleep(0.3)
            else:
                return

    async def _add(self, run_id: UUID, event: Event) -> None:
        key = keys.run_events(run_id)
        try:
            if event.type == "text":
                await self._redis.xadd(key, {"e": event.wire()}, id=f"{event.seq}-0")
            else:
                pipe = self._redis.pipeline(transaction=False)
                pipe.xadd(key, {"e": event.wire()}, id=f"{event.seq}-0")
                pipe.expire(key, KEEP_SECONDS)
                await pipe.execute()
        except ResponseError as error:
            if NOT_THE_NEXT not in str(error):
                raise
            # A try whose answer was lost has added it already.
            if not any(_event(fields) == event for fields in await self._at(key, event.seq)):
                raise SecondWriter(run_id) from error

    async def _at(self, key: str, seq: int) -> list[dict[bytes, bytes]]:
        entries = await self._redis.xrange(key, min=f"{seq}-0", max=f"{seq}-0")
        return [fields for _, fields in cast("list[tuple[bytes, dict[bytes, bytes]]]", entries)]

    async def read(self, run_id: UUID, after: int) -> list[Event]:
        """Return what is kept after `after`."""
        entries = await self._redis.xrange(keys.run_events(run_id), min=f"{after + 1}-0")
        return [_event(fields) for _, fields in cast("list[tuple[bytes, dict[bytes, bytes]]]", entries)]

    @asynccontextmanager
    async def follow(self, run_id: UUID) -> AsyncGenerator[Channel]:
        """Return a channel that this process's reader fills."""
        channel = self._channels[run_id]
        channel.followers += 1
        try:
            if channel.followers == 1:
                self._cursors[run_id] = 0
                await self._interrupt()
            yield channel
        finally:
            channel.followers -= 1
            if not channel.followers:
                self._channels.pop(run_id, None)
                self._cursors.pop(run_id, None)

    async def drop(self, run_id: UUID) -> None:
        """Let the stream expire by itself: readers of other processes may still be behind."""

    async def close(self) -> None:
        """Stop the reader."""
        if self._reader:
            self._reader.cancel()
            with suppress(asyncio.CancelledError):
                await self._reader

    async def _interrupt(self) -> None:
        """Make the blocking read begin again with the new set of runs."""
        self._followed.set()
        if self._reader is None:
            self._reader = asyncio.create_task(self._read_forever())
        else:
            pipe = self._redis.pipeline(transaction=False)
            pipe.xadd(keys.reader_wake(self._id), {"w": ""}, maxlen=1)
            pipe.expire(keys.reader_wake(self._id), 60)
            with suppress(RedisError):  # the reader begins again by itself within seconds
                await pipe.execute()

    async def _read_forever(self) -> None:
        wake = "0-0"
        while True:
            if not self._cursors:
                self._followed.clear()
                await self._followed.wait()
            wanted: dict[str, str] = {
                keys.run_events(run_id): f"{cursor}-0" for run_id, cursor in self._cursors.items()
            }
            by_key = {keys.run_events(run_id): run_id for run_id in self._cursors}
            wanted[keys.reader_wake(self._id)] = wake
            try:
                found = await self._redis.xread(wanted, count=500, block=5_000)  # pyright: ignore[reportArgumentType]
            except (RedisError, OSError):
                log.warning("run_log.redis_away")
                await asyncio.sleep(0.5)
                continue
            for key, entries in cast(
                "list[tuple[bytes, list[tuple[bytes, dict[bytes, bytes]]]]]", found or []
            ):
                run_id = by_key.get(key.decode())
                if run_id is None:
                    wake = entries[-1][0].decode()
                elif run_id in self._cursors:
                    self._cursors[run_id] = int(entries[-1][0].split(b"-")[0])
                    for _, fields in entries:
                        self._channels[run_id].put(_event(fields))


def _event(fields: dict[bytes, bytes]) -> Event:
    return Event.model_validate_json(fields[b"e"])
