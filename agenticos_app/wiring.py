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
from agenticos_app.contracts.cards import ChartCard
from agenticos_app.contracts.models import ModelAccess, ModelCheck, ModelFamily, ModelList, OpenStream
from agenticos_app.contracts.providers import PRACTICE, Dialect
from agenticos_app.db import session as db
from agenticos_app.jobs.host import RunHost
from agenticos_app.jobs.housekeeping import keep_house
from agenticos_app.runner.assemble import Assembler
from agenticos_app.security.seal import Sealer, sealer_of
from agenticos_app.services import admission, chart_images, deployment, hosting, providers, registry, secrets
from agenticos_app.services.work import system_work
from agenticos_app.settings import Settings
from capabilities import attachments, charts, clock, code_execution, thinking
from integrations.models.fallback import Asking
from integrations.models.practice import Practice
from integrations.prices.bundled import BundledPrices
from integrations.sandbox.monty import MontySandbox
from integrations.storage.local import LocalStorage

CAPABILITIES: Mapping[str, AnyCapability] = MappingProxyType(
    {
        capability.id: cast("AnyCapability", capability)
        for capability in (
            attachments.CAPABILITY,
            charts.CAPABILITY,
            clock.CAPABILITY,
            code_execution.CAPABILITY,
            thinking.CAPABILITY,
        )
    }
)
"""Every capability of this deployment by its permanent id."""

PRACTICE_PACE_S = 0.02
"""Pause between the practice model's words, so that its answers can be seen to stream."""


WARM_UP_AFTER_S = 2.0
"""The first page comes before what only the first run needs."""


@dataclass(frozen=True, slots=True)
class Platform:
    """What one process has open."""

    host: RunHost
    is_only_process: bool


def _providers() -> ModelFamily:
    """Import the road to providers when it is needed: with an SDK on top it takes half of a start."""
    from integrations.models.providers import Providers

    return Providers()


def _render_chart(card: ChartCard) -> bytes:
    """Import the drawing library with the first image: few processes ever need it."""
    from integrations.charts.png import render

    return render(card)


def _import_openai() -> None:
    """Import the SDK that most models need."""
    from integrations.models.providers import builder_of

    builder_of(Dialect.OPENAI_CHAT)


class Families:
    """The model families of this process."""

    def __init__(self) -> None:
        self._practice: ModelFamily = Practice(pace_s=PRACTICE_PACE_S)
        self._providers: ModelFamily | None = None
        self._warming: asyncio.Task[None] | None = None
        self.open_stream: OpenStream = Asking(self.open, self.load).open_stream
        """The way to ask a model, with the ones that may answer in its place."""

    def open(self, access: ModelAccess) -> Model:
        """Return a model on the connections of its credential."""
        return self._family(access).open(access)

    async def load(self, access: ModelAccess) -> None:
        """Import what a model needs beside the event loop."""
        await self._family(access).load(access)

    async def check(self, access: ModelAccess) -> ModelCheck:
        """Try a model."""
        return await self._family(access).check(access)

    async def models(self, access: ModelAccess) -> ModelList:
        """Return the models of a provider."""
        return await self._family(access).models(access)

    def warm_up(self) -> None:
        """Begin to import what most runs need behind the first page, so that the first does not wait."""
        self._warming = asyncio.create_task(self._import())

    async def close(self) -> None:
        """Close all connections."""
        if self._warming is not None:
            await _ended(self._warming)
        if self._providers is not None:
            await self._providers.close()

    def _family(self, access: ModelAccess) -> ModelFamily:
        if access.provider == PRACTICE:
            return self._practice
        if self._providers is None:
            self._providers = _providers()
        return self._providers

    async def _import(self) -> None:
        await asyncio.sleep(WARM_UP_AFTER_S)
        await asyncio.to_thread(_import_openai)


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
        families = Families()
        stack.push_async_callback(families.close)
        sandbox = MontySandbox()
        stack.push_async_callback(sandbox.close)
        prices = BundledPrices()
        host = RunHost(
            Assembler(CAPABILITIES, settings.granted_scopes),
            families.open_stream,
            prices,
            sandbox,
            slots=settings.run_slots,
        )
        db.use(database)
        bus.use(opened)
        chart_images.use(_render_chart)
        providers.use(providers.Ways(check=families.check, models=families.models, prices=prices))
        deployment.use(
            deployment.Deployment(
                sealer=_sealer(settings),
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
        async with system_work() as tx:
            await secrets.seal_first(tx)
        registry.use(registry.Registry(capabilities=CAPABILITIES, granted=settings.granted_scopes))
        admission.use(admission.Door(limit=settings.run_slots + settings.run_waiting))
        is_only_process = redis_url is None if sole is None else sole
        if hosts_runs:
            families.warm_up()
            hosting.use(host)
            await host.start(is_only_process=is_only_process)
            stack.push_async_callback(host.drain)
            housekeeper = asyncio.create_task(keep_house())
            stack.push_async_callback(_ended, housekeeper)
        yield Platform(host=host, is_only_process=is_only_process)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _sealer(settings: Settings) -> Sealer:
    held = (settings.vault_master_key, settings.secret_key)
    master, key = (one.get_secret_value() if one else None for one in held)
    older = settings.vault_old_master_keys
    return sealer_of(
        vault_master_key=master,
        older=_separate(older.get_secret_value()) if older else (),
        secret_key=key,
        folder=settings.agenticos_home,
    )


def _separate(text: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in text.split(",")) if part)


def _listed(text: str) -> tuple[str, ...]:
    return _separate(text.lower())
