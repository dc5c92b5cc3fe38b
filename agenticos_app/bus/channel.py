"""The events of one run in this process's memory, read by any number of followers."""

import asyncio
from uuid import UUID

from agenticos_app.contracts.events import Event

KEPT_EVENTS = 20_000


class Channel:
    """Events in order, and who waits for the next.

    Attributes:
        first: Number of the oldest event held.
        followers: How many read it now.
    """

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._first = 1
        self._waiting: set[asyncio.Future[None]] = set()
        self.followers = 0

    @property
    def last(self) -> int:
        """Number of the newest event; 0 when there is none."""
        return self._first + len(self._events) - 1

    @property
    def ended(self) -> bool:
        """Whether the run's last event is here."""
        return bool(self._events) and self._events[-1].type == "end"

    def put(self, event: Event) -> None:
        """Add the next event and wake everybody; one that is here already is dropped."""
        if self._events and event.seq <= self.last:
            return
        if self._events and event.seq != self.last + 1:
            self._events.clear()
        if not self._events:
            self._first = event.seq
        self._events.append(event)
        if len(self._events) > KEPT_EVENTS:
            cut = KEPT_EVENTS // 2
            self._events = self._events[cut:]
            self._first += cut
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)
        self._waiting.clear()

    def after(self, seq: int) -> list[Event]:
        """Return what follows `seq`; the caller checks whether the first one is the next."""
        return self._events[max(0, seq + 1 - self._first) :]

    async def wait(self, seq: int, timeout_s: float) -> list[Event]:
        """Return what follows `seq`, waiting for it at most `timeout_s`; empty when nothing came."""
        if found := self.after(seq):
            return found
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            async with asyncio.timeout(timeout_s):
                await waiter
        except TimeoutError:
            return []
        finally:
            self._waiting.discard(waiter)
        return self.after(seq)


class Channels(dict[UUID, Channel]):
    """The channels of this process by run."""

    def __missing__(self, run_id: UUID) -> Channel:
        channel = self[run_id] = Channel()
        return channel
