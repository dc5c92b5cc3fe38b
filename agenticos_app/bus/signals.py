"""Short messages between processes: nothing that must not be lost, only what makes others look."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Literal, Protocol, cast
from uuid import UUID

import structlog
from pydantic import BaseModel, ConfigDict
from redis.asyncio import Redis
from redis.exceptions import RedisError

from agenticos_app.bus import keys

log = structlog.get_logger()

Kind = Literal[
    "run.waiting",
    "run.stop",
    "run.started",
    "run.ended",
    "conversation.changed",
    "session.ended",
    "membership.changed",
    "api_key.revoked",
]


class Signal(BaseModel):
    """One message. `topic` is the id that listeners chose: of a run, a person, a session; empty for hosts."""

    model_config = ConfigDict(frozen=True)

    kind: Kind
    topic: str = ""
    conversation_id: UUID | None = None
    run_id: UUID | None = None


class _Subscription(AbstractAsyncContextManager["_Subscription"], Protocol):
    """What is used of the client library's untyped subscription."""

    async def subscribe(self, channel: str) -> None: ...
    def listen(self) -> AsyncIterator[dict[str, str | bytes]]: ...


@dataclass(slots=True)
class Mailbox:
    """The signals of one listener, in order."""

    queue: asyncio.Queue[Signal]

    async def next(self, timeout_s: float) -> Signal | None:
        """Return the next signal, or None when none came in time."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self.queue.get()
        except TimeoutError:
            return None


class Signals:
    """Sends to every process, this one included."""

    def __init__(self, redis: Redis | None) -> None:
        self._redis = redis
        self._boxes: dict[str, set[asyncio.Queue[Signal]]] = defaultdict(set)
        self._listener: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to listen to the other processes."""
        if self._redis is not None:
            self._listener = asyncio.create_task(self._listen(self._redis))

    async def close(self) -> None:
        """Stop listening."""
        if self._listener:
            self._listener.cancel()
            with suppress(asyncio.CancelledError):
                await self._listener

    async def send(self, signal: Signal) -> None:
        """Tell everybody who listens to the topic. With Redis away only this process hears it."""
        if self._redis is not None:
            try:
                await self._redis.publish(  # pyright: ignore[reportUnknownMemberType]
                    keys.SIGNALS, signal.model_dump_json(exclude_none=True)
                )
            except RedisError:
                log.warning("signals.redis_away")
            else:
                return
        self._deliver(signal)

    @asynccontextmanager
    async def listen(self, *topics: str) -> AsyncGenerator[Mailbox]:
        """Collect the signals of these topics while the context lasts."""
        queue: asyncio.Queue[Signal] = asyncio.Queue(maxsize=1000)
        for topic in topics:
            self._boxes[topic].add(queue)
        try:
            yield Mailbox(queue)
        finally:
            for topic in topics:
                self._boxes[topic].discard(queue)
                if not self._boxes[topic]:
                    del self._boxes[topic]

    def _deliver(self, signal: Signal) -> None:
        for queue in tuple(self._boxes.get(signal.topic, ())):
            with suppress(asyncio.QueueFull):
                queue.put_nowait(signal)

    async def _listen(self, redis: Redis) -> None:
        while True:
            try:
                async with cast("_Subscription", redis.pubsub()) as channel:  # pyright: ignore[reportUnknownMemberType]
                    await channel.subscribe(keys.SIGNALS)
                    async for message in channel.listen():
                        if message["type"] == "message":
                            self._deliver(Signal.model_validate_json(message["data"]))
            except (RedisError, OSError):
                log.warning("signals.redis_away")
                await asyncio.sleep(0.5)
