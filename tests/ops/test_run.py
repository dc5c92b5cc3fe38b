"""`agenticos run`, as somebody types it: from an empty folder to a page, and nothing left behind."""

import os
import re
import signal
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from agenticos_app.ops import client
from tests.running import Running
from tests.services import free_port

pytestmark = pytest.mark.e2e


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
    assert f"localhost:{running.port}" in running.set_up_link()
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
