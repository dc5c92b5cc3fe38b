"""A proxy that counts what goes through it and can cut it."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """Passes connections on to one port; knows a run's socket (`run`) from the page's (`event`)."""

    target: int
    port: int = 0
    bytes: Counter[str] = field(default_factory=Counter[str])
    """Both directions, framing and handshake included."""
    cuts: int = 0
    _open: set[tuple[str, asyncio.StreamWriter]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self, *kinds: str) -> None:
        """Break the open connections of these kinds."""
        for kind, writer in list(self._open):
            if kind in kinds:
                self.cuts += 1
                writer.transport.abort()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.read(65536)
        kind = "run" if b"/stream?" in head else "event" if b" /_event" in head else "http"
        entry = (kind, writer)
        self._open.add(entry)
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            self._open.discard(entry)
            writer.close()
            return
        up_writer.write(head)
        self.bytes[kind] += len(head)
        await asyncio.gather(self.pump(reader, up_writer, kind), self.pump(up_reader, writer, kind))
        self._open.discard(entry)

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: str) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                self.bytes[kind] += len(data)
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.close()


@asynccontextmanager
async def proxy(target: int) -> AsyncGenerator[Proxy]:
    """Listen on a free port."""
    made = Proxy(target)
    listening = await asyncio.start_server(made.handle, "127.0.0.1", 0)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        made.cut("run", "event", "http")
