"""Who may load a page: the console is for people who are signed in, and its cookie is renewed here."""

from pathlib import Path
from urllib.parse import quote

import structlog
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agenticos_app.api.deps import SessionCookie
from agenticos_app.errors import ExternalFailure, Overloaded, Unauthenticated
from agenticos_app.services import sessions
from agenticos_app.services.work import system_work

log = structlog.get_logger()

HOME = "/chat"
ENTRANCES = frozenset({"/sign-in", "/sign-up"})
"""Pages that only make sense for somebody who is not signed in."""


PUBLIC = ENTRANCES | {"/setup", "/404"}


def console_pages(client: Path) -> frozenset[str]:
    """Return the addresses of the built pages that need somebody who is signed in."""
    built = {f"/{page.parent.relative_to(client)}" for page in client.rglob("index.html")}
    return frozenset(built - PUBLIC - {"/."})


class PageGate:
    """Sends people to the sign-in page and back, and rotates the secret of their session."""

    def __init__(self, app: ASGIApp, pages: frozenset[str]) -> None:
        self._app = app
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        path = scope["path"].rstrip("/") or "/" if scope["type"] == "http" else ""
        if not self._is_gated(path):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        cookie = request.cookies.get(sessions.COOKIE, "")
        try:
            fresh = await _renewed(cookie)
        except Unauthenticated:
            if path in ENTRANCES:
                await self._app(scope, receive, send)
            else:
                await _to_sign_in(request, path)(scope, receive, send)
            return
        except (ExternalFailure, Overloaded):
            log.exception("page.session_not_read", path=path)
            if path in ENTRANCES:
                await self._app(scope, receive, send)
                return
            fresh = None
        if path in ENTRANCES or path == "/":
            await RedirectResponse(HOME, 303)(scope, receive, send)
            return
        await self._app(scope, receive, _with_cookie(request, fresh, send) if fresh else send)

    def _is_gated(self, path: str) -> bool:
        """Tell whether the path is a console page, one below a console page, an entrance or the root."""
        above = {path, path.rpartition("/")[0]}
        return path == "/" or path in ENTRANCES or not above.isdisjoint(self._pages)


async def _renewed(cookie: str) -> str | None:
    async with system_work() as tx:
        return await sessions.rotate(tx, cookie)


def _to_sign_in(request: Request, path: str) -> Response:
    wanted = path if path != "/" else HOME
    if request.url.query:
        wanted = f"{wanted}?{request.url.query}"
    return RedirectResponse(f"/sign-in?next={quote(wanted, safe='')}", 303)


def _with_cookie(request: Request, value: str, send: Send) -> Send:
    carrier = Response()
    SessionCookie(request, carrier).set(value)

    async def send_with_cookie(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append("set-cookie", carrier.headers["set-cookie"])
        await send(message)

    return send_with_cookie
