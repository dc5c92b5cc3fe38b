"""What was saved comes back; what is there is not lost by accident."""

import io
import tarfile
from pathlib import Path

import pytest

from agenticos_app.ops import migrations
from agenticos_app.ops.backup import backup, restore
from agenticos_app.ops.postgres import ask, embedded_postgres
from agenticos_app.ops.report import Refusal
from agenticos_app.settings import Settings


def _settings(home: Path) -> Settings:
    return Settings().model_copy(update={"agenticos_home": home, "database_url": None})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A deployment with a row, a file and a key."""
    home = tmp_path / "home"
    with embedded_postgres(home) as url:
        ask(url, "CREATE TABLE alembic_version (version_num text)")
        ask(url, f"INSERT INTO alembic_version VALUES ('{migrations.revisions()[1]}')")
        ask(url, "CREATE TABLE kept AS SELECT 'one' AS word")
    (home / "files" / "ab").mkdir(parents=True)
    (home / "files" / "ab" / "cd").write_bytes(b"\x00attached")
    (home / "secret.key").write_text("k")
    (home / "secret.key").chmod(0o600)
    return home


def _word(home: Path) -> str:
    with embedded_postgres(home) as url:
        return ask(url, "SELECT word FROM kept")


def test_everything_comes_back_elsewhere(home: Path, tmp_path: Path) -> None:
    archive = tmp_path / "saved.tar.gz"
    backup(_settings(home), archive)
    assert archive.stat().st_mode & 0o077 == 0
    elsewhere = tmp_path / "elsewhere"
    restore(_settings(elsewhere), archive, force=False)
    assert _word(elsewhere) == "one"
    assert (elsewhere / "files" / "ab" / "cd").read_bytes() == b"\x00attached"
    assert (elsewhere / "secret.key").stat().st_mode & 0o777 == 0o600


def test_a_used_folder_is_only_replaced_on_demand(home: Path, tmp_path: Path) -> None:
    archive = tmp_path / "saved.tar.gz"
    backup(_settings(home), archive)
    with embedded_postgres(home) as url:
        ask(url, "UPDATE kept SET word = 'two'")
    (home / "files" / "new").write_text("later")
    with pytest.raises(Refusal, match="--force"):
        restore(_settings(home), archive, force=False)
    assert _word(home) == "two"
    restore(_settings(home), archive, force=True)
    assert _word(home) == "one"
    assert not (home / "files" / "new").exists()


def test_nothing_is_overwritten_by_a_backup(home: Path, tmp_path: Path) -> None:
    archive = tmp_path / "saved.tar.gz"
    archive.write_text("older")
    with pytest.raises(Refusal, match="exists already"):
        backup(_settings(home), archive)


def test_an_empty_deployment_has_nothing_to_save(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="nothing to save"):
        backup(_settings(tmp_path / "home"), tmp_path / "saved.tar.gz")
    assert list(tmp_path.glob("saved*")) == []


def test_a_cut_off_archive_changes_nothing(home: Path, tmp_path: Path) -> None:
    archive = tmp_path / "saved.tar.gz"
    backup(_settings(home), archive)
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(Refusal, match="not a whole backup"):
        restore(_settings(home), archive, force=True)
    assert _word(home) == "one"


@pytest.mark.parametrize("name", ["../outside", "/outside", "home/../../outside"])
def test_an_archive_cannot_write_elsewhere(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "bad.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        member = tarfile.TarInfo(name)
        member.size = 1
        packed.addfile(member, io.BytesIO(b"x"))
    with pytest.raises(Refusal, match="no backup has"):
        restore(_settings(tmp_path / "home"), archive, force=False)
    assert not (tmp_path / "outside").exists()


def test_an_archive_cannot_bring_links(tmp_path: Path) -> None:
    archive = tmp_path / "bad.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        member = tarfile.TarInfo("home/link")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(member)
    with pytest.raises(Refusal, match="no backup has"):
        restore(_settings(tmp_path / "home"), archive, force=False)
