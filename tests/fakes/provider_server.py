"""A local server that speaks the dialect it is given and plays the situation it is told to.

async with ProviderServer(Anthropic()) as server:
    server.situation = Situation.HALF_STREAM
"""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from tests.fakes.wires.wire import Situation, Wire


@dataclass(frozen=True, slots=True)
class Question:
    """One request that arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The JSON that was sent."""
        return json.loads(self.raw) if self.raw else {}


@dataclass
class ProviderServer:
    """The server, and what it saw."""

    wire: Wire
    situation: Situation = Situation.SUCCESS
    lists: dict[str, object] = field(default_factory=dict[str, object])
    """Paths without a query, and the JSON that a GET of them brings."""
    extra: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Paths, and the JSON that a POST to them brings."""
    seen: list[Question] = field(default_factory=list[Question])
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client went away before its answer was complete."""
    open_connections: int = 0
    port: int = 0
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def questions(self) -> list[Question]:
        """The requests that asked the model."""
        return [question for question in self.seen if self.wire.is_question(question.path)]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**20)
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
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.open_connections += 1
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
                while await self._answer(reader, writer):
                    await writer.drain()
        finally:
            self.open_connections -= 1
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection goes on."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = first.split(" ", 2)
        question = Question(method, path, headers, raw)
        self.seen.append(question)
        if method == "GET":
            return self._listed(writer, path.partition("?")[0])
        if path in self.extra:
            return _reply(writer, 200, self.extra[path])
        if not self.wire.is_question(path):
            return _reply(writer, 404, b"{}")
        if not self.wire.is_authorized(method, path, headers, raw):
            refusal = self.wire.refusal(Situation.UNAUTHORIZED)
            assert refusal is not None
            return _reply(writer, refusal.status, refusal.body, refusal.headers)
        return await self._play(question, reader, writer)

    def _listed(self, writer: asyncio.StreamWriter, path: str) -> bool:
        found = path in self.lists
        return _reply(writer, 200 if found else 404, json.dumps(self.lists.get(path, {})).encode())

    async def _play(
        self, question: Question, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        situation = self.situation
        refusal = self.wire.refusal(situation)
        if refusal is not None:
            return _reply(writer, refusal.status, refusal.body, refusal.headers)
        if situation is Situation.HANG:
            return await self._wait_gone(reader)
        call = situation is Situation.TOOL_CALL and len(self.questions) == 1
        if not self.wire.is_streamed(question.path, question.body):
            return _reply(writer, 200, self.wire.whole(situation, call=call))
        frames = self.wire.frames(situation, call=call)
        _begin(writer, self.wire.stream_type)
        half = (len(frames) + 1) // 2
        if situation in (Situation.HALF_STREAM, Situation.SILENCE):
            _chunk(writer, b"".join(frames[:half]))
            await writer.drain()
            return situation is Situation.SILENCE and await self._wait_gone(reader)
        if situation is Situation.GARBAGE:
            frames.insert(half, self.wire.garbage())
        for frame in frames:
            _chunk(writer, frame)
        writer.write(b"0\r\n\r\n")
        return True

    async def _wait_gone(self, reader: asyncio.StreamReader) -> bool:
        await reader.read()
        self.gone.set()
        return False


def _begin(writer: asyncio.StreamWriter, content_type: str) -> None:
    writer.write(
        f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    )


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _reply(
    writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str] | None = None
) -> bool:
    extra = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    head = f"HTTP/1.1 {status} Stub\r\ncontent-type: application/json\r\n{extra}"
    writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    return True
