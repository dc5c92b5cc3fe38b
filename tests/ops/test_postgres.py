"""The embedded database survives what happens to it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import Cluster, ask, embedded_postgres
from agenticos_app.ops.report import Refusal

HOLD = """
import sys
from pathlib import Path
from agenticos_app.ops.postgres import embedded_postgres
with embedded_postgres(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""

ASK = """
import sys
from agenticos_app.ops.postgres import ask
ask(sys.argv[1], "SELECT pg_sleep(60)")
"""


def _holder(home: Path) -> "subprocess.Popen[str]":
    """Start another process that uses the database until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert any(line.startswith("postgresql+psycopg://") for line in process.stdout), "it ended"
    return process


def _end(process: "subprocess.Popen[str]") -> None:
    process.communicate("")


def _postmaster(home: Path) -> int:
    return int((home / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.req("DOM-CONFIG-09")
def test_data_stay_and_the_server_goes_with_its_last_user(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        ask(url, "CREATE TABLE kept AS SELECT 'zażółć' AS word")
        server = _postmaster(tmp_path)
    assert not _is_alive(server)
    with embedded_postgres(tmp_path) as url:
        assert ask(url, "SELECT word FROM kept") == "zażółć"


def test_several_processes_share_one_server(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        other = _holder(tmp_path)
        server = _postmaster(tmp_path)
    assert ask(url, "SELECT 1") == "1"
    assert _postmaster(tmp_path) == server
    _end(other)
    assert not _is_alive(server)


def test_a_server_left_over_from_a_kill_is_used_again(tmp_path: Path) -> None:
    killed = _holder(tmp_path)
    server = _postmaster(tmp_path)
    killed.kill()
    killed.communicate()
    assert _is_alive(server)
    with embedded_postgres(tmp_path) as url:
        assert _postmaster(tmp_path) == server
        assert ask(url, "SELECT 1") == "1"
    assert not _is_alive(server)


def test_a_killed_server_comes_back_with_its_data(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path) as url:
        ask(url, "CREATE TABLE kept AS SELECT 7 AS number")
        client = subprocess.Popen([sys.executable, "-c", ASK, url], stderr=subprocess.DEVNULL)
        while ask(url, "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'") != "1":
            assert client.poll() is None
            time.sleep(0.05)  # noqa: TID251
        os.kill(_postmaster(tmp_path), signal.SIGKILL)
        with embedded_postgres(tmp_path) as again:
            assert ask(again, "SELECT number FROM kept") == "7"
        client.wait(20)


def test_the_number_of_a_dead_server_may_belong_to_another_program(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path):
        written = (tmp_path / "postgres" / "data" / "postmaster.pid").read_text()
    stale = written.replace(written.split()[0], str(os.getpid()), 1)
    pid_file = tmp_path / "postgres" / "data" / "postmaster.pid"
    pid_file.write_text(stale)
    with embedded_postgres(tmp_path) as url:
        assert ask(url, "SELECT 1") == "1"


def test_a_half_made_cluster_is_made_again(tmp_path: Path) -> None:
    half = tmp_path / "postgres" / "data"
    half.mkdir(parents=True)
    (half / "base").mkdir()
    with embedded_postgres(tmp_path) as url:
        assert ask(url, "SELECT 1") == "1"


def test_a_long_path_is_no_problem(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    with embedded_postgres(home) as url:
        assert ask(url, "SELECT 1") == "1"
        assert not str(Cluster(home / "postgres").sockets).startswith(str(home))


def test_data_of_another_release_are_not_touched(tmp_path: Path) -> None:
    with embedded_postgres(tmp_path):
        pass
    (tmp_path / "postgres" / "data" / "PG_VERSION").write_text("17\n")
    with pytest.raises(Refusal, match=r"PostgreSQL 17.*agenticos backup"), embedded_postgres(tmp_path):
        pass


def test_a_database_that_does_not_answer_is_told_without_its_password() -> None:
    with pytest.raises(Refusal, match="does not answer") as refused:
        ask("postgresql+psycopg://someone:s3cret@127.0.0.1:1/none", "SELECT 1")
    assert "s3cret" not in str(refused.value)
