"""A deployment with people in it, for tests that need services, a database and somebody who acts."""

import os
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import create_engine, insert

from agenticos_app.api.app import build_api
from agenticos_app.contracts.events import RunStatus, ToolStatus
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import UserId, new_id
from agenticos_app.models import (
    Agent,
    Conversation,
    Membership,
    Message,
    Run,
    RunRequest,
    SetupLink,
    ToolCall,
    User,
)
from agenticos_app.ops import migrations
from agenticos_app.repos import agents as agent_repo
from agenticos_app.security.access import Everything
from agenticos_app.security.actor import Actor
from agenticos_app.security.tokens import digest, new_secret
from agenticos_app.services import organizations, sessions
from agenticos_app.services.sessions import Client
from agenticos_app.services.work import Credentials, SystemTx, Tx, signed_in, system_work
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.services import postgres_cluster

ROLES = ("owner", "admin", "builder", "operator", "member", "viewer")
HERE = Client(ip_address="127.0.0.1", user_agent="Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")


@pytest.fixture(scope="session")
def console_database() -> Generator[str]:
    """Give a migrated database; tests keep apart by organizations of their own."""
    with postgres_cluster(f"console-{os.getpid()}") as url:
        migrations.upgrade(url)
        yield url


@pytest.fixture
async def console(console_database: str, tmp_path: Path) -> AsyncGenerator[Settings]:
    """Open the platform of one process that executes no runs."""
    settings = Settings(
        database_url=SecretStr(console_database), agenticos_home=tmp_path, redis_url=None, secret_key=None
    )
    async with open_platform(settings, hosts_runs=False):
        yield settings


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is signed in."""

    user_id: UserId
    name: str
    email: str
    cookie: str


@dataclass(frozen=True, slots=True)
class House:
    """One organization with a person of each role, and its starter agent."""

    id: UUID
    name: str
    people: dict[str, Person]
    agent_id: UUID
    version_id: UUID

    @property
    def owner(self) -> Person:
        """Return its owner."""
        return self.people["owner"]


async def somebody(name: str) -> Person:
    """Make an account without an organization, signed in."""
    async with system_work() as tx:
        return (await _sign_in(tx, [name]))[0][1]


async def _sign_in(tx: SystemTx, names: Sequence[str]) -> list[tuple[User, Person]]:
    users = [
        User(
            id=new_id(),
            email=f"{name.lower().replace(' ', '.')}.{new_id().hex[-8:]}@example.org",
            full_name=name,
        )
        for name in names
    ]
    tx.add(*users)
    await tx.flush()
    return [
        (
            user,
            Person(UserId(user.id), user.full_name, user.email, await sessions.open_session(tx, user, HERE)),
        )
        for user in users
    ]


async def build_house(name: str, *, roles: Sequence[str] = ROLES) -> House:
    """Make an organization with a person of each role; there is always an owner."""
    wanted = ("owner", *(role for role in roles if role != "owner"))
    async with system_work() as tx:
        made = await _sign_in(tx, [f"{role.capitalize()} Person" for role in wanted])
        owner = made[0][0]
        organization = await organizations.create(tx, owner, name=name)
        tx.add(
            *[
                Membership(
                    organization_id=organization.id, user_id=user.id, role=role, invited_by_user_id=owner.id
                )
                for role, (user, _) in zip(wanted[1:], made[1:], strict=True)
            ]
        )
        await tx.flush()
    people = {role: person for role, (_, person) in zip(wanted, made, strict=True)}
    async with acting_as(people["owner"]) as tx:
        (agent,) = await agent_repo.list_visible(tx, Everything(), published=True)
    assert agent.live_version_id is not None
    return House(organization.id, name, people, agent.id, agent.live_version_id)


@asynccontextmanager
async def acting_as(person: Person, *, organization: UUID | None = None) -> AsyncGenerator[Tx]:
    """Open a transaction for a person."""
    named = str(organization) if organization else ""
    async with signed_in(Credentials(secret=person.cookie, organization=named)) as tx:
        yield tx


async def actor_of(person: Person) -> Actor:
    """Return a person as services see them."""
    async with acting_as(person) as tx:
        return tx.actor


@asynccontextmanager
async def api_of(person: Person | None) -> AsyncGenerator[httpx.AsyncClient]:
    """Give a client of the API that shows the person's cookie."""
    cookies = {} if person is None else {sessions.COOKIE: person.cookie}
    transport = httpx.ASGITransport(build_api())
    async with httpx.AsyncClient(
        transport=transport, base_url="http://console.test", cookies=cookies
    ) as client:
        yield client


async def second_agent(house: House, name: str) -> UUID:
    """Add another agent without a published version."""
    async with acting_as(house.owner) as tx:
        agent = Agent(
            id=new_id(),
            organization_id=house.id,
            name=name,
            slug=name.lower(),
            owner_user_id=house.owner.user_id,
            draft={},
            changed_at=now(),
        )
        tx.add(agent)
        await tx.flush()
    return agent.id


async def past_run(
    house: House,
    person: Person,
    *,
    status: RunStatus = RunStatus.COMPLETED,
    surface: str = "web",
    prompt: str = "What is 17 times 23?",
    at: datetime | None = None,
    seconds: float = 4.0,
    agent_id: UUID | None = None,
    result: str = "391",
    in_conversation: bool = True,
) -> UUID:
    """Store a run as a host leaves it behind: two requests with one call between them."""
    started = at or now() - timedelta(minutes=5)
    run_id, conversation_id = new_id(), new_id()
    is_open = status is RunStatus.RUNNING
    async with acting_as(house.owner) as tx:
        if in_conversation:
            tx.add(
                Conversation(
                    id=conversation_id,
                    organization_id=house.id,
                    user_id=person.user_id,
                    agent_id=agent_id or house.agent_id,
                    title=prompt[:80],
                    last_message_at=started,
                )
            )
            await tx.flush()
        tx.add(
            Run(
                id=run_id,
                organization_id=house.id,
                agent_id=agent_id or house.agent_id,
                version_id=house.version_id if agent_id is None else None,
                user_id=person.user_id,
                conversation_id=conversation_id if in_conversation else None,
                surface=surface,
                status=status.value,
                prompt="" if in_conversation else prompt,
                model_label="Practice model",
                requests=2,
                input_tokens=1200,
                output_tokens=84,
                error_code="model_timeout" if status is RunStatus.FAILED else None,
                error="The model request failed (ModelTimeoutError)." if status is RunStatus.FAILED else None,
                host_id=new_id() if is_open else None,
                lease_until=now() + timedelta(hours=1) if is_open else None,
                started_at=started,
                ended_at=None if is_open else started + timedelta(seconds=seconds),
            )
        )
        await tx.flush()
        message_id = await _turn(tx, house, conversation_id, run_id, prompt) if in_conversation else None
        _steps(tx, house, run_id, message_id, started, seconds, result)
        await tx.flush()
    return run_id


async def _turn(tx: Tx, house: House, conversation_id: UUID, run_id: UUID, prompt: str) -> UUID:
    parts = [
        {"index": 0, "kind": "text", "text": f"It is **{391}**.", "done": True},
    ]
    question = Message(
        id=new_id(),
        organization_id=house.id,
        conversation_id=conversation_id,
        run_id=run_id,
        role="user",
        text=prompt,
        parts=[],
    )
    answer = Message(
        id=new_id(),
        organization_id=house.id,
        conversation_id=conversation_id,
        run_id=run_id,
        role="assistant",
        parts=parts,
        version_id=house.version_id,
        status="completed",
    )
    tx.add(question, answer)
    await tx.flush()
    return answer.id


def _steps(
    tx: Tx,
    house: House,
    run_id: UUID,
    message_id: UUID | None,
    started: datetime,
    seconds: float,
    result: str,
) -> None:
    def request(number: int, begins: float, lasts: float) -> RunRequest:
        return RunRequest(
            id=new_id(),
            organization_id=house.id,
            run_id=run_id,
            number=number,
            started_at=started + timedelta(seconds=begins * seconds),
            milliseconds=int(lasts * seconds * 1000),
            input_tokens=600,
            output_tokens=42,
        )

    tx.add(request(1, 0.0, 0.4), request(2, 0.5, 0.5))
    tx.add(
        ToolCall(
            id=new_id(),
            organization_id=house.id,
            run_id=run_id,
            message_id=message_id,
            position=0,
            reference="call-1",
            tool="run_python",
            arguments={"code": "17 * 23"},
            result=result,
            status=ToolStatus.DONE.value,
            started_at=started + timedelta(seconds=0.4 * seconds),
            milliseconds=int(0.1 * seconds * 1000),
        )
    )


def set_up_link(url: str) -> str:
    """Make a one-time set-up token in a database, as the command line does."""
    token = new_secret()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(insert(SetupLink).values(id=new_id(), created_at=now(), token_hash=digest(token)))
    engine.dispose()
    return token
