"""A local server that speaks chat completions: for tests, for the benchmarks and for trying things by hand.

    async with OpenAIServer() as server:
        access = ModelAccess(kind=..., base_url=server.base_url, model_name="stub:tokens=500:rate=50")

`python -m tests.fakes.openai_server --port 9100` serves the same; `GET /stub/stats` counts what was seen. The
words that a model name may carry are the fields of `tests.fakes.openai_wire.Behaviour`.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import time
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.fakes.openai_wire import Answer, Behaviour, answer_to, behaviour_of, error_body, models_body

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"cache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)


@dataclass(slots=True)
class Seen:
    """One request that arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, object]
    at: float
    """`time.perf_counter()` when it was complete."""
    connection: int
    """Number of the connection that it came on."""
    answered: bool = False
    disconnected_at: float | None = None
    """When the client went away before the answer was complete."""


@dataclass
class OpenAIServer:
    """The server, and what it saw."""

    behaviour: Behaviour | None = None
    """Overrides what the model names say."""
    api_key: str = ""
    """When set, any other key is refused."""
    models: list[str] = field(default_factory=lambda: ["stub", "stub:tokens=500:rate=50", "stub:tool=first"])
    port: int = 0
    requests: deque[Seen] = field(default_factory=lambda: deque(maxlen=2000))
    connections: int = 0
    open_connections: int = 0
    refused: int = 0
    """Requests that got another status than 200."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with each client that went away early."""
    _server: asyncio.Server | None = None
    _transports: set[asyncio.Transport] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def base_url(self) -> str:
        """The address that clients are given."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def disconnects(self) -> list[Seen]:
        """Requests whose client went away before the answer was complete."""
        return [seen for seen in self.requests if seen.disconnected_at is not None]

    @property
    def chats(self) -> list[Seen]:
        """The requests for a completion."""
        return [seen for seen in self.requests if seen.path.endswith("/chat/completions")]

    async def wait_gone(self, timeout_s: float = 5) -> Seen:
        """Return the newest request whose client went away, as soon as there is one."""
        async with asyncio.timeout(timeout_s):
            while not self.disconnects:
                self.gone.clear()
                await self.gone.wait()
        return self.disconnects[-1]

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for transport in list(self._transports):
            transport.abort()
        await self._server.wait_closed()

    def stats(self) -> dict[str, int]:
        """Return what was counted so far."""
        return {
            "requests": len(self.requests),
            "chats": len(self.chats),
            "disconnects": len(self.disconnects),
            "refused": self.refused,
            "connections": self.connections,
            "open_connections": self.open_connections,
            "running": len(self._tasks),
        }

    def start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Run one slow answer; it ends with its connection or with the server."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def status_of(self, behaviour: Behaviour, model: str) -> int:
        """Return the status of the next answer, which a behaviour may give only so many times."""
        if behaviour.status == 200 or not behaviour.times:
            return behaviour.status
        asked = sum(1 for seen in self.chats if seen.body.get("model") == model)
        return behaviour.status if asked <= behaviour.times else 200

    def opened(self, transport: asyncio.Transport) -> int:
        """Count a connection and return its number."""
        self._transports.add(transport)
        self.connections += 1
        self.open_connections += 1
        return self.connections

    def closed(self, transport: asyncio.Transport) -> None:
        """Forget a connection."""
        self._transports.discard(transport)
        self.open_connections -= 1


class _Connection(asyncio.Protocol):
    """One keep-alive connection of a client; requests on it are answered one after the other."""

    def __init__(self, server: OpenAIServer) -> None:
        self.server = server
        self.buffer = b""
        self.seen: Seen | None = None
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.number = self.server.opened(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.closed(self.transport)
        if self.seen is not None and not self.seen.answered:
            self.seen.disconnected_at = time.perf_counter()
            self.server.gone.set()
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        method, path, _ = first.split(" ", 2)
        body = json.loads(rest[:length]) if length else {}
        self.seen = Seen(method, path, headers, body, time.perf_counter(), self.number)
        self.answer(self.seen)

    def answer(self, seen: Seen) -> None:
        if seen.path == "/stub/stats":
            self.reply(200, json.dumps(self.server.stats()).encode())
            return
        self.server.requests.append(seen)
        if self.server.api_key and seen.headers.get("authorization") != f"Bearer {self.server.api_key}":
            self.reply(401, error_body(401))
        elif seen.method == "GET" and seen.path == "/v1/models":
            self.reply(200, models_body(self.server.models))
        elif seen.method == "POST" and seen.path == "/v1/chat/completions":
            self.complete(seen)
        else:
            self.reply(404, error_body(404))

    def complete(self, seen: Seen) -> None:
        model = str(seen.body.get("model", ""))
        try:
            behaviour = self.server.behaviour or behaviour_of(model)
        except ValueError:
            self.reply(404, error_body(404))
            return
        status = self.server.status_of(behaviour, model)
        if status != 200:
            extra = f"retry-after: {behaviour.retry_after}\r\n" if behaviour.retry_after else ""
            self.reply(status, error_body(status), extra)
            return
        answer = answer_to(seen.body, behaviour)
        if behaviour.rate or behaviour.delay_s or behaviour.hang:
            self.task = self.server.start(self.slowly(answer, behaviour))
        elif answer.body:
            self.reply(200, answer.body)
        elif behaviour.cut >= 0:
            self.transport.write(STREAM_HEAD + _chunk(b"".join(answer.pieces[: behaviour.cut + 1])))
            self.hang_up()
        else:
            self.transport.write(STREAM_HEAD + _chunk(b"".join(answer.pieces)) + b"0\r\n\r\n")
            self.done()

    async def slowly(self, answer: Answer, behaviour: Behaviour) -> None:
        if behaviour.hang == "start":
            await asyncio.Event().wait()
        await asyncio.sleep(behaviour.delay_s)
        if answer.body:
            self.reply(200, answer.body)
            return
        self.transport.write(STREAM_HEAD + _chunk(answer.pieces[0]))
        tokens = answer.pieces[1 : len(answer.pieces) - answer.closing]
        started, sent = time.perf_counter(), 0
        while sent < len(tokens):
            if behaviour.hang == "middle" and sent >= len(tokens) // 2:
                await asyncio.Event().wait()
            if 0 <= behaviour.cut <= sent:
                self.hang_up()
                return
            due = int((time.perf_counter() - started) * behaviour.rate) + 1 if behaviour.rate else len(tokens)
            due = min(due, len(tokens) // 2 if behaviour.hang else len(tokens))
            due = min(due, behaviour.cut) if behaviour.cut >= 0 else due
            if due > sent:
                self.transport.write(_chunk(b"".join(tokens[sent:due])))
                sent = due
            elif behaviour.rate:
                await asyncio.sleep(max(0.0, started + sent / behaviour.rate - time.perf_counter()))
        self.transport.write(_chunk(b"".join(answer.pieces[-answer.closing :])) + b"0\r\n\r\n")
        self.done()

    def reply(self, status: int, body: bytes, extra: str = "") -> None:
        self.server.refused += status != 200
        head = (
            f"HTTP/1.1 {status} {REASONS.get(status, 'Error')}\r\ncontent-type: application/json\r\n"
            f"{extra}content-length: {len(body)}\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.done()

    def done(self) -> None:
        assert self.seen is not None
        self.seen.answered = True
        self.task = None
        if self.buffer:
            self.data_received(b"")

    def hang_up(self) -> None:
        """End the connection in the middle of an answer, as a server that dies does."""
        assert self.seen is not None
        self.seen.answered = True
        self.task = None
        self.transport.close()


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def _serve(port: int, api_key: str, behaviour: Behaviour | None) -> None:
    async with OpenAIServer(port=port, api_key=api_key, behaviour=behaviour) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--api-key", default="")
    parser.add_argument("--behaviour", default="", help="words as in a model name, for every model")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        behaviour = behaviour_of(f"stub:{options.behaviour}") if options.behaviour else None
        asyncio.run(_serve(options.port, options.api_key, behaviour))


if __name__ == "__main__":
    main()
