"""What a route may ask for."""

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Depends, Header, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.requests import HTTPConnection

from agenticos_app.api.rates import note_rate
from agenticos_app.security.actor import Actor, Surface
from agenticos_app.services import admission, sessions
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
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return Credentials(
        secret=connection.cookies.get(sessions.COOKIE, ""),
        key=token.strip() if scheme.lower() == "bearer" else None,
        organization=connection.headers.get("x-organization-id", "")
        or connection.query_params.get("organization", ""),
        surface=surface,
        ip_address=client_of(connection).ip_address,
    )


# These two describe the ways in; what they return is not used.
_KEY = HTTPBearer(
    auto_error=False,
    scheme_name="ApiKey",
    description="An API key: `Authorization: Bearer aos_...`. It wins over a cookie.",
)
_SESSION = APIKeyCookie(
    name=sessions.COOKIE,
    auto_error=False,
    scheme_name="Session",
    description="The cookie of a person who is signed in. Writes must come from the console's own pages.",
)

Organization = Annotated[
    str,
    Header(description="Id or slug of the organization to act in; a key knows its own, a person the last"),
]


async def _counted(request: Request) -> Credentials:
    credentials = credentials_of(request)
    note_rate(request.scope, await admission.count_request(credentials.mark))
    return credentials


async def _caller(
    request: Request,
    _key: Annotated[object, Security(_KEY)],
    _session: Annotated[object, Security(_SESSION)],
    x_organization_id: Organization = "",
) -> Credentials:
    return await _counted(request)


async def _person(
    request: Request, _session: Annotated[object, Security(_SESSION)], x_organization_id: Organization = ""
) -> Credentials:
    return await _counted(request)


Calling = Annotated[Credentials, Depends(_caller)]
"""What the caller showed, for routes that must not hold a transaction."""


async def _tx(credentials: Calling) -> AsyncGenerator[Tx]:
    async with signed_in(credentials) as tx:
        yield tx


async def _talking_tx(credentials: Calling) -> AsyncGenerator[Tx]:
    async with signed_in(credentials) as tx:
        tx.actor.require_talking()
        yield tx


async def _talking_actor(credentials: Calling) -> Actor:
    actor = await actor_of(credentials)
    actor.require_talking()
    return actor


async def _actor(credentials: Calling) -> Actor:
    return await actor_of(credentials)


async def _person_actor(credentials: Annotated[Credentials, Depends(_person)]) -> Actor:
    actor = await actor_of(credentials)
    actor.require_person()
    return actor


async def _person_tx(credentials: Annotated[Credentials, Depends(_person)]) -> AsyncGenerator[Tx]:
    async with signed_in(credentials) as tx:
        tx.actor.require_person()
        yield tx


async def _system_tx() -> AsyncGenerator[SystemTx]:
    async with system_work() as tx:
        yield tx


# Scope "function" commits before the answer is written, so that a 2xx can be read back.
InTx = Annotated[Tx, Depends(_tx, scope="function")]
"""A transaction of whoever is signed in, or whose key it is."""

InPersonTx = Annotated[Tx, Depends(_person_tx, scope="function")]
"""A transaction of a person who is signed in; keys are refused."""

InTalk = Annotated[Tx, Depends(_talking_tx, scope="function")]
"""A transaction for the caller's own conversations and files: a key needs `agents:run` for them."""

Talking = Annotated[Actor, Depends(_talking_actor)]
"""Whoever may, likewise, for routes whose work is more than one transaction."""

Acting = Annotated[Actor, Depends(_actor)]
"""Whoever is signed in or whose key it is, for routes whose work is more than one transaction."""

ActingInPerson = Annotated[Actor, Depends(_person_actor)]
"""A person who is signed in, likewise; keys are refused."""

InSystemTx = Annotated[SystemTx, Depends(_system_tx, scope="function")]
"""A transaction of the platform, for callers who are nobody yet."""

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
