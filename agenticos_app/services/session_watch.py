"""Noticing that a session ended while something long is open for it."""

from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.errors import ExternalFailure
from agenticos_app.services import sessions
from agenticos_app.services.work import Credentials, system_work

LOOK_AGAIN_S = 15
"""Signals tell at once; a lost one is noticed after so long."""


async def until_over(credentials: Credentials) -> None:
    """Return when nobody may use the session any more."""
    name = credentials.secret.partition(".")[0]
    try:
        topic = str(UUID(hex=name))
    except ValueError:
        return
    async with bus.current().signals.listen(topic) as mailbox:
        while await _is_open(credentials.secret):
            await mailbox.next(LOOK_AGAIN_S)


async def _is_open(cookie: str) -> bool:
    try:
        async with system_work() as tx:
            return await sessions.is_open(tx, cookie)
    except ExternalFailure:
        return True
