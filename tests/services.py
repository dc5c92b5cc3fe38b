"""The services that tests need, real ones: PostgreSQL from the wheel, a Redis of their own, servers."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator, Mapping
from pathlib import Path

from agenticos_app.ops import programs, serve
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import OWNER, ask, embedded_postgres
from agenticos_app.settings import Settings


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def postgres_cluster(run: str) -> Generator[str]:
    """Give the address of a PostgreSQL that all processes of one test run share; the last one removes it.

    It is as fast as a server that may lose everything in a power cut.
    """
    home = Path(tempfile.gettempdir()) / f"agenticos-tests-{run}"
    try:
        with embedded_postgres(home, OWNER) as url:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                ask(url, f"ALTER SYSTEM SET {setting} = off")
            ask(url, "SELECT pg_reload_conf()")
            yield url
    finally:
        if not (home / "postgres" / "data" / "postmaster.pid").exists():
            shutil.rmtree(home, ignore_errors=True)


@contextlib.contextmanager
def redis_server() -> Generator[str]:
    """Start a Redis that keeps nothing, and give its address."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with tempfile.TemporaryDirectory(prefix="agenticos-redis-") as folder:
        process = programs.start(command, cwd=Path(folder), output=subprocess.DEVNULL)
        try:
            _until_listening(port, process)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            programs.kill_group(process)


@contextlib.contextmanager
def server(
    settings: Settings, database_url: str, *, log: Path, env: Mapping[str, str] | None = None
) -> Generator[subprocess.Popen[bytes]]:
    """Start the server on `settings.port` for the client that is built already; killed at the end."""
    assert settings.port, "choose a port"
    with log.open("ab") as output:
        process = programs.start(
            serve.command(settings),
            cwd=ROOT,
            env={**serve.server_environment(settings, database_url), **(env or {})},
            output=output.fileno(),
        )
    try:
        serve.wait_until_ready(settings, process)
        yield process
    finally:
        programs.kill_group(process)


def _until_listening(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        assert process.poll() is None, "the service ended while it started"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)  # noqa: TID251
    raise AssertionError("the service does not listen")
