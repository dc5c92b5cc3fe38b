"""The API on a port of its own, with a platform that executes runs, in a thread of the test's process."""

import asyncio
import http.client
import threading
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from granian.constants import Interfaces
from granian.server.embed import Server

from agenticos_app.api.app import build_api
from agenticos_app.api.guard import Guard, Rules
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.services import free_port

T = TypeVar("T")


class Served:
    """A server that answers."""

    def __init__(self, loop: asyncio.AbstractEventLoop, port: int) -> None:
        self._loop = loop
        self.url = f"http://127.0.0.1:{port}"

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something beside the server, with the same platform."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(60)


@contextmanager
def serving(settings: Settings, folder: Path) -> Generator[Served]:
    """Serve the guarded API of one process."""
    port, loop, stop = free_port(), asyncio.new_event_loop(), asyncio.Event()
    failed: list[BaseException] = []

    async def serve() -> None:
        rules = Rules(client=folder, body_limit_bytes=1_000_000)
        async with open_platform(settings):
            server = Server(
                Guard(build_api(), rules),
                address="127.0.0.1",
                port=port,
                interface=Interfaces.ASGINL,
                log_enabled=False,
            )
            own = asyncio.all_tasks()
            running = asyncio.create_task(server.serve())
            await stop.wait()
            server.stop()
            await running
            if left := asyncio.all_tasks() - own:
                await asyncio.wait(left, timeout=5)

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(serve())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        _until_answering(port, lambda: failed)
        yield Served(loop, port)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(60)
        loop.close()
    assert not failed, failed


def _until_answering(port: int, failed: Callable[[], list[BaseException]]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert not failed(), failed()
        with suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/api/v1/health")
            if connection.getresponse().status == 200:
                connection.close()
                return
        time.sleep(0.05)  # noqa: TID251
    raise AssertionError("the server does not answer")
