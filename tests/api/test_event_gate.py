"""The pages' socket: people pass, strangers cost a bounded amount."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from agenticos_app.api import event_gate
from agenticos_app.api.event_gate import EventGate
from agenticos_app.kernel.ids import new_id
from agenticos_app.services import sessions
from tests.fakes.asgi_socket import Socket, connected
from tests.world import build_house

pytestmark = pytest.mark.usefixtures("console")


async def echo(_scope: Scope, receive: Receive, send: Send) -> None:
    """Say back what is heard, and how it ended."""
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})
    await send({"type": "websocket.close", "code": message["code"]})


def app_for(client: str) -> Any:
    """Return the gate as a client at this address meets it."""
    gate = EventGate(echo)

    async def seen(scope: Scope, receive: Receive, send: Send) -> None:
        await gate({**scope, "client": (client, 4000)}, receive, send)

    return seen


def stranger() -> str:
    """Return an address that nobody has asked from."""
    return f"2001:db8:{new_id().int % 0xFFFF:x}:{new_id().int % 0xFFFF:x}::1"


@asynccontextmanager
async def opened(app: Any, cookie: str = "", path: str = "/_event") -> AsyncGenerator[tuple[Socket, str]]:
    async with connected(app, path, cookie=cookie) as socket:
        yield socket, (await socket.next())["type"]


def say(socket: Socket, text: str) -> None:
    socket.to_server.put_nowait({"type": "websocket.receive", "text": text})


async def test_one_address_has_a_number_of_sockets_open_until_somebody_signs_in() -> None:
    app, house = app_for(stranger()), await build_house("Harbor", roles=())
    async with AsyncExitStack() as stack:
        for _ in range(event_gate.STRANGERS_AT_ONCE):
            assert (await stack.enter_async_context(opened(app)))[1] == "websocket.accept"
        for cookie in ("", f"{sessions.COOKIE}=made-up", f"{sessions.COOKIE}={'0' * 32}.secret"):
            async with opened(app, cookie) as (_, said):
                assert said == "websocket.close"
        async with opened(app, f"{sessions.COOKIE}={house.owner.cookie}") as (_, said):
            assert said == "websocket.accept"
        async with opened(app_for(stranger())) as (_, said):
            assert said == "websocket.accept", "another address has its own"
        async with opened(app, path="/api/v1/events") as (_, said):
            assert said == "websocket.accept", "other sockets decide for themselves"


async def test_what_was_closed_is_free_again_but_counts_within_the_minute() -> None:
    app, told = app_for(stranger()), []
    for _ in range(event_gate.STRANGERS_PER_MINUTE + 1):
        async with opened(app) as (_, said):
            told.append(said)
    assert told[:-1] == ["websocket.accept"] * event_gate.STRANGERS_PER_MINUTE
    assert told[-1] == "websocket.close"


async def test_a_stranger_who_says_too_much_is_cut_off() -> None:
    fits, too_long = "x" * event_gate.STRANGER_MESSAGE_BYTES, "x" * (event_gate.STRANGER_MESSAGE_BYTES + 1)
    async with opened(app_for(stranger())) as (socket, _):
        say(socket, fits)
        assert (await socket.next())["text"] == fits
        say(socket, too_long)
        assert (await socket.next())["type"] == "websocket.close"
    async with opened(app_for(stranger())) as (socket, _):
        for _ in range(event_gate.STRANGER_MESSAGES + 1):
            say(socket, "x")
        said = await socket.until_closed()
    assert len(said) == event_gate.STRANGER_MESSAGES + 1


async def test_a_person_may_say_long_things() -> None:
    house = await build_house("Harbor", roles=())
    async with opened(app_for(stranger()), f"{sessions.COOKIE}={house.owner.cookie}") as (socket, _):
        say(socket, "x" * (event_gate.STRANGER_MESSAGE_BYTES * 4))
        assert len((await socket.next())["text"]) == event_gate.STRANGER_MESSAGE_BYTES * 4
    await asyncio.sleep(0)
