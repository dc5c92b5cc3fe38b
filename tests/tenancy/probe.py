"""Two organizations with one thing of each kind, and a way to see whether anything of them changed."""

import re
from dataclasses import dataclass
from uuid import UUID

from pydantic import SecretStr
from sqlalchemy import text
from sqlmodel import SQLModel

from agenticos_app.contracts.cards import ChartCard, Series
from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.kernel.paging import cursor_of
from agenticos_app.models import Run
from agenticos_app.repos import runs as run_repo
from agenticos_app.schemas.agents import CapabilityAsk, EnvironmentCreate
from agenticos_app.schemas.api_keys import ApiKeyCreate
from agenticos_app.schemas.models import ModelCreate
from agenticos_app.schemas.secrets import SecretCreate
from agenticos_app.security.access import SECRET
from agenticos_app.security.permissions import Permission
from agenticos_app.services import (
    accounts,
    agent_pictures,
    api_keys,
    environments,
    files,
    models,
    more_capabilities,
    secrets,
    sharing,
)
from agenticos_app.services.work import system_work
from tests.world import House, Person, acting_as, actor_of, build_house, past_run

Ids = dict[str, str]
"""An id by what routes and handlers call it."""

TENANT_TABLES = sorted(
    table.name
    for table in SQLModel.metadata.tables.values()
    if "organization_id" in table.columns and not table.columns["organization_id"].nullable
)


@dataclass(frozen=True)
class Place:
    """One organization, who owns it, and an id of each kind that belongs to it."""

    house: House
    ids: Ids
    slug: str

    @property
    def owner(self) -> Person:
        return self.house.owner


CHART = ChartCard(type="bar", title="Ships", x_values=("May",), series=(Series(name="Ships", values=(3,)),))


async def furnished(name: str) -> Place:
    """Make an organization with one of everything."""
    house = await build_house(name, roles=("member",))
    working = await past_run(house, house.owner, status=RunStatus.RUNNING)
    ended = await past_run(house, house.owner)
    actor = await actor_of(house.owner)
    await agent_pictures.set_picture(actor, AgentId(house.agent_id), b"\x89PNG\r\n\x1a\n" + bytes(32))
    file = await files.take_in(actor, name="plan.txt", body=b"the plan")
    async with acting_as(house.owner) as tx:
        run = await tx.session.get(Run, ended)
        (call,) = await run_repo.calls_of(tx, working)
        call.card = CHART.model_dump(mode="json")
        value = ApiKey(api_key=SecretStr("sk-of-the-probe"))
        secret = await secrets.create(
            tx, SecretCreate(name="Key", purpose="openai", visibility="org", value=value)
        )
        tracing = await secrets.create(
            tx, SecretCreate(name="Traces", purpose="logfire", visibility="org", value=value)
        )
        profile, fallback = [
            await models.create(
                tx, ModelCreate(name=name, provider="openai", model_name="sea-1", secret_id=secret.id)
            )
            for name in ("Sea", "Lake")
        ]
        await sharing.share(tx, SECRET, secret.id, house.people["member"].user_id, "use")
        organization = await tx.session.execute(
            text("SELECT slug FROM organizations WHERE id = :id"), {"id": house.id}
        )
        session_id = tx.actor.session_id
        key = await api_keys.issue(tx, ApiKeyCreate(name="Script", permissions=[Permission.AGENTS_RUN]))
        slug = str(organization.scalar_one())
        agent_id = AgentId(house.agent_id)
        environment = await environments.create(tx, agent_id, EnvironmentCreate(name="staging"))
    async with acting_as(house.people["member"]) as tx:
        await more_capabilities.ask_for(tx, agent_id, CapabilityAsk(capability_id="thinking"))
    async with acting_as(house.owner) as tx:
        asked = await more_capabilities.requests(tx, agent_id)
    assert run is not None
    named: dict[str, UUID | None] = {
        "agent_id": house.agent_id,
        "run_id": working,
        "call_id": call.id,
        "conversation_id": run.conversation_id,
        "file_id": file.id,
        "session_id": session_id,
        "user_id": house.people["member"].user_id,
        "organization_id": house.id,
        "key": ended,
        "notice_id": new_id(),
        "secret_id": secret.id,
        "model_profile_id": profile.id,
        "fallback_profile_id": fallback.id,
        "key_id": key.id,
        "environment_id": environment.id,
        "capability_request_id": asked[0].id,
        "tracing_secret_id": tracing.id,
    }
    return Place(house, {kind: str(one) for kind, one in named.items()} | {"cursor": _cursor(ended)}, slug)


def unknown() -> Ids:
    """Return ids that nothing has."""
    kinds = (
        "notice_id",
        "secret_id",
        "model_profile_id",
        "fallback_profile_id",
        "agent_id",
        "run_id",
        "call_id",
        "conversation_id",
        "file_id",
        "session_id",
        "user_id",
        "organization_id",
        "key",
        "key_id",
        "environment_id",
        "capability_request_id",
        "tracing_secret_id",
    )
    return {kind: str(new_id()) for kind in kinds} | {"cursor": _cursor(new_id())}


def _cursor(row_id: UUID) -> str:
    return cursor_of(now(), row_id)


def kind_of(name: str, ids: Ids) -> str | None:
    """Return which kind of id a parameter takes; None when it takes none that is known."""
    wanted = name.removesuffix("s") if name.endswith("_ids") else name
    return wanted if wanted in ids else None


def looks_like_an_id(name: str) -> bool:
    """Tell whether a name promises an id."""
    return bool(re.search(r"(^|_)(id|ids|uuid|key|slug|cursor|token)$", name.lower()))


async def make_admin(person: Person) -> None:
    """Make somebody a deployment administrator."""
    async with system_work() as tx:
        await accounts.set_app_admin(tx, person.email, admin=True)


async def rows_of(*places: Place) -> dict[str, str]:
    """Return a fingerprint of all rows of these organizations and of their owners' sessions, by table."""
    found: dict[str, str] = {}
    async with system_work() as tx:
        for place in places:
            for table in [*TENANT_TABLES, "organizations"]:
                column = "id" if table == "organizations" else "organization_id"
                query = text(
                    f"SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' ORDER BY id)), '')"
                    f" FROM {table} t WHERE {column} = :id"
                )
                found[f"{table} of {place.house.name}"] = str(
                    (await tx.session.execute(query, {"id": place.house.id})).scalar_one()
                )
            sessions = text(
                "SELECT string_agg(id::text || coalesce(organization_id::text, ''), '|' ORDER BY id)"
                " FROM sessions WHERE user_id = :id"
            )
            found[f"sessions of {place.house.name}"] = str(
                (await tx.session.execute(sessions, {"id": place.owner.user_id})).scalar_one()
            )
    return found


def blinded(said: str, *ids: Ids) -> str:
    """Return what was said without the ids that were asked for."""
    for one in ids:
        for value in one.values():
            said = said.replace(value, "<id>").replace(value.replace("-", ""), "<id>")
    return said
