"""Other programs: started away from the terminal's signals, and stopped with everything they started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from agenticos_app.ops.signals import checkpoint

_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""


def environment(*, first_on_path: Sequence[Path] = (), **changes: str) -> dict[str, str]:
    """Return the environment that a program inherits, with changes; no setting is read from it here."""
    inherited = {**os.environ}  # noqa: TID251
    path = os.pathsep.join([*map(str, first_on_path), inherited.get("PATH", os.defpath)])
    return {**inherited, "PATH": path, **changes}


def _die_with_parent() -> None:
    """Ask Linux for a SIGTERM when the starter is killed; elsewhere the next start cleans up."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM)


def start(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    output: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, so that Ctrl-C reaches only us."""
    return subprocess.Popen(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        start_new_session=True,
        preexec_fn=_die_with_parent,
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a program and everything that it started, at once."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait(process: subprocess.Popen[bytes]) -> int:
    """Return a program's exit code when it ends."""
    while (code := process.poll()) is None:
        checkpoint()
        time.sleep(0.2)  # noqa: TID251
    return code


def run(
    command: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return what it printed; when we are stopped, it is too."""
    process = start(command, cwd=cwd, env=env, output=subprocess.PIPE)
    output: bytes | None = None
    try:
        while output is None:
            checkpoint()
            with contextlib.suppress(subprocess.TimeoutExpired):
                output, _ = process.communicate(timeout=0.1)
    except BaseException:
        kill_group(process)
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, output.decode(errors="replace"))
