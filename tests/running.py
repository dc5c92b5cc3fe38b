"""`agenticos run` as somebody types it, for tests that watch it."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from agenticos_app.ops import programs
from agenticos_app.ops.place import ROOT


class Running:
    """One `agenticos run` and what it printed."""

    def __init__(self, home: Path, port: int, **changes: str) -> None:
        self.home, self.port = home, port
        self._log = home.parent / f"run-{time.monotonic_ns()}.log"
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "agenticos_app.cli", "run"],
                cwd=ROOT,
                env=programs.environment(
                    **{
                        "AGENTICOS_HOME": str(home),
                        "PORT": str(port),
                        "DATABASE_URL": "",
                        "REDIS_URL": "",
                        **changes,
                    }
                ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def said(self) -> str:
        return self._log.read_text()

    def until_ready(self) -> None:
        deadline = time.monotonic() + 120
        while "AgenticOS is ready" not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.02)  # noqa: TID251

    def set_up_link(self) -> str:
        """Return the one-time link that it prints."""
        deadline = time.monotonic() + 60
        while not (found := re.search(r"http://\S+/setup\?token=\S{20,}", self.said)):
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)  # noqa: TID251
        return found[0]

    def kill(self) -> None:
        """Kill the command and its server as a crash would, the database apart."""
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes()
                own = f"AGENTICOS_HOME={self.home}\0".encode() in (entry / "environ").read_bytes()
                if own and b"postgres" not in words:
                    os.kill(int(entry.name), signal.SIGKILL)
        self.process.wait(20)

    def get(self, path: str) -> tuple[int, str]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def left(self) -> list[str]:
        """Return the command lines of all processes that still belong to this home."""
        found: list[str] = []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                own = f"AGENTICOS_HOME={self.home}\0".encode() in (entry / "environ").read_bytes()
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if words and (own or str(self.home) in words):
                    found.append(words)
        return found
