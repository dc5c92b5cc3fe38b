"""Publishing: checking a draft, freezing it as the next version, moving what follows the latest."""

from agenticos_app.catalogue import SOURCE, said
from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.spec import AgentSpec, Problem, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, FieldProblem, NotFound, NotPublishable
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.models import Agent, AgentEnvironment, AgentVersion
from agenticos_app.repos import environments, model_profiles, versions
from agenticos_app.schemas.agents import (
    FieldProblemRow,
    ProblemRow,
    Publish,
    Rollback,
    SpecChanges,
    Validation,
    VersionRow,
)
from agenticos_app.security.access import AGENT
from agenticos_app.services import agent_versions, audit, spec_check
from agenticos_app.services.agent_access import EDIT, PUBLISH, VIEW, held
from agenticos_app.services.drafts import document_of, replace, require_revision
from agenticos_app.services.spec_diff import differences

FIRST_ENVIRONMENT = "production"


async def validate(tx: Tx, agent_id: AgentId, language: str = SOURCE) -> Validation:
    """Return what stands in the way of publishing the draft; the actor's access decides on what it refers to.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
    """
    agent = await held(tx, agent_id, EDIT)
    return _told(await spec_check.problems_of(tx, read_spec(agent.draft)), language)


def _told(problems: list[Problem], language: str) -> Validation:
    return Validation(
        problems=[
            ProblemRow(
                at=one.at,
                code=one.code,
                details=dict(one.details),
                text=said(language, f"problem.{one.code}", one.details),
            )
            for one in problems
        ],
        fields=[FieldProblemRow(field=one.at, message=one.code) for one in problems if one.at],
    )


async def publish(tx: Tx, agent_id: AgentId, body: Publish) -> VersionRow:
    """Freeze the draft as the next version; environments that track the latest move to it.

    The first publish makes the environment `production`, which is the default one and tracks the latest.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not publish it.
        Conflict: It is archived (`reason="archived"`), or the draft is not the one that was read (as
            `drafts.save`).
        NotPublishable: Something is in the way.
    """
    agent = await held(tx, agent_id, PUBLISH, lock=True)
    if body.revision is not None:
        await require_revision(tx, agent, body.revision)
    spec = read_spec(agent.draft)
    version = await freeze(tx, agent, spec, note=body.note, action=Action.AGENT_PUBLISHED)
    agent.draft = version.spec  # the same in today's format
    await tx.flush()
    return await agent_versions.row_of(tx, agent, version)


async def roll_back(tx: Tx, agent_id: AgentId, body: Rollback) -> VersionRow:
    """Publish an older version's spec under the next number, and make it the draft.

    Raises:
        NotFound: There is no such agent or version for the actor.
        Forbidden: The actor may see it but not publish it.
        Conflict: It is archived (`reason="archived"`).
        NotPublishable: What the version needs is not there any more.
    """
    agent = await held(tx, agent_id, PUBLISH, lock=True)
    spec = await _spec(tx, agent, body.version)
    note = body.note or f"rollback to v{body.version}"
    version = await freeze(
        tx, agent, spec, note=note, action=Action.AGENT_ROLLED_BACK, rolled_back_to=body.version
    )
    await replace(tx, agent, spec, "rollback")
    return await agent_versions.row_of(tx, agent, version)


async def freeze(
    tx: Tx, agent: Agent, spec: AgentSpec, *, note: str, action: Action, **details: str | int
) -> AgentVersion:
    """Add the next version of a locked agent.

    Raises:
        Conflict: It is archived (`reason="archived"`).
        NotPublishable: Something is in the way.
    """
    if agent.archived_at is not None:
        raise Conflict(reason="archived", agent_id=agent.id)
    require_publishable(await spec_check.problems_of(tx, spec))
    at = now()
    agent.latest_version += 1
    version = AgentVersion(
        id=new_id(),
        created_at=at,
        organization_id=agent.organization_id,
        agent_id=agent.id,
        number=agent.latest_version,
        spec=document_of(spec),
        note=note,
        published_by_user_id=tx.actor.user_id,
    )
    tx.add(version)
    await tx.flush()
    if agent.live_version_id is None:
        tx.add(first_environment(version))
        moved = [FIRST_ENVIRONMENT]
        agent.live_version_id, agent.live_version = version.id, version.number
    else:
        followed = await environments.follow(tx, agent.id, version.id)
        moved = [environment.name for environment in followed]
        if any(environment.is_default for environment in followed):
            agent.live_version_id, agent.live_version = version.id, version.number
    agent.changed_at = at
    await tx.flush()
    await audit.record(
        tx,
        action,
        Target(AGENT.name, agent.id),
        {"version": version.number, "environments": moved, **details},
    )
    return version


def first_environment(version: AgentVersion) -> AgentEnvironment:
    """Return the default environment that an agent's first version gets."""
    return AgentEnvironment(
        id=new_id(),
        organization_id=version.organization_id,
        agent_id=version.agent_id,
        name=FIRST_ENVIRONMENT,
        version_id=version.id,
        is_default=True,
        tracks_latest=True,
    )


def require_publishable(problems: list[Problem]) -> None:
    """Refuse what cannot be published.

    Raises:
        NotPublishable: There is a problem.
    """
    if problems:
        told = _told(problems, SOURCE)
        raise NotPublishable(
            *(FieldProblem(field=one.field, message=one.message) for one in told.fields),
            problems=[one.model_dump() for one in told.problems],
        )


async def changes(tx: Tx, agent_id: AgentId, *, since: int | None = None, until: int = 0) -> SpecChanges:
    """Return how the version `until` (0: the draft) differs from `since` (None: the latest, 0: an empty one).

    Raises:
        NotFound: There is no such agent for the actor, or no such version.
    """
    agent = await held(tx, agent_id, VIEW)
    since = agent.latest_version if since is None else since
    before = AgentSpec() if since == 0 else await _spec(tx, agent, since)
    after = read_spec(agent.draft) if until == 0 else await _spec(tx, agent, until)
    return SpecChanges(
        since=since, until=until, changes=differences(before, after, await _names(tx, before, after))
    )


async def _spec(tx: Tx, agent: Agent, number: int) -> AgentSpec:
    version = await versions.by_number(tx, agent.id, number)
    if version is None:
        raise NotFound
    return read_spec(version.spec)


async def _names(tx: Tx, *specs: AgentSpec) -> dict[str, str]:
    """Return what the models are called that the specs name."""
    wanted = {str(spec.model_profile_id) for spec in specs}
    held = await model_profiles.list_all(tx)
    return {str(profile.id): profile.name for profile, _ in held if str(profile.id) in wanted}
