"""What stands in the way of a start, each in one sentence."""

import errno
import socket
import sys
from pathlib import Path

import pytest

from agenticos_app.client_build import ScriptsAfterPaint
from agenticos_app.ops import client, instance, migrations, programs, serve, setup
from agenticos_app.ops.doctor import local_models
from agenticos_app.ops.place import ROOT, explained, usable
from agenticos_app.ops.report import Refusal
from agenticos_app.settings import Settings


def test_a_second_start_on_the_same_folder_names_the_first(tmp_path: Path) -> None:
    with instance.only_one(tmp_path) as note:
        note(1)
        assert instance.is_running(tmp_path)
        with pytest.raises(Refusal, match=r"already runs on .* \(process \d+\)"), instance.only_one(tmp_path):
            pass
    assert not instance.is_running(tmp_path)
    with instance.only_one(tmp_path):
        pass


def test_a_foreign_process_with_the_noted_number_is_left_alone() -> None:
    instance.end_leftover(1)


def test_a_taken_port_is_told_with_another_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(Refusal, match=f"Port {port} is taken.*PORT={port + 1}"):
            instance.free_port("127.0.0.1", port)
    instance.free_port("127.0.0.1", port)


def test_an_unknown_host_is_told() -> None:
    with pytest.raises(Refusal, match="HOST="):
        instance.free_port("no.such.host.invalid", 8000)


def test_no_space_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="free space"):
        usable(tmp_path, needed_mb=10**9)


def test_a_place_that_is_no_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refusal, match="choose another folder"):
        usable(tmp_path / "file" / "home", needed_mb=1)


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.EROFS, "cannot be written"), (errno.EACCES, "cannot be written"), (errno.ENOSPC, "No space")],
)
def test_what_the_system_says_becomes_a_sentence(tmp_path: Path, number: int, words: str) -> None:
    assert words in str(explained(OSError(number, ""), tmp_path))


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (
            "ERROR: Could not find: [Errno -3] Temporary failure in name resolution",
            "registry cannot be reached",
        ),
        ("npm error code ENOTFOUND", "registry cannot be reached"),
        ("OSError: [Errno 28] No space left on device", "No space"),
        ("SyntaxError", "otherwise"),
    ],
)
def test_a_failed_installation_is_explained(output: str, words: str) -> None:
    assert words in str(setup.reported(output, "otherwise"))


def test_the_client_is_built_again_when_what_shapes_it_changed(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "chat.py").write_text("a")
    before = client.digest(tmp_path)
    (tmp_path / "assets" / "locales").mkdir(parents=True)
    (tmp_path / "assets" / "locales" / "en.json").write_text("generated")
    (tmp_path / "agenticos_app" / "repos").mkdir(parents=True)
    (tmp_path / "agenticos_app" / "repos" / "runs.py").write_text("not in the browser")
    assert client.digest(tmp_path) == before
    (tmp_path / "state" / "chat.py").write_text("b")
    assert client.digest(tmp_path) != before


def _migration(folder: Path, name: str, before: str | None) -> None:
    (folder / f"{name}.py").write_text(f'revision: str = "{name}"\ndown_revision: str | None = {before!r}\n')


def test_the_last_revision_is_found_and_must_be_one(tmp_path: Path) -> None:
    _migration(tmp_path, "a1", None)
    _migration(tmp_path, "b2", "a1")
    assert migrations.revisions(tmp_path) == ({"a1", "b2"}, "b2")
    _migration(tmp_path, "c3", "a1")
    with pytest.raises(Refusal, match="2 revisions"):
        migrations.revisions(tmp_path)


def test_the_set_up_link_of_each_start_waits_for_nothing_that_only_runs_need() -> None:
    heavy = "[name for name in ('pydantic_ai', 'reflex', 'fastapi') if name in sys.modules]"
    asked = f"import sys, agenticos_app.cli.set_up; print({heavy})"
    done = programs.run([sys.executable, "-c", asked], cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_a_server_keeps_its_bytecode_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    env = serve.server_environment(Settings(), "postgresql+psycopg:///x")
    asked = "import sys; print(sys.dont_write_bytecode)"
    assert programs.run([sys.executable, "-c", asked], cwd=ROOT, env=env).stdout.strip() == "False"


def test_a_built_page_asks_for_its_scripts_after_what_can_be_read(tmp_path: Path) -> None:
    page = tmp_path / "chat" / "index.html"
    page.parent.mkdir()
    page.write_text('<link rel="modulepreload" href="/assets/a.js"/><link rel="stylesheet" href="/a.css"/>')
    ScriptsAfterPaint().post_build(static_dir=tmp_path)
    assert '<link rel="modulepreload" fetchpriority="low" href="/assets/a.js"/>' in page.read_text()
    assert '<link rel="stylesheet" href="/a.css"/>' in page.read_text()


def test_no_model_server_is_no_problem() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        assert local_models({"Ollama": nobody.getsockname()[1]}) == []
