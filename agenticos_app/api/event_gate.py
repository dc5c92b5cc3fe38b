"""The socket of Reflex's pages: open to strangers too, who read the sign-in page, but at a bounded cost.

Whoever is signed in passes. A stranger's state lives on for hours in the server, so how many sockets one
client opens is counted, and what they say is cut short. A page works without its socket: forms are plain
requests.
"""

from collections import Counter

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agenticos_app.api.deps import client_of
from agenticos_app.bus import bus
from agenticos_app.errors import ExternalFailure, LimitReached, Overloaded
from agenticos_app.kernel.addresses import counted_as
from agenticos_app.services import sessions
from agenticos_app.services.work import system_work

PATH = "/_event"
POLICY_VIOLATION = 1008

STRANGERS_PER_MINUTE = 30
"""New sockets of one client without a session."""
STRANGERS_AT_ONCE = 30
"""Open ones, in one process."""
STRANGER_MESSAGE_BYTES = 16 * 1024
STRANGER_MESSAGES = 500
"""What one of them may say in its life: a heartbeat every half minute makes four hours."""


class EventGate:
    """Lets the sockets of people pass, and counts those of strangers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "websocket" or not scope["path"].startswith(PATH):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if await _is_somebodys(connection.cookies.get(sessions.COOKIE, "")):
            await self._app(scope, receive, send)
            return
        stranger = counted_as(client_of(connection).ip_address)
        if not await self._admits(stranger):
            await receive()
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            return
        self._open[stranger] += 1
        try:
            await self._app(scope, _bounded(receive), send)
        finally:
            self._open[stranger] -= 1
            self._open += Counter()  # forgets who has none open

    async def _admits(self, stranger: str) -> bool:
        if self._open[stranger] >= STRANGERS_AT_ONCE:
            return False
        try:
            await bus.current().limits.take("stranger", stranger, per_minute=STRANGERS_PER_MINUTE)
        except LimitReached:
            return False
        return True


async def _is_somebodys(cookie: str) -> bool:
    """Tell whether the cookie is a session's; while the database is away nobody is called a stranger."""
    if not cookie:
        return False
    try:
        async with system_work() as tx:
            return await sessions.is_open(tx, cookie)
    except (ExternalFailure, Overloaded):
        return True


def _bounded(receive: Receive) -> Receive:
    """Return what the client says until it says too much, which ends the connection."""
    said = 0

    async def receive_bounded() -> Message:
        nonlocal said
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        said += 1
        size = len(message.get("text") or "") + len(message.get("bytes") or b"")
        if said > STRANGER_MESSAGES or size > STRANGER_MESSAGE_BYTES:
            return {"type": "websocket.disconnect", "code": POLICY_VIOLATION}
        return message

    return receive_bounded
