"""What a new organization has from the first minute: a model and an agent to talk to."""

from agenticos_app.contracts.providers import PRACTICE
from agenticos_app.db.work import SystemTx
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import Agent, AgentVersion, ModelProfile, Organization, User
from agenticos_app.services.models import PRACTICE_NAME
from agenticos_app.services.publishing import first_environment
from agenticos_app.services.starter_model import SLUG
from agenticos_app.services.templates import STARTER

NAME = "Assistant"


async def furnish(tx: SystemTx, organization: Organization, owner: User) -> None:
    """Add the practice model and the published starter agent."""
    profile = ModelProfile(
        id=new_id(),
        organization_id=organization.id,
        name=PRACTICE_NAME,
        provider=PRACTICE,
        model_name=PRACTICE,
        params={},
        is_free=True,
    )
    chosen = STARTER.spec.model_copy(update={"model_profile_id": profile.id})
    spec, at = chosen.model_dump(mode="json"), now()
    agent = Agent(
        id=new_id(),
        organization_id=organization.id,
        name=NAME,
        slug=SLUG,
        owner_user_id=owner.id,
        draft=spec,
        draft_by_user_id=owner.id,
        draft_changed_at=at,
        latest_version=1,
        changed_at=at,
    )
    version = AgentVersion(
        id=new_id(),
        organization_id=organization.id,
        agent_id=agent.id,
        number=1,
        spec=spec,
        published_by_user_id=owner.id,
    )
    agent.live_version_id, agent.live_version = version.id, 1
    organization.default_model_profile_id = profile.id
    tx.add(profile, agent)
    await tx.flush()
    tx.add(version)
    await tx.flush()
    tx.add(first_environment(version))
    await tx.flush()
