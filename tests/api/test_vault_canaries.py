"""Twenty planted secrets of every kind go through the vault and appear nowhere."""

import dataclasses
import io
import json
import sys
import tarfile
from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
import structlog
from pydantic import BaseModel, SecretStr, ValidationError
from sqlalchemy import text

from agenticos_app.contracts.secrets import PURPOSES, document_of
from agenticos_app.errors import KeyUnavailable
from agenticos_app.kernel.ids import new_id
from agenticos_app.ops import backup
from agenticos_app.schemas.secrets import SecretCreate, SecretRotate
from agenticos_app.security.seal import Sealer
from agenticos_app.services import deployment, secrets
from agenticos_app.services.work import system_work
from agenticos_app.settings import Settings
from state.add_secret import AddSecretState
from state.notices import notice_of
from state.vault import VaultState
from tests.fakes.reflex_state import page_state
from tests.world import Person, acting_as, api_of, build_house

pytestmark = pytest.mark.usefixtures("console")


def canary(n: int) -> str:
    return f"canary{n:02d}-{new_id().hex}-value"


def account(secret: str) -> str:
    return json.dumps(
        {
            "type": "service_account",
            "project_id": "harbor",
            "client_email": "reader@harbor.example",
            "private_key": secret,
        }
    )


def value(kind: str, *planted: str) -> dict[str, str]:
    """Return a value of a kind with planted secrets in each secret field."""
    first, second, third = (*planted, planted[0], planted[0])[:3]
    fields = {
        "api_key": {"api_key": first},
        "azure_openai": {
            "api_key": first,
            "endpoint": "https://x.openai.azure.com",
            "api_version": "2024-10-21",
        },
        "aws_credentials": {
            "access_key_id": first,
            "secret_access_key": second,
            "region": "eu-central-1",
            "session_token": third,
        },
        "gcp_service_account": {"service_account": account(first)},
        "github_oauth_app": {"client_id": "Iv1.0011223344", "client_secret": first},
        "google_oauth_app": {"client_id": "app.example.org", "client_secret": first},
    }
    return {"kind": kind, **fields[kind]}


THROUGH_THE_API = [
    ("openai", 1), ("azure", 1), ("bedrock", 3), ("google_cloud", 1), ("github_oauth", 1),
    ("google_oauth", 1),
]  # fmt: skip
THROUGH_THE_SCREEN = [
    ("anthropic", 1), ("azure", 1), ("bedrock", 3), ("google_cloud", 1), ("github_oauth", 1),
    ("google_oauth", 1), ("tavily", 1),
]  # fmt: skip


class Planted:
    """Hands out the canaries and collects everything that anybody could see."""

    def __init__(self) -> None:
        self.secrets: list[str] = []
        self.seen: dict[str, list[str]] = {}

    def take(self, count: int = 1) -> list[str]:
        fresh = [canary(len(self.secrets) + n) for n in range(count)]
        self.secrets += fresh
        return fresh

    def see(self, where: str, *shown: object) -> None:
        self.seen.setdefault(where, []).extend(str(one) for one in shown)

    def found(self) -> list[tuple[str, str]]:
        return [
            (where, secret[:8])
            for where, shown in self.seen.items()
            for secret in self.secrets
            for part in (secret, secret[9:30], json.dumps(secret)[1:-1])
            if any(part in one for one in shown)
        ]

    def heard(self, answer: httpx.Response) -> Any:
        self.see("answers", answer.status_code, answer.text, dict(answer.headers))
        return answer.json() if answer.content else None


@pytest.fixture
def logged() -> Generator[io.StringIO]:
    """Collect every log line as production writes it, also of loggers that have written before."""
    lines, before = io.StringIO(), structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=repr)],
        wrapper_class=structlog.make_filtering_bound_logger(0),
        logger_factory=structlog.PrintLoggerFactory(lines),
        cache_logger_on_first_use=False,
    )
    forget_loggers()
    yield lines
    structlog.configure(**before)
    forget_loggers()


def forget_loggers() -> None:
    """Let each module's logger be made anew; structlog keeps the first one on its proxy."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("agenticos_app", "state")) and hasattr(module, "log"):
            getattr(module.log, "__dict__", {}).pop("bind", None)


async def through_the_screen(person: Person, planted: Planted) -> None:
    """Add, replace and fail as a page does, and keep everything that a browser is sent."""
    adding = page_state(AddSecretState, "/vault", cookie=person.cookie)
    page = page_state(VaultState, "/vault", cookie=person.cookie)
    for n, (purpose, count) in enumerate(THROUGH_THE_SCREEN):
        adding.open_for([purpose])
        form = value(PURPOSES[purpose].kind.value, *planted.take(count)) | {"name": f"Screen {n}"}
        await adding.save({**form, "visibility": "nobody"})
        assert adding.problems == {"visibility": "invalid"}
        await adding.save(form)
        assert adding.made, adding.problems
    await page.load()
    (fresh,) = planted.take()
    plain = next(row for row in page.rows if row.purpose == "anthropic")
    await page.ask(str(plain.id), "rotate")
    await page.rotate({"api_key": fresh + "\nżółw"})
    assert page.problems == {"api_key": "invalid"}
    await page.rotate({"api_key": fresh})
    await page.ask(str(page.rows[0].id), "delete")
    await page.delete()
    for state in (adding, page):
        root = state.parent_state
        assert root is not None
        planted.see("page state", json.dumps([root.dict(), root.get_delta()], default=str))


async def through_the_api(api: httpx.AsyncClient, planted: Planted) -> list[str]:
    """Plant, list, read, replace, break and delete; return the ids that are left."""
    ids: list[str] = []
    for n, (purpose, count) in enumerate(THROUGH_THE_API):
        body = {"name": f"Api {n}", "purpose": purpose, "visibility": "org"}
        body_value = value(PURPOSES[purpose].kind.value, *planted.take(count))
        ids.append(planted.heard(await api.post("/api/v1/secrets", json={**body, "value": body_value}))["id"])
        planted.heard(await api.post("/api/v1/secrets", json={**body, "value": body_value}))
        planted.heard(
            await api.post("/api/v1/secrets", json={**body, "purpose": "exa", "value": [body_value]})
        )
    (fresh,) = planted.take()
    planted.heard(await api.put(f"/api/v1/secrets/{ids[0]}/value", json={"value": value("api_key", fresh)}))
    for body in (
        {"value": {"kind": "api_key", "api_key": {"a": fresh}}},
        {"value": {"kind": fresh}},
        {"value": {"kind": "api_key", "api_key": fresh, "other": fresh}},
        {"value": {"kind": "gcp_service_account", "service_account": fresh}},
        {"value": fresh},
    ):
        answer = await api.put(f"/api/v1/secrets/{ids[0]}/value", json=body)
        assert answer.status_code == 422
        planted.heard(answer)
    torn = b'{"value": {"kind": "api_key", "api_key": "' + fresh.encode()
    planted.heard(await api.put(f"/api/v1/secrets/{ids[0]}/value", content=torn))
    for path in ("", *(f"/{one}" for one in ids), f"/{ids[0]}/shares", f"/{ids[0]}/used-by", f"/{fresh}"):
        answer = await api.get(f"/api/v1/secrets{path}")
        if fresh not in path:
            planted.heard(answer)
    planted.heard(await api.delete(f"/api/v1/secrets/{ids.pop()}"))
    return ids


async def opened_and_broken(person: Person, secret_id: str, planted: Planted) -> None:
    """Open as a run does, and see what each failure says."""
    async with acting_as(person) as tx:
        payload = await secrets.opened(tx, UUID(secret_id), purpose="openai")
        row = await secrets.repo.get(tx, UUID(secret_id))
        planted.see("repr", repr(payload), str(payload), payload.model_dump_json(), repr(row), vars(row))
        planted.see("repr", repr(SecretRotate(value=payload)), repr(deployment.current()))
    before = deployment.current()
    deployment.use(dataclasses.replace(before, sealer=Sealer(b"x" * 32)))
    for purpose in ("openai", "exa"):
        with pytest.raises(KeyUnavailable) as failure:
            async with acting_as(person) as tx:
                await secrets.opened(tx, UUID(secret_id), purpose=purpose)
        planted.see("exceptions", repr(failure.value), failure.value.__cause__, failure.value.details)
        planted.see("exceptions", notice_of(failure.value, report="r"))
    deployment.use(before)


@pytest.mark.req("DOM-SECRET-08", "DOM-AUDIT-03")
async def test_twenty_planted_secrets_of_every_kind_appear_nowhere(
    console: Settings,
    logged: io.StringIO,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    planted, house = Planted(), await build_house("Harbor Supply", roles=("viewer",))
    async with api_of(house.owner) as api:
        ids = await through_the_api(api, planted)
    await through_the_screen(house.owner, planted)
    await opened_and_broken(house.owner, ids[0], planted)
    (lost,) = planted.take()
    with pytest.raises(ValidationError) as invalid:
        SecretCreate.model_validate(
            {"name": "n", "purpose": "openai", "value": {"kind": "api_key", "x": lost}}
        )
    planted.see("exceptions", repr(invalid.value))

    async def broken(*_: object) -> None:
        raise RuntimeError("the store is broken")

    monkeypatch.setattr(secrets.repo, "by_name", broken)
    async with api_of(house.owner) as api:
        body = {"name": "n", "purpose": "openai", "value": value("api_key", lost)}
        with pytest.raises(RuntimeError):
            await api.post("/api/v1/secrets", json=body)
    monkeypatch.undo()
    assert "api.broken" in logged.getvalue(), "the log is listened to"
    written = capfd.readouterr()
    planted.see("log", logged.getvalue(), caplog.text, written.out, written.err)
    async with system_work() as tx:
        tables = ("audit_entries", "secrets", "grants", "model_profiles")
        for table in tables:
            rows = await tx.session.execute(text(f"SELECT t::text FROM {table} t"))
            planted.see(f"table {table}", *rows.scalars())
    assert len(planted.secrets) == 20
    assert len(planted.seen["table audit_entries"]) >= 15
    assert set(planted.seen) >= {"answers", "page state", "repr", "exceptions", "log"}
    assert planted.found() == []
    saved = tmp_path / "saved.tar.gz"
    backup.backup(console, saved)
    with tarfile.open(saved) as packed:
        for member in packed:
            content = packed.extractfile(member)
            if content is not None:
                planted.see(f"backup {member.name}", content.read().decode(errors="replace"))
    assert any(where.startswith("backup") for where in planted.seen)
    assert planted.found() == []


def test_the_search_for_planted_secrets_finds_one() -> None:
    planted = Planted()
    (one,) = planted.take()
    planted.see("somewhere", f"before {one} after")
    assert planted.found() == [("somewhere", one[:8])] * 3
    body = SecretRotate.model_validate({"value": value("api_key", one)})
    assert isinstance(body, BaseModel)
    assert one.encode() in document_of(body.value)
    assert SecretStr(one).get_secret_value() == one
