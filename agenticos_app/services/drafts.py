"""The one draft of an agent: read, saved by whoever has seen its last change, compared."""

import json
from collections.abc import Iterable
from typing import cast

from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, InvalidInput, TooLarge
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId
from agenticos_app.kernel.text import storable_json
from agenticos_app.models import Agent
from agenticos_app.repos import secrets, versions
from agenticos_app.schemas.agents import Draft, DraftChange, How
from agenticos_app.services.agent_access import EDIT, VIEW, held

LARGEST_BYTES = 512 * 1024
"""Of a stored spec."""
CHOSEN_ELSEWHERE = frozenset({"channel_tools"})
"""Capabilities that no spec holds: a bot's is chosen where the bot is bound."""
DEEPEST = 32
"""Levels of lists and mappings in settings and schemas."""


async def get_draft(tx: Tx, agent_id: AgentId) -> Draft:
    """Return an agent's draft.

    Raises:
        NotFound: There is none, or the actor may not see it.
    """
    return await _draft(tx, await held(tx, agent_id, VIEW))


async def save(tx: Tx, agent_id: AgentId, body: DraftChange, *, how: How = "typing") -> Draft:
    """Put a spec in place of the draft. Its shape is checked by its type; nothing that it refers to is.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        Conflict: Somebody changed it since the revision that was read (`reason="draft_changed"`, `revision`,
            `changed_by`, `changed_at`, `how`).
        TooLarge, InvalidInput: It is too long, or too deep (`spec`).
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    await require_revision(tx, agent, body.revision)
    await replace(tx, agent, body.spec, how)
    return await _draft(tx, agent)


async def require_revision(tx: Tx, agent: Agent, revision: int) -> None:
    """Refuse who has not seen the draft as it is.

    Raises:
        Conflict: As `save`.
    """
    if agent.draft_revision == revision:
        return
    raise Conflict(
        reason="draft_changed",
        revision=agent.draft_revision,
        changed_by=await _changed_by(tx, agent),
        changed_at=agent.draft_changed_at,
        how=agent.draft_how,
    )


async def replace(tx: Tx, agent: Agent, spec: AgentSpec, how: How) -> None:
    """Put a spec in place of the draft of a locked agent. What is the same changes nothing.

    Capabilities that are chosen elsewhere are left out.

    Raises:
        TooLarge, InvalidInput: As `save`.
    """
    chosen = tuple(binding for binding in spec.capabilities if binding.id not in CHOSEN_ELSEWHERE)
    document = document_of(spec.model_copy(update={"capabilities": chosen}))
    if document == agent.draft:
        return
    agent.draft, agent.draft_how = document, how
    agent.draft_revision += 1
    agent.draft_by_user_id = tx.actor.user_id
    agent.draft_changed_at = agent.changed_at = now()
    await tx.flush()


def document_of(spec: AgentSpec) -> dict[str, object]:
    """Return the spec as it is stored.

    Raises:
        TooLarge: Over 512 KiB.
        InvalidInput: Settings or a schema are nested too deeply (`spec`).
    """
    loose = [spec.output_schema, *(binding.config for binding in spec.capabilities)]
    if any(_is_deeper(one, DEEPEST) for one in loose):
        raise InvalidInput({"field": "spec", "message": "too_large"})
    document = cast("dict[str, object]", storable_json(spec.model_dump(mode="json")))
    if len(json.dumps(document)) > LARGEST_BYTES:
        raise TooLarge(limit_bytes=LARGEST_BYTES)
    return document


def _is_deeper(value: object, limit: int) -> bool:
    """Tell whether lists and mappings are nested more than so many times."""
    layer: list[object] = [value]
    for _ in range(limit + 1):
        layer = [inner for one in layer for inner in _inside(one)]
        if not layer:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


async def _draft(tx: Tx, agent: Agent) -> Draft:
    spec = read_spec(agent.draft)
    latest = await versions.by_number(tx, agent.id, agent.latest_version)
    return Draft(
        agent_id=agent.id,
        revision=agent.draft_revision,
        spec=spec,
        changed_at=agent.draft_changed_at,
        changed_by=await _changed_by(tx, agent),
        how=agent.draft_how,  # pyright: ignore[reportArgumentType]  # nothing else is written
        differs=latest is None or read_spec(latest.spec) != spec,
    )


async def _changed_by(tx: Tx, agent: Agent) -> str:
    if agent.draft_by_user_id is None:
        return ""
    return (await secrets.names_of_people(tx, [agent.draft_by_user_id])).get(agent.draft_by_user_id, "")
