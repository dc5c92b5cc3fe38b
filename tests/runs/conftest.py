"""A platform that executes runs, on a model server that speaks the wire format."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from pydantic_ai import models as framework

from agenticos_app.contracts.events import Event, Part, RunStatus, replayed
from agenticos_app.kernel.ids import AgentId, RunId
from agenticos_app.models import Agent, AgentVersion
from agenticos_app.schemas.models import ModelDraft
from agenticos_app.schemas.runs import Ask, RunDetail, Started
from agenticos_app.services import following, models, runs
from agenticos_app.settings import Settings
from agenticos_app.wiring import Platform, open_platform
from tests.fakes.openai_server import OpenAIServer
from tests.world import House, Person, acting_as, build_house, console_database

__all__ = ["console_database"]


@pytest.fixture(autouse=True)
def loopback_models() -> None:
    """Let models be asked: the only servers here are our own."""
    framework.ALLOW_MODEL_REQUESTS = True


@pytest.fixture
async def settings(console_database: str, tmp_path: Path) -> Settings:
    """Return the settings of one embedded process."""
    return Settings(
        database_url=SecretStr(console_database), agenticos_home=tmp_path, redis_url=None, secret_key=None
    )


@pytest.fixture
async def platform(settings: Settings) -> AsyncGenerator[Platform]:
    """Open a process that executes runs; it believes that there are others, for the database is shared."""
    async with open_platform(settings, sole=False) as platform:
        yield platform


@pytest.fixture
async def server() -> AsyncGenerator[OpenAIServer]:
    """Start the model server."""
    async with OpenAIServer() as server:
        yield server


@pytest.fixture
async def house(platform: Platform) -> House:
    """An organization whose agent answers with the practice model."""
    return await build_house("Harbor Supply", roles=("owner", "member", "viewer"))


@dataclass
class Asking:
    """Asks the house's agent as one of its people."""

    house: House
    person: Person

    async def use(self, server: OpenAIServer, model: str) -> None:
        """Let the organization's agents talk to the model server."""
        async with acting_as(self.person) as tx:
            tx.actor = replace(tx.actor, is_app_admin=True)
            draft = ModelDraft(provider="openai", base_url=server.base_url, model_name=model)
            await models.use_model(tx, draft)

    async def amend(self, **fields: object) -> None:
        """Change fields of the live version, which no service does."""
        async with acting_as(self.person) as tx:
            agent = await tx.session.get(Agent, self.house.agent_id)
            assert agent is not None
            version = await tx.session.get(AgentVersion, agent.live_version_id)
            assert version is not None
            version.spec = {**version.spec, **fields}

    async def start(self, prompt: str, **more: object) -> Started:
        """Ask from the console."""
        async with acting_as(self.person) as tx:
            return await runs.start(
                tx, AgentId(self.house.agent_id), Ask.model_validate({"prompt": prompt, **more})
            )

    async def events(self, run_id: RunId, after: int = 0) -> list[Event]:
        """Follow a run to its end."""
        async with acting_as(self.person) as tx:
            watched = await following.watch(tx, run_id)
        return [event async for event in following.follow(watched, after)]

    async def answer(self, run_id: RunId) -> tuple[list[Part], Event]:
        """Return what a reader has at the end."""
        events = await self.events(run_id)
        return replayed([], events), events[-1]

    async def detail(self, run_id: RunId) -> RunDetail:
        """Read the run's rows."""
        async with acting_as(self.person) as tx:
            return await runs.get_run(tx, run_id)

    async def ask(self, prompt: str, **more: object) -> RunDetail:
        """Ask and wait for the end."""
        started = await self.start(prompt, **more)
        await self.events(RunId(started.run_id))
        detail = await self.detail(RunId(started.run_id))
        assert detail.status is not RunStatus.RUNNING
        return detail


@pytest.fixture
def asking(house: House) -> Asking:
    """Ask as the owner."""
    return Asking(house, house.owner)
