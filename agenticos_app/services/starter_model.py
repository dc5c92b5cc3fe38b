"""The starter agent follows the suggested model for as long as nobody has made it their own."""

from agenticos_app.contracts.audit import Action
from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.kernel.ids import ModelProfileId
from agenticos_app.models import Agent
from agenticos_app.repos import agents, versions
from agenticos_app.services import drafts, publishing, spec_check
from agenticos_app.services.templates import STARTER

SLUG = "getting-started"


async def move(tx: Tx, profile_id: ModelProfileId) -> None:
    """Publish the starter agent with this model, if live version and draft are the template's.

    So an organization's first question works, whichever model was chosen before it was asked.
    """
    agent = await agents.starter(tx, SLUG)
    if agent is None or agent.archived_at is not None or not await _is_untouched(tx, agent):
        return
    spec = read_spec(agent.draft)
    if spec.model_profile_id == profile_id:
        return
    chosen = spec.model_copy(update={"model_profile_id": profile_id})
    if await spec_check.problems_of(tx, chosen):  # a scope was withdrawn: its author has to look at it
        return
    version = await publishing.freeze(tx, agent, chosen, note="", action=Action.AGENT_PUBLISHED)
    await drafts.replace(tx, agent, read_spec(version.spec), "created")


async def _is_untouched(tx: Tx, agent: Agent) -> bool:
    """Tell whether live version and draft are the template's, whatever their model."""
    version = await versions.get(tx, agent.live_version_id) if agent.live_version_id else None
    live = read_spec(version.spec) if version else None
    draft = read_spec(agent.draft)
    return live is not None and _plain(live) == _plain(STARTER.spec) == _plain(draft)


def _plain(spec: AgentSpec) -> AgentSpec:
    return spec.model_copy(update={"model_profile_id": None})
