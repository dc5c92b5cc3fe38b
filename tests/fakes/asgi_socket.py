"""A WebSocket client for an ASGI application in this process, message by message."""

import asyncio
from collections.abc import AsyncGenerator, MutableMapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp

Message = MutableMapping[str, Any]
PATIENCE_S = 10.0


class Socket:
    """One connection. What the server sent is read in order."""

    def __init__(self) -> None:
        self.to_server: asyncio.Queue[Message] = asyncio.Queue()
        self.to_client: asyncio.Queue[Message] = asyncio.Queue()

    async def next(self, *, within_s: float = PATIENCE_S) -> Message:
        """Return the server's next message.

        Raises:
            TimeoutError: It sent none in time.
        """
        async with asyncio.timeout(within_s):
            return await self.to_client.get()

    async def until_closed(self, *, within_s: float = PATIENCE_S) -> list[Message]:
        """Return the server's messages up to the one that closes.

        Raises:
            TimeoutError: It did not close in time.
        """
        messages: list[Message] = []
        async with asyncio.timeout(within_s):
            while not messages or messages[-1]["type"] != "websocket.close":
                messages.append(await self.to_client.get())
        return messages

    def leave(self) -> None:
        """Go away as a browser does."""
        self.to_server.put_nowait({"type": "websocket.disconnect", "code": 1001})


@asynccontextmanager
async def connected(
    app: ASGIApp, address: str, *, cookie: str = "", headers: dict[str, str] | None = None
) -> AsyncGenerator[Socket]:
    """Open a socket to `address`, and leave at the end."""
    socket, url = Socket(), urlsplit(address)
    sent = {"host": "console.test", **(headers or {})} | ({"cookie": cookie} if cookie else {})
    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": url.path,
        "raw_path": url.path.encode(),
        "root_path": "",
        "query_string": url.query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 40000),
        "server": ("console.test", 80),
        "subprotocols": [],
        "state": {},
        "extensions": {},
    }
    socket.to_server.put_nowait({"type": "websocket.connect"})
    running = asyncio.ensure_future(app(scope, socket.to_server.get, socket.to_client.put))
    try:
        yield socket
    finally:
        socket.leave()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await running
