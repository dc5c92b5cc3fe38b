"""One `agenticos run` per AGENTICOS_HOME, and what a killed one left behind."""

import contextlib
import fcntl
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Generator
from pathlib import Path

from agenticos_app.ops.place import VENV, explained
from agenticos_app.ops.report import Refusal, say


@contextlib.contextmanager
def only_one(home: Path) -> Generator[Callable[[int], None]]:
    """Hold the folder; give a function that notes the process group of the server for the next start.

    Raises:
        Refusal: Another one holds it.
    """
    try:
        record = (home / "running.json").open("a+")
    except OSError as error:
        raise explained(error, home) from error
    with record:
        try:
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refusal(
                f"AgenticOS already runs on {home} (process {_read(record.name).get('pid', 'unknown')}); "
                "stop it first, or set AGENTICOS_HOME to another folder."
            ) from error
        if (group := _read(record.name).get("server")) is not None:
            end_leftover(group)

        def note(**values: int) -> None:
            Path(record.name).write_text(json.dumps({"pid": os.getpid(), **values}))

        note()
        yield lambda server: note(server=server)
        note()


def is_running(home: Path) -> bool:
    """Tell whether an `agenticos run` holds the folder."""
    try:
        with (home / "running.json").open() as record:
            fcntl.flock(record, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _read(name: str) -> dict[str, int]:
    try:
        return json.loads(Path(name).read_text())
    except (OSError, ValueError):
        return {}


def end_leftover(group: int) -> None:
    """Kill the server of a command that was killed, if it is still there and really is one."""
    if not (members := _members(group)):
        return
    say(f"  A server left over from a kill is ended (processes {', '.join(map(str, members))}).")
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    while _members(group):
        time.sleep(0.02)  # noqa: TID251


def _members(group: int) -> list[int]:
    """Return the processes of the group that run the Python of this project."""
    ours: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            alive = fields[0] not in "ZX" and int(fields[2]) == group
            if alive and str(VENV).encode() in (entry / "cmdline").read_bytes():
                ours.append(int(entry.name))
    return ours


def free_port(host: str, port: int) -> None:
    """See that the port can be listened on.

    Raises:
        Refusal: It cannot.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except PermissionError as error:
        raise Refusal(f"Port {port} needs root; set PORT to one above 1023 in .env.") from error
    except socket.gaierror as error:
        raise Refusal(f"HOST={host} is no address of this machine; correct it in .env.") from error
    except OSError as error:
        raise Refusal(
            f"Port {port} is taken; stop what uses it, or choose another one: `PORT={port + 1} make run`."
        ) from error
