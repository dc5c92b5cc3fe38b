"""What the command line does for the vault: an old database is taken over, a master key is replaced."""

import asyncio
import base64
import json
import os
from collections.abc import Generator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from alembic import command
from alembic.config import Config
from pydantic import SecretStr

from agenticos_app.cli import platform
from agenticos_app.contracts.secrets import payload_of
from agenticos_app.ops import doctor, migrations, serve
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import ask, embedded_postgres
from agenticos_app.ops.report import Refusal
from agenticos_app.security.seal import KEY_BYTES, Place, Sealer
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.unit.security.test_seal import first_format

ORGANIZATION, OLD, NEW = uuid4(), os.urandom(KEY_BYTES), os.urandom(KEY_BYTES)
VALUE = "sk-of-the-first-release"


def text(key: bytes) -> SecretStr:
    return SecretStr(base64.b64encode(key).decode())


@pytest.fixture
def old(tmp_path: Path) -> Generator[Settings]:
    """Give a deployment of the release before the vault, with one stored key."""
    with embedded_postgres(tmp_path) as url:
        config = Config(ROOT / "alembic.ini")
        config.attributes["url"] = url
        command.upgrade(config, "0001")
        sealed = first_format(OLD, VALUE.encode(), ORGANIZATION.bytes + b"model_key").hex()
        ask(
            url,
            "INSERT INTO organizations (id, created_at, name, slug, is_personal)"
            f" VALUES ('{ORGANIZATION}', now(), 'Harbor', 'harbor', false)",
        )
        ask(
            url,
            "INSERT INTO secrets (id, created_at, organization_id, name, kind, sealed, key_version,"
            f" last_four) VALUES ('{uuid4()}', now(), '{ORGANIZATION}', 'sea-1', 'model_key',"
            f" '\\x{sealed}', 1, 'ease')",
        )
        yield Settings(
            database_url=SecretStr(url), agenticos_home=tmp_path, secret_key=text(OLD), redis_url=None
        )


def url_of(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


def stored(settings: Settings) -> tuple[bytes, str]:
    row = ask(url_of(settings), "SELECT json_build_array(encode(sealed, 'hex'), kind) FROM secrets")
    sealed, kind = json.loads(row)
    return bytes.fromhex(sealed), kind


def opened(settings: Settings, *keys: bytes) -> str:
    sealed, kind = stored(settings)
    payload = payload_of(Sealer(*keys).open(sealed, Place("organization", UUID(str(ORGANIZATION)), kind)))
    return str(payload.model_dump()["api_key"].get_secret_value())


@pytest.mark.req("DOM-SECRET-03", "DOM-SECRET-16")
def test_an_old_database_is_taken_over_and_its_master_key_replaced(
    old: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    migrations.upgrade(url_of(old))
    told = ask(url_of(old), "SELECT name || hint || kind || purpose || visibility FROM secrets")
    assert told == "sea-1easeapi_keyopenaiorg"

    async def start() -> None:
        async with open_platform(old, hosts_runs=False):
            pass

    asyncio.run(start())
    assert opened(old, OLD) == VALUE
    assert "(SECRET_KEY), stored secrets open" in doctor.vault(old).text
    renewed = old.model_copy(update={"vault_master_key": text(NEW)})
    assert platform.vault_rewrap(renewed) == 0
    assert "1 secrets were put under" in capsys.readouterr().out
    assert opened(old, NEW) == VALUE
    assert platform.vault_rewrap(renewed) == 0
    assert "0 secrets were put under" in capsys.readouterr().out
    assert "(VAULT_MASTER_KEY), stored secrets open" in doctor.vault(renewed).text
    with pytest.raises(Refusal, match="do not open"):
        doctor.vault(old)
    with pytest.raises(Refusal, match="open with none of the keys"):
        platform.vault_rewrap(old)
    assert opened(old, NEW) == VALUE
    entry = ask(
        url_of(old), "SELECT count(*) || coalesce(max(actor_user_id::text), ' nobody') FROM audit_entries"
    )
    assert entry == "1 nobody"


@pytest.mark.req("DOM-SECRET-03", "DOM-SECRET-16")
def test_a_key_that_comes_from_nowhere_is_told(old: Settings) -> None:
    migrations.upgrade(url_of(old))
    bare = old.model_copy(update={"secret_key": None})
    assert doctor.vault(bare).mark == "--"
    ask(url_of(old), "UPDATE secrets SET key_version = 77")
    with pytest.raises(Refusal, match=r"secret\.key is gone"):
        doctor.vault(bare)
    for name in ("secret_key", "vault_master_key", "vault_old_master_keys"):
        for wrong in ("short", "changeme,changeme", base64.b64encode(b"k" * 31).decode()):
            settings = old.model_copy(update={name: SecretStr(wrong)})
            with pytest.raises(Refusal, match=name.upper()):
                serve.check(settings)
            with pytest.raises(Refusal, match="32 bytes"):
                doctor.vault(settings)
