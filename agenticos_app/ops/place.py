"""Where things are: the project's folder, the folder of the data, and whether they can be used."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from agenticos_app.ops.report import Refusal
from agenticos_app.ops.signals import checkpoint

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"

_MEGABYTE = 1_000_000


def explained(error: OSError, folder: Path) -> Refusal:
    """Return the sentence for a folder that could not be written to."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refusal(f"No space is left for {folder}; free some, or choose another disk.")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return Refusal(
            f"{folder} cannot be written to; make it writable for this user, or choose another folder."
        )
    return Refusal(f"{folder} cannot be used ({os.strerror(error.errno or 0)}); choose another folder.")


def usable(folder: Path, *, needed_mb: int) -> None:
    """Make the folder and see that something of this size can be written there.

    Raises:
        Refusal: It cannot; the sentence says why.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * 4096)
    except OSError as error:
        raise explained(error, folder) from error
    free = shutil.disk_usage(folder).free // _MEGABYTE
    if free < needed_mb:
        raise Refusal(
            f"{folder} has {free} MB of free space and {needed_mb} MB are needed; "
            "free some, or choose another disk."
        )


@contextlib.contextmanager
def alone(path: Path) -> Generator[None]:
    """Wait until no other process holds the file; the lock ends with this process, however it ends."""
    with path.open() as handle:
        while not _is_locked(handle.fileno()):
            checkpoint()
            time.sleep(0.05)  # noqa: TID251
        yield


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
