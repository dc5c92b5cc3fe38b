"""From a folder to a page: everything that `agenticos run` starts, in order, and its end."""

import base64
import contextlib
import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from agenticos_app.ops import client, instance, migrations, programs
from agenticos_app.ops.place import ROOT, usable
from agenticos_app.ops.postgres import NEEDED_MB, ask, database_of
from agenticos_app.ops.report import Refusal, say, step
from agenticos_app.ops.signals import Stopping, caught, checkpoint, in_a_hurry
from agenticos_app.settings import Settings

GOODBYE = signal.SIGWINCH
"""Sent to all processes of the server just before SIGTERM."""

TARGET = "agenticos_app.server:serve"
KEY_BYTES = 32

DRAIN_S = 40
"""The server's own 30 seconds for running work, and some to say goodbye."""

_READY_WITHIN_S = 120


def run(settings: Settings) -> int:
    """Serve until somebody asks to stop; return the exit code.

    Raises:
        Refusal: Something that a start needs is missing.
    """
    with caught():
        try:
            return _run(settings)
        except Stopping:
            say("Stopped.")
            return 0


def check(settings: Settings) -> None:
    """See that the settings go together.

    Raises:
        Refusal: They do not.
    """
    if settings.server_processes > 1 and settings.redis_url is None:
        raise Refusal(
            f"SERVER_PROCESSES={settings.server_processes} needs REDIS_URL, through which processes talk; "
            "set it, or SERVER_PROCESSES=1."
        )
    for name, keys in _keys(settings).items():
        if not all(_is_key(key) for key in keys):
            raise Refusal(f"{name} must be 32 bytes in base64, as `openssl rand -base64 32` makes them.")
    if settings.redis_url is not None:
        _require_redis(settings.redis_url.get_secret_value())
    for proxy in filter(None, map(str.strip, settings.trusted_proxies.split(","))):
        try:
            ip_network(proxy, strict=False)
        except ValueError as error:
            raise Refusal(
                f"TRUSTED_PROXIES names {proxy}, which is no address or network; correct it."
            ) from error
    public = urlsplit(settings.public_url or "http://localhost")
    if public.scheme not in ("http", "https") or not public.netloc:
        raise Refusal("PUBLIC_URL must look like https://agents.example.org; correct it.")


def _keys(settings: Settings) -> dict[str, list[str]]:
    """Return the master keys that are set, by the variable that holds them."""
    held = {
        "SECRET_KEY": settings.secret_key,
        "VAULT_MASTER_KEY": settings.vault_master_key,
        "VAULT_OLD_MASTER_KEYS": settings.vault_old_master_keys,
    }
    return {
        name: [key for key in value.get_secret_value().split(",") if key.strip()]
        for name, value in held.items()
        if value is not None
    }


def _is_key(text: str) -> bool:
    try:
        return len(base64.b64decode(text.strip(), validate=True)) == KEY_BYTES
    except ValueError:
        return False


def _require_redis(url: str) -> None:
    from redis import Redis  # a start without Redis does not wait for its library
    from redis.exceptions import RedisError

    try:
        Redis.from_url(url, socket_connect_timeout=3, socket_timeout=3).ping()  # pyright: ignore[reportUnknownMemberType]
    except (RedisError, ValueError) as error:
        raise Refusal(
            "REDIS_URL leads to no Redis that answers; start it, or correct the address."
        ) from error


def address(settings: Settings) -> str:
    """Return what people type to reach the console."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    host = "localhost" if settings.host in ("127.0.0.1", "0.0.0.0", "::", "::1") else settings.host  # noqa: S104
    return f"http://{host}:{settings.port}"


def _run(settings: Settings) -> int:
    check(settings)
    home = settings.agenticos_home.resolve()
    usable(home, needed_mb=NEEDED_MB)
    with instance.only_one(home) as note, contextlib.ExitStack() as held:
        instance.free_port(settings.host, settings.port)
        client.ensure_built()
        with step("starting the database" if settings.database_url is None else "reaching the database"):
            url = held.enter_context(database_of(settings))
            current = migrations.is_current(url)
        if not current:
            with step("migrating the database"):
                migrations.upgrade(url)
        checkpoint()
        with _server(settings, url) as process:
            note(process.pid)
            with step("starting the server"):
                link = _set_up_link(url)  # made beside the server's imports, out of the way of the first page
                wait_until_ready(settings, process)
            say(f"AgenticOS is ready on {address(settings)} (Ctrl-C stops it).")
            if link:
                say(link)
            code = programs.wait(process)
            raise Refusal(f"The server ended by itself (code {code}); what it printed last says why.")
    return 0


def command(settings: Settings, target: str = TARGET) -> list[str | Path]:
    """Return the command of the server."""
    return [
        Path(sys.executable).parent / "granian",
        *("--interface", "asgi", "--factory", "--ws", "--no-access-log", "--log-level", "warning"),
        *("--loop", "uvloop", "--respawn-failed-workers", "--workers-kill-timeout", str(DRAIN_S - 5)),
        *("--host", settings.host, "--port", str(settings.port), "--workers", str(settings.server_processes)),
        target,
    ]


def server_environment(settings: Settings, url: str) -> dict[str, str]:
    """Return the environment in which the server serves the client that is already built."""
    return programs.environment(
        DATABASE_URL=url,
        AGENTICOS_HOME=str(settings.agenticos_home.resolve()),
        __REFLEX_SKIP_COMPILE="true",
        __REFLEX_MOUNT_FRONTEND_COMPILED_APP="true",
        REFLEX_ENV_MODE="prod",
        REFLEX_TELEMETRY_ENABLED="false",
        REFLEX_CHECK_LATEST_VERSION="false",
        PYTHONUNBUFFERED="1",
        PYTHONDONTWRITEBYTECODE="",  # compiling everything again takes longer than the rest of a start
    )


@contextlib.contextmanager
def _server(settings: Settings, url: str) -> Generator[subprocess.Popen[bytes]]:
    process = programs.start(command(settings), cwd=ROOT, env=server_environment(settings, url))
    try:
        yield process
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Let a program end its work; kill what is left of it after a time, or when asked to hurry."""
    with contextlib.suppress(ProcessLookupError):
        # Ignored by whoever does not wait for it; a server's processes end their long answers on it, because
        # only when no answer is open any more does granian tell the application to shut down.
        os.killpg(process.pid, GOODBYE)
    process.terminate()
    deadline = time.monotonic() + DRAIN_S
    told = False
    while process.poll() is None and time.monotonic() < deadline and not in_a_hurry():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
        if not told and time.monotonic() > deadline - DRAIN_S + 1:
            told = True
            say("Waiting for running work to end (Ctrl-C again stops at once) ...")
    programs.kill_group(process)


def wait_until_ready(settings: Settings, process: subprocess.Popen[bytes]) -> None:
    """Return when the server answers.

    Raises:
        Refusal: It ended instead, or takes too long.
    """
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104
    deadline = time.monotonic() + _READY_WITHIN_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Refusal("The server ended while it started; what it printed last says why.")
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(host, settings.port, timeout=1)
            connection.request("GET", "/api/v1/health", headers={"Host": f"localhost:{settings.port}"})
            connection.getresponse().read()
            connection.close()
            return
        checkpoint()
        time.sleep(0.05)  # noqa: TID251
    raise Refusal(f"The server did not answer within {_READY_WITHIN_S} s; what it printed last says why.")


def _set_up_link(url: str) -> str:
    """Return the line with the link that makes the owner's account; empty when there is one already."""
    if ask(url, "SELECT 1 FROM users LIMIT 1"):
        return ""
    asked: Sequence[str] = [sys.executable, "-m", "agenticos_app.cli", "set-up-link", "--quiet"]
    done = programs.run(asked, cwd=ROOT, env=programs.environment(DATABASE_URL=url))
    last = (done.stdout.strip().splitlines() or [""])[-1]
    if done.returncode:
        return f"The set-up link could not be made ({last or 'no reason given'})."
    return last
