"""What a run's capabilities are handed: opened keys, and the values of variables."""

from collections.abc import Mapping
from datetime import datetime

from agenticos_app.catalogue import SOURCE, said
from agenticos_app.contracts.secrets import Payload
from agenticos_app.contracts.spec import AgentSpec, names_of
from agenticos_app.db.work import Tx
from agenticos_app.errors import KeyUnavailable
from agenticos_app.kernel.ids import AgentId
from agenticos_app.repos import accounts as account_repo
from agenticos_app.repos import agents as agent_repo
from agenticos_app.services import registry, secrets


class NotAssembled(Exception):
    """The run cannot begin. `code` is an i18n key `run_error.*`."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


async def credentials(tx: Tx, spec: AgentSpec) -> Mapping[str, Payload]:
    """Return the keys that the agent's capabilities work with, as they are in the vault at this moment.

    Raises:
        NotAssembled: One is missing, was deleted, or cannot be opened.
    """
    opened: dict[str, Payload] = {}
    for binding in spec.enabled:
        need = registry.needs_key(binding)
        if need is None:
            continue
        name = said(SOURCE, f"capability.{binding.id}.name")
        if binding.secret_id is None:
            raise NotAssembled("capability_key", f"{name} has no key.")
        try:
            opened[binding.id] = await secrets.opened(tx, binding.secret_id, purpose=need.purposes)
        except KeyUnavailable as error:
            sentence = f"The key of {name} is missing or cannot be used."
            raise NotAssembled("capability_key", sentence) from error
    return opened


async def variables(tx: Tx, spec: AgentSpec, agent_id: AgentId, at: datetime) -> Mapping[str, str]:
    """Return the values of the system variables that the instructions name."""
    named = names_of(spec.instructions)
    found: dict[str, str] = {}
    if "date" in named:
        found["date"] = f"{at:%Y-%m-%d}"
    if "time" in named:
        found["time"] = f"{at:%H:%M}"
    if "agent_name" in named:
        found["agent_name"] = (await agent_repo.names(tx, [agent_id])).get(agent_id, "")
    if "organization_name" in named:
        organization = await account_repo.organization(tx)
        found["organization_name"] = organization.name if organization else ""
    return found
