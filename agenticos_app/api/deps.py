"""What a route may ask for."""

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Depends, Header, Request, Response
from starlette.requests import HTTPConnection

from agenticos_app.security.actor import Actor, Surface
from agenticos_app.services import sessions
from agenticos_app.services.sessions import Client
from agenticos_app.services.work import Credentials, SystemTx, Tx, actor_of, signed_in, system_work


def client_of(connection: HTTPConnection) -> Client:
    """Return where a request came from; the guard has already read trusted proxies' headers."""
    return Client(
        ip_address=connection.client.host if connection.client else "",
        user_agent=connection.headers.get("user-agent", ""),
    )


def credentials_of(connection: HTTPConnection, *, surface: Surface = Surface.API) -> Credentials:
    """Return what a request shows."""
    return Credentials(
        secret=connection.cookies.get(sessions.COOKIE, ""),
        organization=connection.headers.get("x-organization-id", "")
        or connection.query_params.get("organization", ""),
        surface=surface,
        ip_address=client_of(connection).ip_address,
    )


def credentials_of_call(request: Request) -> Credentials:
    """Return what an API request shows."""
    return credentials_of(request)


async def _tx(
    request: Request,
    x_organization_id: Annotated[
        str, Header(description="Id or slug of the organization to act in; empty: the remembered one")
    ] = "",
) -> AsyncGenerator[Tx]:
    async with signed_in(credentials_of(request)) as tx:
        yield tx


async def _actor(
    request: Request,
    x_organization_id: Annotated[
        str, Header(description="Id or slug of the organization to act in; empty: the remembered one")
    ] = "",
) -> Actor:
    return await actor_of(credentials_of(request))


async def _system_tx() -> AsyncGenerator[SystemTx]:
    async with system_work() as tx:
        yield tx


# Scope "function" commits before the answer is written, so that a 2xx can be read back.
InTx = Annotated[Tx, Depends(_tx, scope="function")]
"""A transaction of whoever is signed in."""

Acting = Annotated[Actor, Depends(_actor)]
"""Whoever is signed in, for routes whose work is more than one transaction."""

InSystemTx = Annotated[SystemTx, Depends(_system_tx, scope="function")]
"""A transaction of the platform, for callers who are nobody yet."""

Calling = Annotated[Credentials, Depends(credentials_of_call)]
"""What the caller showed, for routes that must not hold a transaction."""

FromClient = Annotated[Client, Depends(client_of)]


class SessionCookie:
    """Sets and clears the session cookie."""

    def __init__(self, request: Request, response: Response) -> None:
        self._secure = request.url.scheme == "https"
        self._response = response

    def set(self, value: str) -> None:
        """Give the browser its secret: not readable by scripts, not sent by other sites' pages."""
        self._response.set_cookie(
            sessions.COOKIE,
            value,
            max_age=sessions.ABSOLUTE_DAYS * 86_400,
            httponly=True,
            samesite="lax",
            secure=self._secure,
            path="/",
        )

    def clear(self) -> None:
        """Take it away."""
        self._response.delete_cookie(sessions.COOKIE, path="/", httponly=True, samesite="lax")


Cookie = Annotated[SessionCookie, Depends()]
