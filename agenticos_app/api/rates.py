"""What each answer says about the caller's limit."""

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agenticos_app.bus.limits import Rate

_NOTED = "agenticos.rate"


def note_rate(scope: Scope, rate: Rate) -> None:
    """Have the answer to this request tell how the caller stands."""
    scope.get(_NOTED, []).append(rate)


def rate_headers(rate: Rate) -> Mapping[str, str]:
    """Return the headers that clients know."""
    return {
        "ratelimit-limit": str(rate.limit),
        "ratelimit-remaining": str(rate.remaining),
        "ratelimit-reset": str(rate.reset_s),
    }


class RateHeaders:
    """Adds the headers to answers of the API, refusals too."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        noted: list[Rate] = []
        scope[_NOTED] = noted

        async def send_with_rate(message: Message) -> None:
            if message["type"] == "http.response.start" and noted:
                headers = MutableHeaders(scope=message)
                for name, value in rate_headers(noted[-1]).items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_rate)
