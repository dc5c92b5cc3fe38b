"""An agent's picture. It is no part of the spec and is seen by whoever sees the agent."""

from agenticos_app.db.work import Tx, work
from agenticos_app.errors import InvalidInput, NotFound, TooLarge
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.kernel.images import image_type
from agenticos_app.schemas.agents import AgentCard
from agenticos_app.security.actor import Actor
from agenticos_app.services import agents, deployment
from agenticos_app.services.agent_access import EDIT, VIEW, held
from agenticos_app.services.files import stored

LIMIT_BYTES = 2 * 1024 * 1024


async def set_picture(actor: Actor, agent_id: AgentId, body: bytes) -> AgentCard:
    """Give an agent a picture. Its bytes are stored before the transaction that names them.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        TooLarge: Over 2 MB.
        InvalidInput: Not a JPEG, PNG, WebP or GIF image, whatever its name says (`message` is `not_image`).
    """
    async with work(actor) as tx:
        await held(tx, agent_id, EDIT)
    if len(body) > LIMIT_BYTES:
        raise TooLarge(limit_bytes=LIMIT_BYTES)
    if image_type(body) is None:
        raise InvalidInput({"field": "file", "message": "not_image"})
    key = f"{actor.organization_id}/{new_id()}"
    async with stored(key, body), work(actor) as tx:
        await _name(tx, agent_id, key)
        return await agents.get_agent(tx, agent_id)


async def remove_picture(tx: Tx, agent_id: AgentId) -> None:
    """Take the picture away.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
    """
    await _name(tx, agent_id, None)


async def _name(tx: Tx, agent_id: AgentId, key: str | None) -> None:
    agent = await held(tx, agent_id, EDIT, lock=True)
    delete_later(tx, agent.avatar_key)
    agent.avatar_key, agent.changed_at = key, now()
    await tx.flush()


def delete_later(tx: Tx, key: str | None) -> None:
    """Delete the bytes once no row names them any more."""
    if key is not None:
        tx.after_commit(lambda: deployment.current().storage.delete(key))


async def picture(actor: Actor, agent_id: AgentId) -> tuple[str, bytes]:
    """Return media type and bytes of an agent's picture.

    Raises:
        NotFound: There is no such agent for the actor, or it has none.
    """
    async with work(actor) as tx:
        key = (await held(tx, agent_id, VIEW)).avatar_key
    if key is None:
        raise NotFound
    body = await deployment.current().storage.read(key)
    kind = image_type(body)
    if kind is None:
        raise NotFound
    return kind, body
