"""A stream that ends early lets go of what it follows at once, not when the collector comes by."""

from collections.abc import AsyncGenerator

from agenticos_app.api import leaving
from agenticos_app.api.stream import server_sent
from agenticos_app.contracts.events import Event
from agenticos_app.services.work import Credentials


async def test_events_are_closed_when_the_server_leaves() -> None:
    closed: list[bool] = []

    async def events() -> AsyncGenerator[Event]:
        try:
            for seq in range(1, 100):
                yield Event(type="text", seq=seq, text="a")
        finally:
            closed.append(True)

    leaving.start()
    following = events()
    lines = server_sent(following, Credentials(secret="")).body_iterator
    assert str(await anext(lines)).startswith("id: 1")  # type: ignore[call-overload]
    leaving.leave()
    rest = [line async for line in lines]
    leaving.start()
    assert (rest, closed) == ([], [True])
