"""What a new organization has from the first minute: a model and an agent to talk to."""

from agenticos_app.contracts.providers import PRACTICE
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding
from agenticos_app.db.work import SystemTx
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import Agent, AgentVersion, ModelProfile, Organization, User
from agenticos_app.services.models import PRACTICE_NAME

NAME = "Assistant"
INSTRUCTIONS = """You are a helpful assistant. Answer in the language of the question, briefly and exactly.
Use the tools that you have: calculate instead of guessing numbers, and read attached files instead of \
guessing what they say. Quote the lines that an answer rests on and name their place.
Say so when you do not know."""

SPEC = AgentSpec(
    instructions=INSTRUCTIONS,
    capabilities=(
        CapabilityBinding(id="attachments"),
        CapabilityBinding(id="charts"),
        CapabilityBinding(id="code_execution"),
    ),
)


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
    spec, at = SPEC.model_dump(mode="json"), now()
    agent = Agent(
        id=new_id(),
        organization_id=organization.id,
        name=NAME,
        slug="assistant",
        owner_user_id=owner.id,
        draft=spec,
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
