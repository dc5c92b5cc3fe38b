"""Environments: named pointers to versions, which doors may name."""

from uuid import UUID

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, InvalidInput, NotFound
from agenticos_app.kernel.ids import AgentId, EnvironmentId, SecretId, new_id
from agenticos_app.models import Agent, AgentEnvironment, AgentVersion
from agenticos_app.repos import environments as repo
from agenticos_app.repos import secrets as secret_repo
from agenticos_app.repos import versions
from agenticos_app.schemas.agents import EnvironmentChange, EnvironmentCreate, EnvironmentRow
from agenticos_app.security.access import SECRET
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access, audit, secrets
from agenticos_app.services.agent_access import PUBLISH, VIEW, held
from agenticos_app.services.agent_versions import numbered

MOST = 20
"""Environments of one agent."""
TRACING = ("logfire",)
"""Purposes of a tracing token."""


async def list_environments(tx: Tx, agent_id: AgentId) -> list[EnvironmentRow]:
    """Return an agent's environments: the default one, then the others by name.

    Raises:
        NotFound: There is no such agent, or the actor may not see it.
    """
    return await _rows(tx, await held(tx, agent_id, VIEW))


async def create(tx: Tx, agent_id: AgentId, body: EnvironmentCreate) -> EnvironmentRow:
    """Add an environment.

    Raises:
        NotFound: There is no such agent, version or secret for the actor.
        Forbidden: The actor may see the agent but not publish it.
        Conflict: Nothing is published (`reason="not_published"`), or there are too many
            (`reason="environments_full"`).
        InvalidInput: The name is taken, or the secret is for another service.
    """
    agent = await held(tx, agent_id, PUBLISH, lock=True)
    if agent.latest_version == 0:
        raise Conflict(reason="not_published", agent_id=agent_id)
    if await repo.count(tx, agent.id) >= MOST:
        raise Conflict(reason="environments_full")
    await _require_free(tx, agent, body.name)
    version = await numbered(tx, agent, body.version or agent.latest_version)
    if body.tracing_secret_id is not None:
        await _require_token(tx, body.tracing_secret_id)
    environment = AgentEnvironment(
        id=new_id(),
        organization_id=agent.organization_id,
        agent_id=agent.id,
        name=body.name,
        version_id=version.id,
        tracks_latest=body.tracks_latest,
        tracing_secret_id=body.tracing_secret_id,
        tracing_service=body.tracing_service,
    )
    tx.add(environment)
    await tx.flush()
    await _record(tx, Action.ENVIRONMENT_CREATED, environment, version=version.number)
    return await _row(tx, agent, environment)


async def change(
    tx: Tx, agent_id: AgentId, environment_id: EnvironmentId, body: EnvironmentChange
) -> EnvironmentRow:
    """Change an environment; only the fields that were sent. Where it points to is `promote`.

    Raises:
        NotFound: There is no such agent, environment or secret for the actor.
        Forbidden: The actor may see the agent but not publish it.
        InvalidInput: The name is taken, or the secret is for another service.
    """
    agent, environment = await _held(tx, agent_id, environment_id)
    sent = body.model_dump(exclude_unset=True)
    if body.name not in (None, environment.name):
        await _require_free(tx, agent, str(body.name))
    if body.tracing_secret_id not in (None, environment.tracing_secret_id):
        await _require_token(tx, body.tracing_secret_id)
    changed = sorted(
        name
        for name, value in sent.items()
        if value != getattr(environment, name) and (value is not None or name == "tracing_secret_id")
    )
    for name in changed:
        setattr(environment, name, sent[name])
    await tx.flush()
    if changed:
        await _record(tx, Action.ENVIRONMENT_CHANGED, environment, fields=changed)
    return await _row(tx, agent, environment)


async def promote(tx: Tx, agent_id: AgentId, environment_id: EnvironmentId, number: int) -> EnvironmentRow:
    """Point an environment to a version.

    Raises:
        NotFound: There is no such agent, environment or version for the actor.
        Forbidden: The actor may see the agent but not publish it.
    """
    agent, environment = await _held(tx, agent_id, environment_id)
    version = await numbered(tx, agent, number)
    before = await versions.get(tx, environment.version_id)
    assert before is not None, "a key holds it"
    if before.id != version.id:
        _point(agent, environment, version)
        await tx.flush()
        told = {"from": before.number, "version": version.number}
        await _record(tx, Action.ENVIRONMENT_PROMOTED, environment, **told)
    return await _row(tx, agent, environment)


def _point(agent: Agent, environment: AgentEnvironment, version: AgentVersion) -> None:
    environment.version_id = version.id
    if environment.is_default:
        agent.live_version_id, agent.live_version = version.id, version.number


async def delete(tx: Tx, agent_id: AgentId, environment_id: EnvironmentId) -> None:
    """Delete an environment. Its runs stay.

    Raises:
        NotFound: There is no such agent or environment for the actor.
        Forbidden: The actor may see the agent but not publish it.
        Conflict: It is the default one (`reason="default_environment"`).
    """
    _, environment = await _held(tx, agent_id, environment_id)
    if environment.is_default:
        raise Conflict(reason="default_environment")
    await _record(tx, Action.ENVIRONMENT_DELETED, environment)
    await tx.delete(environment)


async def version_of(tx: Tx, agent_id: UUID, environment_id: UUID) -> UUID:
    """Return the version that an agent's environment points to.

    Raises:
        NotFound: The agent has no such environment.
    """
    environment = await repo.get(tx, agent_id, environment_id)
    if environment is None:
        raise NotFound(environment_id=environment_id)
    return environment.version_id


async def _held(tx: Tx, agent_id: AgentId, environment_id: EnvironmentId) -> tuple[Agent, AgentEnvironment]:
    agent = await held(tx, agent_id, PUBLISH, lock=True)
    environment = await repo.get(tx, agent.id, environment_id, lock=True)
    if environment is None:
        raise NotFound
    return agent, environment


async def _require_free(tx: Tx, agent: Agent, name: str) -> None:
    if await repo.by_name(tx, agent.id, name) is not None:
        raise InvalidInput({"field": "name", "message": "taken"})


async def _require_token(tx: Tx, secret_id: UUID | None) -> None:
    if secret_id is not None:
        await secrets.require_bindable(tx, SecretId(secret_id), purposes=TRACING)


async def _record(
    tx: Tx, action: Action, environment: AgentEnvironment, **details: str | int | list[str]
) -> None:
    told = {"agent_id": str(environment.agent_id), "name": environment.name, **details}
    await audit.record(tx, action, Target("environment", environment.id), told)


async def _row(tx: Tx, agent: Agent, environment: AgentEnvironment) -> EnvironmentRow:
    return next(row for row in await _rows(tx, agent) if row.id == environment.id)


async def _rows(tx: Tx, agent: Agent) -> list[EnvironmentRow]:
    found, numbers = await repo.of_agent(tx, agent.id), await versions.numbers(tx, agent.id)
    tokens = [
        secret
        for environment, _ in found
        if environment.tracing_secret_id
        and (secret := await secret_repo.get(tx, environment.tracing_secret_id)) is not None
    ]
    seen = await access.allowed(tx, SECRET, tokens, Permission.SECRETS_VIEW)
    return [
        EnvironmentRow(
            id=environment.id,
            name=environment.name,
            version=number,
            is_default=environment.is_default,
            tracks_latest=environment.tracks_latest,
            behind_by=sum(one > number for one in numbers),
            tracing_secret_id=environment.tracing_secret_id
            if environment.tracing_secret_id in seen
            else None,
            tracing_service=environment.tracing_service,
        )
        for environment, number in found
    ]
