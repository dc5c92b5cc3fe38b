"""A new master key takes over batch by batch, and what an earlier release sealed is not lost."""

import base64
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from agenticos_app.bus import bus
from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.db import session as db
from agenticos_app.errors import KeyUnavailable
from agenticos_app.kernel.ids import new_id
from agenticos_app.schemas.secrets import SecretCreate
from agenticos_app.security.seal import KEY_BYTES, Sealer, deployment_key
from agenticos_app.services import deployment, secrets
from agenticos_app.services.work import system_work
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.unit.security.test_seal import first_format
from tests.world import House, acting_as, build_house

NEW = os.urandom(KEY_BYTES)


@pytest.fixture
async def house(console: Settings) -> AsyncGenerator[House]:
    """Give a house whose secrets are the only ones there are."""
    async with system_work() as tx:
        await tx.session.execute(text("DELETE FROM secrets"))
    yield await build_house("Harbor Supply", roles=())
    async with system_work() as tx:
        await tx.session.execute(text("DELETE FROM secrets"))


def old_key(console: Settings) -> bytes:
    return deployment_key(None, console.agenticos_home)


async def add(house: House, count: int) -> list[UUID]:
    made: list[UUID] = []
    for n in range(count):
        body = SecretCreate(name=f"Key {n}", purpose="openai", value=ApiKey(api_key=SecretStr(f"sk-{n}")))
        async with acting_as(house.owner) as tx:
            made.append((await secrets.create(tx, body)).id)
    return made


async def opened(house: House, secret_id: UUID) -> str:
    async with acting_as(house.owner) as tx:
        payload = await secrets.opened(tx, secret_id, purpose="openai")
    assert isinstance(payload, ApiKey)
    return payload.api_key.get_secret_value()


@asynccontextmanager
async def keys(*masters: bytes) -> AsyncGenerator[None]:
    """Follow other master keys for a while."""
    before = deployment.current()
    deployment.use(replace(before, sealer=Sealer(*masters)))
    yield
    deployment.use(before)


@asynccontextmanager
async def started(settings: Settings) -> AsyncGenerator[None]:
    """Start another process's platform in this one, and go back to the first."""
    before = db.current(), bus.current(), deployment.current()
    async with open_platform(settings, hosts_runs=False):
        yield
    db.use(before[0])
    bus.use(before[1])
    deployment.use(before[2])


async def scalar(query: str, **values: Any) -> Any:
    async with system_work() as tx:
        return (await tx.session.execute(text(query), values)).scalar_one()


@pytest.mark.req("DOM-SECRET-03")
async def test_rewrapping_goes_on_where_it_was_interrupted(
    console: Settings, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secrets, "BATCH", 3)
    ids, old = await add(house, 7), old_key(console)
    async with keys(NEW, old):
        async with system_work() as tx:
            first = await secrets.rewrap(tx)
        assert (first.done, first.unreadable, first.last) == (3, 0, sorted(ids)[2])
        left, batches = 4, []
        while left:
            async with system_work() as tx:
                batches.append((await secrets.rewrap(tx)).done)
            left -= batches[-1]
        assert batches == [3, 1]
        async with system_work() as tx:
            assert await secrets.rewrap(tx) == secrets.Rewrapped(0, 0, None)
    async with keys(NEW):
        assert sorted([await opened(house, one) for one in ids]) == [f"sk-{n}" for n in range(7)]
    with pytest.raises(KeyUnavailable):
        await opened(house, ids[0])
    counted = "SELECT sum((details->>'secrets')::int) FROM audit_entries WHERE action = 'vault.rewrapped'"
    assert await scalar(counted) == 7


@pytest.mark.req("DOM-SECRET-03")
async def test_a_secret_that_does_not_open_is_counted_and_left_alone(house: House) -> None:
    ids = await add(house, 2)
    before = await scalar("SELECT sealed FROM secrets WHERE id = :id", id=ids[0])
    async with keys(NEW), system_work() as tx:
        assert await secrets.rewrap(tx) == secrets.Rewrapped(0, 2, None)
    assert await scalar("SELECT sealed FROM secrets WHERE id = :id", id=ids[0]) == before
    assert await opened(house, ids[0]) == "sk-0"


async def old_row(house: House, key: bytes, name: str) -> UUID:
    """Store a key as the release before the vault did."""
    secret_id = new_id()
    async with system_work() as tx:
        await tx.session.execute(
            text(
                "INSERT INTO secrets (id, created_at, organization_id, name, description, kind, purpose,"
                " visibility, sealed, key_version, hint) VALUES (:id, now(), :organization, :name, '',"
                " 'api_key', 'openai', 'org', :sealed, 1, '')"
            ),
            {
                "id": secret_id,
                "organization": house.id,
                "name": name,
                "sealed": first_format(key, b"sk-of-the-first-release", house.id.bytes + b"model_key"),
            },
        )
    return secret_id


@pytest.mark.req("DOM-SECRET-03")
async def test_a_start_seals_the_keys_of_the_first_release_anew(console: Settings, house: House) -> None:
    good = await old_row(house, old_key(console), "Old key")
    lost = await old_row(house, NEW, "Of another deployment")
    with pytest.raises(KeyUnavailable):
        await opened(house, good)
    async with started(console):
        assert await opened(house, good) == "sk-of-the-first-release"
        with pytest.raises(KeyUnavailable):
            await opened(house, lost)
    hint = "SELECT hint || ' ' || (key_version > 1) FROM secrets WHERE id = :id"
    assert await scalar(hint, id=good) == "ease true"
    assert await scalar("SELECT key_version FROM secrets WHERE id = :id", id=lost) == 1


@pytest.mark.req("DOM-SECRET-03")
async def test_a_vault_key_that_is_set_later_reads_what_the_deployments_key_sealed(
    console: Settings, house: House, tmp_path: Path
) -> None:
    ids = await add(house, 1)
    later = console.model_copy(
        update={
            "vault_master_key": SecretStr(base64.b64encode(NEW).decode()),
            "vault_old_master_keys": SecretStr(f" {base64.b64encode(os.urandom(32)).decode()} , "),
        }
    )
    async with started(later):
        assert await opened(house, ids[0]) == "sk-0"
        assert deployment.current().sealer.version == Sealer(NEW).version
    assert tmp_path == console.agenticos_home
