"""Saving and bringing back a whole deployment: database, files and keys in one archive."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from agenticos_app.ops import instance, migrations
from agenticos_app.ops.place import explained
from agenticos_app.ops.postgres import ask, client_environment, database_of, tool
from agenticos_app.ops.report import Refusal, say, step
from agenticos_app.settings import Settings

FORMAT = 1
_MANIFEST = "manifest.json"
_DATABASE = "database.sql"
_HOME = "home"
_NOT_SAVED = {"postgres", "running.json"}
"""What a start makes anew, or what the dump holds already."""


def backup(settings: Settings, archive: Path) -> None:
    """Write everything into a new archive that only its owner may read; the server may run meanwhile.

    Raises:
        Refusal: It could not be written, or the database does not answer.
    """
    if archive.exists():
        raise Refusal(f"{archive} exists already; choose another name.")
    home = settings.agenticos_home.resolve()
    unfinished = archive.with_name(f"{archive.name}.part")
    try:
        with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".agenticos-") as folder:
            dump = Path(folder) / _DATABASE
            with step("saving the database"), database_of(settings) as url:
                revision = _dump(url, dump)
            with step("saving files and keys"):
                _pack(unfinished, home, dump, revision)
        unfinished.replace(archive)
    except OSError as error:
        raise explained(error, archive.parent) from error
    finally:
        unfinished.unlink(missing_ok=True)
    say(
        f"Saved to {archive} ({archive.stat().st_size / 1e6:.1f} MB). It holds keys: keep it as safe as them."
    )


def restore(settings: Settings, archive: Path, *, force: bool) -> None:
    """Bring a deployment back as it was saved.

    Raises:
        Refusal: The archive is not one of ours, something is there already, or the database refuses.
    """
    home = settings.agenticos_home.resolve()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with instance.only_one(home), tempfile.TemporaryDirectory(dir=home, prefix=".restoring-") as folder:
            with step("reading the archive"):
                saved = Path(folder)
                _unpack(archive, saved)
            with database_of(settings) as url:
                if not force and (_kept(home) or _tables(url)):
                    raise Refusal(
                        f"There are data under {home} or in its database; add --force to replace them."
                    )
                with step("restoring the database"):
                    _load(url, saved / _DATABASE)
            with step("restoring files and keys"):
                _put_back(saved / _HOME, home)
    except OSError as error:
        raise explained(error, home) from error
    say("Restored. The next start migrates the database when this release is newer.")


def _dump(url: str, target: Path) -> str:
    revision = migrations.revision_of(url)
    if not revision:
        raise Refusal("The database has no tables yet: there is nothing to save.")
    done = subprocess.run(
        [tool("pg_dump"), "--no-owner", "--no-privileges", "--no-password", f"--file={target}"],
        env=client_environment(url), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "server version mismatch" in done.stderr:
        raise Refusal(
            "The database server is newer than this release's pg_dump; save it with the server's own."
        )
    if done.returncode:
        raise Refusal(f"The database could not be saved ({_last(done.stderr)}).")
    return revision


def _pack(target: Path, home: Path, dump: Path, revision: str) -> None:
    manifest = dump.with_name(_MANIFEST)
    manifest.write_text(
        json.dumps({"format": FORMAT, "revision": revision, "saved_at": datetime.now(UTC).isoformat()})
    )
    descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with (
        os.fdopen(descriptor, "wb") as raw,
        tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as packed,
    ):
        packed.add(manifest, _MANIFEST)
        packed.add(dump, _DATABASE)
        for path in _kept(home):
            packed.add(path, f"{_HOME}/{path.name}")


def _kept(home: Path) -> list[Path]:
    """Return what of the home belongs into an archive."""
    if not home.exists():
        return []
    return sorted(
        path for path in home.iterdir() if path.name not in _NOT_SAVED and not path.name.startswith(".")
    )


def _unpack(archive: Path, target: Path) -> None:
    """Write the archive's plain files below `target`, with their modes, and nothing else."""
    try:
        with tarfile.open(archive, "r:gz") as packed:
            for member in packed:
                name = PurePosixPath(member.name)
                if name.is_absolute() or ".." in name.parts or not (member.isfile() or member.isdir()):
                    raise Refusal(
                        f"{archive} holds an entry that no backup has ({member.name}); it is not used."
                    )
                path = target / name
                content = packed.extractfile(member)
                (path if content is None else path.parent).mkdir(parents=True, exist_ok=True)
                if content is not None:
                    with path.open("xb") as written:
                        shutil.copyfileobj(content, written)
                    path.chmod(member.mode & 0o700)
        manifest = json.loads((target / _MANIFEST).read_text())
        if manifest["format"] != FORMAT:
            raise Refusal(f"{archive} was made by a newer release; restore it with that one.")
        known, _ = migrations.revisions()
        if manifest["revision"] not in known or not (target / _DATABASE).is_file():
            raise Refusal(f"{archive} holds a database that this release does not know; use a newer one.")
    except FileNotFoundError as error:
        raise Refusal(f"{archive} does not exist, or is not a backup.") from error
    except (tarfile.TarError, EOFError, ValueError, KeyError) as error:
        raise Refusal(f"{archive} is not a whole backup; use another one.") from error


def _tables(url: str) -> bool:
    return ask(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") != "0"


def _load(url: str, dump: Path) -> None:
    """Replace the schema by the saved one, all or nothing."""
    renewed = dump.with_suffix(".loaded.sql")
    old_server = int(ask(url, "SHOW server_version_num")) < 170000
    with dump.open() as lines, renewed.open("w") as target:
        target.write("DROP SCHEMA public CASCADE;\nCREATE SCHEMA public;\n")
        # Said by pg_dump to every server, understood from 17 on.
        target.writelines(
            line for line in lines if not (old_server and line.startswith("SET transaction_timeout"))
        )
    done = subprocess.run(
        [tool("psql"), "--no-psqlrc", "--no-password", "--quiet", "--single-transaction",
         "--set=ON_ERROR_STOP=1", f"--file={renewed}"],
        env=client_environment(url), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Refusal(f"The database could not be restored, and is as it was ({_last(done.stderr)}).")


def _put_back(saved: Path, home: Path) -> None:
    for path in _kept(home):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    if saved.exists():
        for path in saved.iterdir():
            shutil.move(path, home / path.name)


def _last(output: str) -> str:
    return (output.strip().splitlines() or ["no reason given"])[-1]
