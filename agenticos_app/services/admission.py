"""How many callers a process takes in: what it can serve soon. The others hear at once when to come back."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from agenticos_app.bus import bus
from agenticos_app.bus.limits import Rate
from agenticos_app.errors import Overloaded
from agenticos_app.services import deployment

BUSY_RETRY_S = 2
STARTING_AT_ONCE = 6
"""Fewer than the database has connections, so that running runs never wait behind those that begin."""


class Door:
    """Counts who is inside."""

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._inside = 0
        self._starting = asyncio.Semaphore(STARTING_AT_ONCE)

    @asynccontextmanager
    async def inside(self) -> AsyncGenerator[None]:
        """Take the caller in for as long as the context lasts; looks at nothing but a number.

        Raises:
            Overloaded: Too many are inside.
        """
        if self._inside >= self._limit:
            raise Overloaded(retry_after_seconds=BUSY_RETRY_S)
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    @asynccontextmanager
    async def starting(self) -> AsyncGenerator[None]:
        """Wait until it is the caller's turn to start something."""
        async with self._starting:
            yield


async def count_request(mark: str) -> Rate:
    """Count one API request of a caller.

    Raises:
        LimitReached: More than the deployment allows in a minute.
    """
    return await bus.current().limits.take("api", mark, per_minute=deployment.current().api_per_minute)


_door: Door | None = None


def use(door: Door) -> None:
    """Make `door` the one of this process."""
    global _door
    _door = door


def door() -> Door:
    """Return the door of this process."""
    assert _door is not None, "start the platform first"
    return _door
