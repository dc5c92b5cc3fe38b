"""What the catalogue says of agents."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.kernel.money import dollars
from agenticos_app.models import Agent
from agenticos_app.repos import accounts, grants, model_profiles, secrets, versions
from agenticos_app.repos import agents as repo
from agenticos_app.schemas.agents import AgentCard, AgentStatus, Audience, ModelProblem
from agenticos_app.security.access import AGENT
from agenticos_app.services import access, model_access
from agenticos_app.services.agent_access import EDIT, PUBLISH, RUN


@dataclass(frozen=True, slots=True)
class _Model:
    label: str = ""
    problem: ModelProblem = ""
    context_length: int | None = None


async def cards(tx: Tx, found: Sequence[repo.Listed]) -> list[AgentCard]:
    """Return the cards of agents that the actor may see."""
    agents = [one.agent for one in found]
    ids = [agent.id for agent in agents]
    may = {
        permission: await access.allowed(tx, AGENT, agents, permission) for permission in (RUN, EDIT, PUBLISH)
    }
    given = await grants.granted_rows(tx, AGENT.name, ids)
    owners = {agent.owner_user_id for agent in agents if agent.owner_user_id is not None}
    names = await secrets.names_of_people(tx, owners)
    models = await _models(tx)
    return [
        AgentCard(
            id=agent.id,
            name=agent.name,
            slug=agent.slug,
            description=agent.description,
            status=status_of(agent),
            live_version=agent.live_version,
            latest_version=agent.latest_version,
            draft_differs=await _differs(tx, one),
            visibility=agent.visibility,
            audience=_audience(agent, is_given=agent.id in given),
            owner_user_id=agent.owner_user_id,
            owner_name=names.get(agent.owner_user_id or agent.id, ""),
            is_mine=agent.owner_user_id is not None and agent.owner_user_id == tx.actor.user_id,
            avatar_version=(agent.avatar_key or "").rpartition("/")[2],
            categories=agent.categories,
            tags=agent.tags,
            model_label=(model := _model(one, models)).label,
            model_problem=model.problem,
            context_length=model.context_length,
            monthly_budget_usd=dollars(one.budget_micros),
            can_run=agent.id in may[RUN] and status_of(agent) == "published",
            can_edit=agent.id in may[EDIT],
            can_publish=agent.id in may[PUBLISH],
            changed_at=agent.changed_at,
        )
        for one, agent in zip(found, agents, strict=True)
    ]


async def model_problem(tx: Tx, spec: AgentSpec) -> ModelProblem:
    """Return what keeps a spec's model from answering; empty when nothing does."""
    wanted = str(spec.model_profile_id) if spec.model_profile_id else None
    return (await _models(tx)).get(wanted, _Model(problem="gone")).problem


def status_of(agent: Agent) -> AgentStatus:
    """Return what state an agent is in, which follows from what it has."""
    if agent.archived_at is not None:
        return "archived"
    return "draft" if agent.live_version_id is None else "published"


def _audience(agent: Agent, *, is_given: bool) -> Audience:
    if agent.visibility != "private":
        return "everyone"
    return "people" if is_given else "me"


async def _differs(tx: Tx, one: repo.Listed) -> bool:
    """Tell whether the draft is something else than the latest version, in whatever formats they are."""
    if not (one.differs and one.is_upgraded):
        return one.differs
    return await differs(tx, one.agent.id)


async def differs(tx: Tx, agent_id: UUID) -> bool:
    """Tell whether an agent's draft says something else than its latest version, or there is none."""
    agent = await repo.get(tx, agent_id)
    assert agent is not None, "it was read"
    latest = await versions.by_number(tx, agent_id, agent.latest_version)
    return latest is None or read_spec(latest.spec) != read_spec(agent.draft)


async def _models(tx: Tx) -> dict[str | None, _Model]:
    """Return what is said of each model by its id, under None of the one that old versions fall back to."""
    found: dict[str | None, _Model] = {}
    for profile, _ in await model_profiles.list_all(tx):
        problem: ModelProblem = "" if model_access.has_what_it_needs(profile) else "no_key"
        found[str(profile.id)] = _Model(profile.name, problem, profile.context_length)
    organization = await accounts.organization(tx)
    suggested = organization.default_model_profile_id if organization else None
    found[None] = found.get(str(suggested), _Model(problem="none"))
    return found


def _model(one: repo.Listed, models: dict[str | None, _Model]) -> _Model:
    if one.profile_id is None and one.agent.live_version_id is None:
        return _Model(problem="none")
    return models.get(one.profile_id, _Model(problem="gone"))
