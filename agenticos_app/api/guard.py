"""The outermost layer of the server: who may not ask, and what every answer carries."""

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agenticos_app.errors import AppError, ForeignOrigin, TooLarge

_FORWARDED = {
    b"x-forwarded-for",
    b"x-forwarded-proto",
    b"x-forwarded-host",
    b"x-forwarded-port",
    b"forwarded",
}
_POLICY_VIOLATION = 1008
_ON_EVERYTHING = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), payment=(), usb=()",
    "x-robots-tag": "noindex, nofollow",
}
_API_POLICY = "default-src 'none'; frame-ancestors 'none'"


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the guard has to know of the deployment."""

    client: Path
    """Folder of the built pages."""
    body_limit_bytes: int
    public_url: str = ""
    trusted_proxies: Sequence[str] = ()
    """Addresses or networks whose word about the client's address and scheme is taken."""


def content_policy(client: Path) -> str:
    """Return the strictest policy that the built pages run under; their inline scripts go in by hash."""
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *_script_hashes(client)]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def _script_hashes(client: Path) -> list[str]:
    found: set[str] = set()
    for page in client.rglob("*.html"):
        for body in re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page.read_text(), re.DOTALL):
            digest = hashlib.sha256(body.encode()).digest()
            found.add(f"'sha256-{base64.b64encode(digest).decode()}'")
    return sorted(found)


class Guard:
    """Refuses other sites' pages and too large bodies, names the real client, and adds the headers."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._limit = rules.body_limit_bytes
        public = urlsplit(rules.public_url.lower())
        self._own_origin = f"{public.scheme}://{public.netloc}"
        self._secure = public.scheme == "https"
        self._proxies = [
            ip_network(one.strip(), strict=False) for one in rules.trusted_proxies if one.strip()
        ]
        self._policy = content_policy(rules.client)
        self._pages = {
            f"/{page.parent.relative_to(rules.client)}" for page in rules.client.rglob("index.html")
        }
        self._assets = {f"/{path.relative_to(rules.client)}" for path in rules.client.glob("assets/**/*")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope = _as_seen_by_the_client(scope, self._proxies)
        is_socket = scope["type"] == "websocket"
        if not is_socket:
            send = self._with_headers(scope["path"], send)
        headers = Headers(scope=scope)
        if self._is_foreign(scope, headers):
            if not headers.get("authorization", "").lower().startswith("bearer "):
                await _refuse_origin(scope, receive, send)
                return
            # A key speaks for itself; the person's cookie must not answer for a key that is none.
            scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
        if is_socket:
            await self._app(scope, receive, send)
        else:
            await self._answer(scope, headers, receive, send)

    async def _answer(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.startswith("/assets/") and path not in self._assets:
            # A page from before an upgrade asks for a file of that time; it must not keep this answer.
            await PlainTextResponse("not found", 404)(scope, receive, send)
            return
        if path in self._pages and path != "/":
            scope["path"] = f"{path}/"  # else each page costs a redirect
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._limit:
            await _refusal(TooLarge(limit_bytes=self._limit))(scope, receive, send)
            return
        await self._counted(scope, receive, send)

    async def _counted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, but no more of its body than the limit."""
        size, started, exceeded = 0, False, False

        async def receive_counted() -> Message:
            nonlocal size, exceeded
            message = await receive()
            if message["type"] == "http.request":
                size += len(message.get("body", b""))
                if size > self._limit:
                    exceeded = True
                    return {"type": "http.disconnect"}
            return message

        async def send_unless_exceeded(message: Message) -> None:
            nonlocal started
            if exceeded and not started:
                return
            started = True
            await send(message)

        try:
            await self._app(scope, receive_counted, send_unless_exceeded)
        except Exception:
            if not exceeded:
                raise
        if exceeded and not started:
            await _refusal(TooLarge(limit_bytes=self._limit))(scope, receive, send)

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is None:
            return (
                scope.get("method") not in ("GET", "HEAD") and headers.get("sec-fetch-site") == "cross-site"
            )
        host = urlsplit(origin).netloc.lower()
        return not host or (host != headers.get("host", "").lower() and origin.lower() != self._own_origin)

    def _with_headers(self, path: str, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add(MutableHeaders(scope=message), path, message["status"])
            await send(message)

        return send_with_headers

    def _add(self, headers: MutableHeaders, path: str, status: int) -> None:
        for name, value in _ON_EVERYTHING.items():
            headers.setdefault(name, value)
        if self._secure:
            headers["strict-transport-security"] = "max-age=31536000"
        if path.startswith("/api/"):
            headers.setdefault("content-security-policy", _API_POLICY)
            headers.setdefault("cache-control", "no-store")
        elif headers.get("content-type", "").startswith("text/html"):
            headers["content-security-policy"] = self._policy
            headers["cache-control"] = "no-cache"
        elif path.startswith("/assets/"):
            kept = status in (200, 304)
            headers["cache-control"] = "public, max-age=31536000, immutable" if kept else "no-store"
        else:
            headers.setdefault("cache-control", "no-cache")


async def _refuse_origin(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
    else:
        await _refusal(ForeignOrigin())(scope, receive, send)


def _refusal(error: AppError) -> JSONResponse:
    body = {"code": error.code, "message": error.message, "details": dict(error.details)}
    return JSONResponse({"error": body}, error.status)


def _as_seen_by_the_client(scope: Scope, proxies: Sequence[IPv4Network | IPv6Network]) -> Scope:
    """Return the scope with the client's own address and scheme; who is no proxy of ours is not believed."""
    headers = Headers(scope=scope)
    seen = {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in _FORWARDED]}
    peer = scope["client"][0] if scope.get("client") else ""
    if not _is_one_of(peer, proxies):
        return seen
    scheme = headers.get("x-forwarded-proto", "").rsplit(",", 1)[-1].strip().lower()
    if scheme in ("http", "https"):
        secure = scheme == "https"
        seen["scheme"] = {True: "wss", False: "ws"}[secure] if scope["type"] == "websocket" else scheme
    hops = [hop.strip() for hop in ",".join(headers.getlist("x-forwarded-for")).split(",") if hop.strip()]
    while hops and _is_one_of(peer, proxies):
        peer = hops.pop()
    seen["client"] = (peer, 0)
    return seen


def _is_one_of(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    try:
        one = ip_address(address)
    except ValueError:
        return False
    return any(one in network for network in networks if network.version == one.version)
