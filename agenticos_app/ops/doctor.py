"""Looks at everything that a start needs, one line each, with the fix beside what is wrong."""

import base64
import json
import shutil
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from pydantic import SecretStr

from agenticos_app.ops import browser, client, instance, migrations, programs, serve, setup
from agenticos_app.ops.place import ROOT, usable
from agenticos_app.ops.postgres import NEEDED_MB, ask, database_of
from agenticos_app.ops.report import Refusal, say
from agenticos_app.security.seal import Place, Unsealable, sealer_of
from agenticos_app.settings import Settings

_OLDEST_SERVER = 15
MODEL_SERVERS = {"Ollama": 11434, "LM Studio": 1234, "llama.cpp": 8080}
"""Where local servers with OpenAI's interface listen unless told otherwise."""


@dataclass(frozen=True)
class Finding:
    """What one look found."""

    mark: str
    text: str


def good(text: str) -> Finding:
    """Return a finding that needs nothing."""
    return Finding("ok", text)


def note(text: str) -> Finding:
    """Return a finding that a start can do without."""
    return Finding("--", text)


def doctor(settings: Settings) -> int:
    """Print all findings; return 1 when a start would fail."""
    broken = 0
    looks: list[Callable[[Settings], Finding]] = [
        _python, _folder, _settings, _port, _node, _client, _database, vault, _redis, _chromium, _models
    ]  # fmt: skip
    for look in looks:
        try:
            found = look(settings)
        except Refusal as refusal:
            found = Finding("!!", str(refusal))
            broken += 1
        say(f"{found.mark}  {found.text}")
    say("Nothing is in the way of a start." if not broken else f"{broken} of these must be put right first.")
    return min(broken, 1)


def _python(_settings: Settings) -> Finding:
    if not setup.is_prepared("run"):
        raise Refusal("The packages in .venv are not those of requirements.txt; run `make run`.")
    return good(f"Python {sys.version.split()[0]} with the pinned packages")


def _folder(settings: Settings) -> Finding:
    home = settings.agenticos_home.resolve()
    usable(home, needed_mb=NEEDED_MB)
    return good(f"{home} is writable, {shutil.disk_usage(home).free / 1e9:.1f} GB are free")


def _settings(settings: Settings) -> Finding:
    serve.check(settings)
    return good(f"{settings.server_processes} server process(es)")


def _port(settings: Settings) -> Finding:
    if instance.is_running(settings.agenticos_home.resolve()):
        return good(f"AgenticOS runs on port {settings.port}")
    instance.free_port(settings.host, settings.port)
    return good(f"Port {settings.port} is free")


def _node(_settings: Settings) -> Finding:
    try:
        asked = programs.run([setup.NODE / "node", "--version"], cwd=ROOT)
    except OSError as error:
        raise Refusal("Node is not set up; remove .venv and run `make run`.") from error
    if asked.returncode:
        raise Refusal("Node does not run on this machine; it needs glibc 2.28 or newer.")
    return good(f"Node {asked.stdout.strip()}")


def _client(_settings: Settings) -> Finding:
    if client.is_current():
        return good("The pages are built")
    return note("The pages are not built for these sources; `make run` does it (about a minute)")


def _database(settings: Settings) -> Finding:
    with database_of(settings) as url:
        version = ask(url, "SHOW server_version")
        if int(version.split(".")[0]) < _OLDEST_SERVER:
            raise Refusal(f"PostgreSQL {version} is too old; {_OLDEST_SERVER} or newer is needed.")
        current = migrations.is_current(url)
    kind = "embedded" if settings.database_url is None else "configured"
    if not current:
        return note(
            f"PostgreSQL {version} ({kind}) answers; `agenticos migrate` or the next start migrates it"
        )
    return good(f"PostgreSQL {version} ({kind}) answers and is migrated")


_SAMPLES = (
    "SELECT json_agg(json_build_array(organization_id, kind, encode(sealed, 'base64'))) FROM"
    " (SELECT DISTINCT ON (key_version) * FROM secrets WHERE key_version > 1 ORDER BY key_version, id) AS one"
)
"""One stored secret for each master key that sealed any; the next start seals those of version 1 anew."""


def vault(settings: Settings) -> Finding:
    """See that the vault has its master key and that what is stored opens with it."""
    configured = settings.vault_master_key or settings.secret_key
    file = settings.agenticos_home / "secret.key"
    name = "VAULT_MASTER_KEY" if settings.vault_master_key else "SECRET_KEY" if configured else str(file)
    with database_of(settings) as url:
        stored = json.loads(ask(url, _SAMPLES) or "null") if migrations.is_current(url) else None
    if configured is None and not file.exists():
        if stored:
            raise Refusal(f"{file} is gone, and secrets were sealed with it; bring it back from a backup.")
        return note("The vault has no master key yet; the first start makes one")
    older = settings.vault_old_master_keys
    try:
        sealer = sealer_of(
            vault_master_key=_value(settings.vault_master_key),
            older=[key for key in (_value(older) or "").split(",") if key.strip()],
            secret_key=_value(settings.secret_key),
            folder=settings.agenticos_home,
        )
    except ValueError as error:
        raise Refusal(
            f"{name} must hold 32 bytes in base64; `openssl rand -base64 32` makes them."
        ) from error
    for organization_id, kind, sealed in stored or ():
        try:
            sealer.open(base64.b64decode(sealed), Place("organization", UUID(organization_id), kind))
        except Unsealable as error:
            raise Refusal(
                "Stored secrets do not open with the keys that are set; add the key that sealed them to "
                "VAULT_OLD_MASTER_KEYS."
            ) from error
    return good(
        f"The vault's master key is set ({name})" + (", stored secrets open with it" if stored else "")
    )


def _value(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def _redis(settings: Settings) -> Finding:
    if settings.redis_url is None:
        return note("No REDIS_URL: events stay in the one server process")
    from redis import Redis, RedisError

    try:
        # The library's own types do not say what these two return.
        redis = cast("Any", Redis).from_url(settings.redis_url.get_secret_value(), socket_timeout=5)
        version = str(redis.info("server")["redis_version"])
        redis.close()
    except (RedisError, ValueError) as error:
        raise Refusal("Redis does not answer; check REDIS_URL.") from error
    return good(f"Redis {version} answers")


def _chromium(_settings: Settings) -> Finding:
    found = browser.find()
    return (
        good(f"Chromium for the tests: {found}") if found else note("No Chromium: `make test` installs one")
    )


def _models(_settings: Settings) -> Finding:
    found = [
        f"{name} at {base} ({', '.join(models) or 'no models'})" for name, base, models in local_models()
    ]
    if not found:
        return note("No local model server; the practice model works without one")
    return good(f"Local model server: {'; '.join(found)}")


def local_models(servers: dict[str, int] = MODEL_SERVERS) -> list[tuple[str, str, list[str]]]:
    """Return name, base URL and models of the servers with OpenAI's interface on this machine."""
    found: list[tuple[str, str, list[str]]] = []
    for name, port in servers.items():
        base = f"http://127.0.0.1:{port}/v1"
        try:
            with urllib.request.urlopen(f"{base}/models", timeout=2) as answer:  # noqa: S310
                listed = json.loads(answer.read(1_000_000))["data"]
                found.append((name, base, [str(model["id"]) for model in listed][:5]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found
