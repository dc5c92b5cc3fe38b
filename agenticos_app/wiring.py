"""The one list of capabilities and adapters, and how a process starts and stops."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from pydantic_ai.models import Model

from agenticos_app.bus import bus
from agenticos_app.contracts.capability import AnyCapability
from agenticos_app.contracts.models import ModelAccess, ModelCheck, ModelFamily, ModelKind
from agenticos_app.db import session as db
from agenticos_app.jobs.host import RunHost
from agenticos_app.runner.assemble import Assembler
from agenticos_app.security.seal import Sealer, deployment_key
from agenticos_app.services import admission, deployment, hosting, models
from agenticos_app.settings import Settings
from capabilities import attachments, code_execution
from integrations.models.practice import Practice
from integrations.sandbox.monty import MontySandbox
from integrations.storage.local import LocalStorage

CAPABILITIES: Mapping[str, AnyCapability] = MappingProxyType(
    {
        capability.id: cast("AnyCapability", capability)
        for capability in (attachments.CAPABILITY, code_execution.CAPABILITY)
    }
)
"""Every capability of this deployment by its permanent id."""

PRACTICE_PACE_S = 0.02
"""Pause between the practice model's words, so that its answers can be seen to stream."""


@dataclass(frozen=True, slots=True)
class Platform:
    """What one process has open."""

    host: RunHost
    is_only_process: bool


def _practice() -> ModelFamily:
    return Practice(pace_s=PRACTICE_PACE_S)


def _openai_compatible() -> ModelFamily:
    """Import the provider's SDK when it is needed: that takes as long as half of a start."""
    from integrations.models.openai_compatible import OpenAICompatible

    return OpenAICompatible()


class Families:
    """The model families of this process, each made when it is first needed."""

    def __init__(self) -> None:
        self._makers = {ModelKind.PRACTICE: _practice, ModelKind.OPENAI_COMPATIBLE: _openai_compatible}
        self._made: dict[ModelKind, ModelFamily] = {}
        self._warming: asyncio.Task[None] | None = None

    def open(self, access: ModelAccess) -> Model:
        """Return a model on the shared client of its family."""
        return self._family(access.kind).open(access)

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Try a model."""
        return await self._family(access.kind).check(access)

    def warm_up(self) -> None:
        """Begin to import all of them beside the first page, so that the first run does not wait."""
        self._warming = asyncio.create_task(self._import())

    async def close(self) -> None:
        """Close all clients."""
        if self._warming is not None:
            await self._warming
        for family in self._made.values():
            await family.close()

    def _family(self, kind: ModelKind) -> ModelFamily:
        if kind not in self._made:
            self._made[kind] = self._makers[kind]()
        return self._made[kind]

    async def _import(self) -> None:
        for maker in self._makers.values():
            await asyncio.to_thread(maker)


@asynccontextmanager
async def open_platform(
    settings: Settings, *, hosts_runs: bool = True, sole: bool | None = None
) -> AsyncGenerator[Platform]:
    """Open everything that one process needs, and close it in the opposite order.

    `settings.database_url` must be set: whoever starts the embedded database puts its address there. A
    process that `hosts_runs` executes runs and drains them before it closes. The `sole` process of its
    database, which one without Redis is, ends the runs that an earlier life left behind at once.
    """
    assert settings.database_url is not None, "the database's address is not known"
    home = settings.agenticos_home
    home.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        database = db.Database(settings.database_url.get_secret_value(), connections=settings.database_pool)
        stack.push_async_callback(database.close)
        redis_url = settings.redis_url.get_secret_value() if settings.redis_url else None
        opened = bus.open_bus(redis_url, home / "runs")
        stack.push_async_callback(opened.close)
        key = settings.secret_key.get_secret_value() if settings.secret_key else None
        families = Families()
        stack.push_async_callback(families.close)
        sandbox = MontySandbox()
        stack.push_async_callback(sandbox.close)
        host = RunHost(Assembler(CAPABILITIES), families.open, sandbox, slots=settings.run_slots)
        db.use(database)
        bus.use(opened)
        models.use_check(families.check)
        deployment.use(
            deployment.Deployment(
                sealer=Sealer(deployment_key(key, home)),
                storage=LocalStorage(home / "files"),
                sign_up_policy=settings.sign_up_policy,
                sign_up_domains=_listed(settings.sign_up_domains),
                default_org_monthly_budget_usd=settings.default_org_monthly_budget_usd,
                auth_per_minute=settings.rate_limit_auth_per_minute,
                api_per_minute=settings.rate_limit_api_per_minute,
                runs_per_minute=settings.rate_limit_run_per_minute,
                runs_waiting=settings.run_waiting,
                upload_limit_bytes=settings.upload_limit_mb * 1024 * 1024,
            )
        )
        admission.use(admission.Door(limit=settings.run_slots + settings.run_waiting))
        is_only_process = redis_url is None if sole is None else sole
        if hosts_runs:
            families.warm_up()
            hosting.use(host)
            await host.start(is_only_process=is_only_process)
            stack.push_async_callback(host.drain)
        yield Platform(host=host, is_only_process=is_only_process)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip().lower() for part in text.split(",")) if part)
