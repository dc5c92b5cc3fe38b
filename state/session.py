"""Who is signed in; the only state that other areas import."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlencode
from uuid import UUID

import reflex as rx

from agenticos_app.errors import NotFound
from agenticos_app.schemas.accounts import Me
from agenticos_app.security.actor import Actor
from agenticos_app.services import sessions
from agenticos_app.services.work import Credentials, Tx, actor_of, signed_in


def credentials_of(state: rx.State) -> Credentials:
    """Return what the browser showed when its socket connected, and the organization that the page names."""
    router = state.router
    cookie: SimpleCookie = SimpleCookie()
    try:
        cookie.load(router.headers.cookie)
    except CookieError:
        cookie = SimpleCookie()
    held = cookie.get(sessions.COOKIE)
    return Credentials(
        secret=held.value if held else "",
        organization=str(router.url.query_parameters.get("org", "")),
        ip_address=str(router.session.client_ip),
    )


@asynccontextmanager
async def acting(state: rx.State) -> AsyncGenerator[Tx]:
    """Open a transaction for the person whose browser sent the event.

    Raises:
        Unauthenticated: The session is over; the page then loads anew, which leads to the sign-in page.
    """
    async with signed_in(credentials_of(state)) as tx:
        yield tx


async def actor(state: rx.State) -> Actor:
    """Return the person whose browser sent the event, for work that is more than one transaction.

    Raises:
        Unauthenticated: As `acting`.
    """
    return await actor_of(credentials_of(state))


def identity(text: str) -> UUID:
    """Return the id that a browser sent.

    Raises:
        NotFound: It is no id; nothing has it.
    """
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None


def in_organization(state: rx.State, address: str) -> str:
    """Return the address with the organization that the page's own address names."""
    organization = str(state.router.url.query_parameters.get("org", ""))
    if not organization:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode({'org': organization})}"


class SessionState(rx.State):
    """The frame of every page: who, in which organization."""

    me: Me | None = None
    _holder: str = ""
    """Digest of the cookie of whoever this tab's state was made for."""

    # Static, because Reflex offers every other public method to browsers as an event.
    @staticmethod
    def is_held_by(session: "SessionState", holder: str) -> bool:
        """Tell whether a tab's state was made for this cookie."""
        return session._holder == holder

    @staticmethod
    def hand_to(session: "SessionState", holder: str) -> None:
        """Make the emptied state of a tab this cookie's."""
        session._holder = holder

    @rx.event
    async def load(self) -> None:
        """Show who is signed in."""
        async with acting(self) as tx:
            self.me = await sessions.me(tx)
