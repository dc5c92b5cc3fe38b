"""Noticing that somebody may not go on while something long is open for them."""

from agenticos_app.bus import bus
from agenticos_app.errors import AppError, ExternalFailure, Overloaded
from agenticos_app.security.actor import Actor
from agenticos_app.services.work import Credentials, resolved, system_work

LOOK_AGAIN_S = 15
"""Signals tell at once; a lost one is noticed after so long."""

RELEVANT = ("session.ended", "membership.changed", "api_key.revoked")


async def until_over(credentials: Credentials) -> None:
    """Return when the session or key ended, or its person no longer belongs to the organization."""
    actor = await _actor(credentials)
    if actor is None:
        return
    async with bus.current().signals.listen(
        str(actor.api_key_id or actor.session_id), str(actor.user_id)
    ) as mailbox:
        while await _still(credentials, actor):
            while (signal := await mailbox.next(LOOK_AGAIN_S)) is not None and signal.kind not in RELEVANT:
                continue


async def _still(credentials: Credentials, actor: Actor) -> bool:
    try:
        found = await _actor(credentials)
    except (ExternalFailure, Overloaded):
        return True
    return found is not None and found.organization_id == actor.organization_id


async def _actor(credentials: Credentials) -> Actor | None:
    try:
        async with system_work() as tx:
            return await resolved(tx, credentials)
    except (ExternalFailure, Overloaded):
        raise
    except AppError:
        return None
