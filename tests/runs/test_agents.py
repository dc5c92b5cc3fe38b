"""What a change of an agent does to its runs, and a whole life without a network."""

import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from agenticos_app.contracts.events import RunStatus
from agenticos_app.errors import Conflict
from agenticos_app.kernel.ids import AgentId, EnvironmentId, ModelProfileId
from agenticos_app.schemas.accounts import SetUp, SignIn
from agenticos_app.schemas.agents import EnvironmentCreate
from agenticos_app.schemas.models import ModelChange
from agenticos_app.schemas.runs import Ask
from agenticos_app.services import environments, models, runs, sessions, setup
from agenticos_app.services.work import Credentials, signed_in
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.building import draft_of, made, published, saved
from tests.fakes.openai_server import OpenAIServer
from tests.runs.conftest import Asking
from tests.services import postgres_cluster
from tests.world import HERE, Person, acting_as, set_up_link


@pytest.mark.req("DOM-AGENT-08", "DOM-AGENT-11", "DOM-AGENT-12")
async def test_each_run_names_the_version_that_its_door_asked_for(asking: Asking) -> None:
    agent_id = AgentId(asking.house.agent_id)
    async with acting_as(asking.person) as tx:
        staging = await environments.create(tx, agent_id, EnvironmentCreate(name="staging"))
    await saved(asking.person, agent_id, instructions="The second.")
    await published(asking.person, agent_id)
    assert (await asking.ask("What is 2 + 2?")).version == 2
    named = await asking.ask("What is 2 + 2?", environment_id=str(staging.id))
    assert (named.version, named.status) == (1, RunStatus.COMPLETED)
    async with acting_as(asking.person) as tx:
        await environments.promote(tx, agent_id, EnvironmentId(staging.id), 2)
    assert (await asking.ask("What is 2 + 2?", environment_id=str(staging.id))).version == 2


@pytest.mark.req("DOM-MODEL-04")
async def test_a_changed_model_serves_the_next_run_without_publishing(
    asking: Asking, server: OpenAIServer
) -> None:
    await asking.use(server, "stub")
    agent_id = await made(asking.person, "Bound")
    profile_id = (await draft_of(asking.person, agent_id)).spec.model_profile_id
    assert profile_id is not None
    version = await published(asking.person, agent_id)
    async with acting_as(asking.person) as tx:
        tx.actor = replace(tx.actor, is_app_admin=True)
        await models.change(tx, ModelProfileId(profile_id), ModelChange(model_name="stub:tokens=3"))
    async with acting_as(asking.person) as tx:
        started = await runs.start(tx, agent_id, Ask(prompt="Hello"))
    await asking.events(runs.RunId(started.run_id))
    detail = await asking.detail(runs.RunId(started.run_id))
    assert (detail.status, detail.version) == (RunStatus.COMPLETED, version.number)
    assert server.chats[-1].body["model"] == "stub:tokens=3"


@pytest.mark.req("DOM-RUN-07")
async def test_a_refused_question_leaves_neither_run_nor_conversation(asking: Asking) -> None:
    agent_id = await made(asking.person, "Never published")
    async with acting_as(asking.person) as tx:
        before = len((await runs.list_runs(tx)).rows)
        with pytest.raises(Conflict) as refusal:
            await runs.start(tx, agent_id, Ask(prompt="Hello"))
        assert refusal.value.details["reason"] == "not_published"
        assert len((await runs.list_runs(tx)).rows) == before


LOCAL = ("127.", "::1", "localhost", "/")
reached: list[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    """Note each address outside of this machine that somebody wants to reach."""
    if reached is None or event not in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        return
    wanted = arguments[1] if event != "socket.getaddrinfo" else arguments[0]
    host = str(wanted[0]) if isinstance(wanted, tuple) else str(wanted)
    if not host.startswith(LOCAL):
        reached.append(host)
        raise OSError("the network is blocked")


@pytest.mark.req("DOM-CONFIG-08")
async def test_a_whole_life_needs_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.addaudithook(_watch)
    monkeypatch.setattr(f"{__name__}.reached", [])
    with pytest.raises(OSError, match="blocked"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    assert reached == ["192.0.2.1"]
    reached.clear()
    from agenticos_app.ops import migrations

    with postgres_cluster("no-network") as url:
        migrations.upgrade(url)
        settings = Settings(
            database_url=SecretStr(url), agenticos_home=tmp_path, redis_url=None, secret_key=None
        )
        async with open_platform(settings):
            password = "correct horse battery"
            body = SetUp(
                token=set_up_link(url),
                full_name="Ada Example",
                email="ada@example.org",
                password=password,
                organization_name="Harbor Supply",
            )
            await setup.set_up(body, HERE)
            cookie = await sessions.sign_in(SignIn(email="ada@example.org", password=password), HERE)
            async with signed_in(Credentials(secret=cookie)) as tx:
                person = Person(tx.actor.person, "Ada Example", "ada@example.org", cookie)
            agent_id = await made(person)
            await saved(person, agent_id, instructions="Calculate.")
            await published(person, agent_id)
            asking = Asking(house=None, person=person)  # pyright: ignore[reportArgumentType]  # not used
            async with acting_as(person) as tx:
                started = await runs.start(tx, agent_id, Ask(prompt="What is 17 times 23?"))
            await asking.events(runs.RunId(started.run_id))
            detail = await asking.detail(runs.RunId(started.run_id))
    assert (detail.status, "391" in detail.output) == (RunStatus.COMPLETED, True)
    assert reached == []
