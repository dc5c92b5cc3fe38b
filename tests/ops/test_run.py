"""`agenticos run`, as somebody types it: from an empty folder to a page, and nothing left behind."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from agenticos_app.ops import client, programs
from agenticos_app.ops.place import ROOT
from tests.services import free_port

pytestmark = pytest.mark.e2e


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


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    client.ensure_built()


@pytest.fixture
def running(tmp_path: Path) -> Generator[Running]:
    one = Running(tmp_path / "home", free_port())
    yield one
    if one.process.poll() is None:
        one.process.terminate()
        one.process.wait(60)


@pytest.mark.req("DOM-CONFIG-09")
def test_an_empty_folder_becomes_a_page_and_the_second_start_does_nothing_twice(running: Running) -> None:
    running.until_ready()
    status, page = running.get("/setup")
    assert status == 200
    assert "<html" in page
    assert running.get("/api/v1/health")[0] == 200
    deadline = time.monotonic() + 60
    while not re.search(rf"http://localhost:{running.port}/setup\?token=\S{{20,}}", running.said):
        assert time.monotonic() < deadline, running.said
        time.sleep(0.05)  # noqa: TID251
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(60) == 0
    assert "Traceback" not in running.said
    assert running.left() == []

    again = Running(running.home, running.port)
    try:
        again.until_ready()
        assert running.get("/sign-in")[0] == 200
        assert "migrating" not in again.said
    finally:
        again.process.send_signal(signal.SIGTERM)
        assert again.process.wait(60) == 0
    assert again.left() == []


def test_ctrl_c_twice_in_a_row_stops_everything_at_once(running: Running) -> None:
    running.until_ready()
    running.process.send_signal(signal.SIGINT)
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(5) == 0
    assert running.left() == []


def test_ctrl_c_while_it_starts_stops_everything(running: Running) -> None:
    while "starting the server" not in running.said:
        assert running.process.poll() is None, running.said
        time.sleep(0.01)  # noqa: TID251
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(60) == 0
    assert "Traceback" not in running.said
    assert running.left() == []


def test_a_killed_command_is_cleaned_up_by_the_next_start(running: Running) -> None:
    running.until_ready()
    os.kill(running.process.pid, signal.SIGKILL)
    running.process.wait()
    again = Running(running.home, running.port)
    try:
        again.until_ready()
        assert again.get("/api/v1/health")[0] == 200
    finally:
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(60) == 0
    assert again.left() == []


def test_a_second_start_on_the_same_folder_is_refused_in_words(running: Running) -> None:
    running.until_ready()
    second = Running(running.home, free_port())
    assert second.process.wait(60) == 1
    assert second.said == (
        f"AgenticOS already runs on {running.home} (process {running.process.pid}); "
        "stop it first, or set AGENTICOS_HOME to another folder.\n"
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"SERVER_PROCESSES": "2"}, r"SERVER_PROCESSES=2 needs REDIS_URL.*\n"),
        ({"AGENTICOS_HOME": "/proc/home"}, r"/proc/home cannot be used.*\n"),
        ({"PORT": "many"}, r"PORT has a wrong value.*\n"),
        (
            {"DATABASE_URL": "postgresql+psycopg://nobody:hidden@127.0.0.1:1/none"},
            r"  reaching the database ... stopped\nThe database does not answer.*\n",
        ),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(
    tmp_path: Path, changes: dict[str, str], sentence: str
) -> None:
    refused = Running(tmp_path / "home", free_port(), **changes)
    assert refused.process.wait(60) == 1
    assert re.fullmatch(sentence, refused.said), refused.said
    assert "hidden" not in refused.said
