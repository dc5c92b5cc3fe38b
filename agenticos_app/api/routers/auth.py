"""Signing in and out: routes, not State events, because only an HTTP answer can set the session cookie."""

from fastapi import APIRouter, Request

from agenticos_app.api.deps import Cookie, FromClient, InPersonTx, InSystemTx, InTx
from agenticos_app.api.openapi import refusals
from agenticos_app.errors import Conflict, Forbidden, NotFound, PersonNeeded, WrongCredentials
from agenticos_app.kernel.ids import OrganizationId, SessionId
from agenticos_app.schemas.accounts import (
    Me,
    OrganizationChoice,
    SessionRow,
    SetUp,
    SignedIn,
    SignIn,
    SignUp,
    SignUpRule,
)
from agenticos_app.services import accounts, sessions, setup

router = APIRouter(tags=["Sign-in"])


@router.get("/auth/rule")
async def read_rule(tx: InSystemTx) -> SignUpRule:
    """Say who may create an account."""
    return await accounts.rule(tx)


@router.post("/auth/setup", responses=refusals(Forbidden, Conflict, NotFound))
async def set_up(body: SetUp, client: FromClient, cookie: Cookie) -> SignedIn:
    """Create the owner's account with the one-time link that the server printed."""
    cookie.set(await setup.set_up(body, client))
    return SignedIn()


@router.post("/auth/sign-up", responses=refusals(Forbidden, Conflict))
async def sign_up(body: SignUp, client: FromClient, cookie: Cookie) -> SignedIn:
    """Create an account with a personal organization."""
    cookie.set(await accounts.sign_up(body, client))
    return SignedIn()


@router.post("/auth/sign-in", responses=refusals(WrongCredentials))
async def sign_in(body: SignIn, client: FromClient, cookie: Cookie) -> SignedIn:
    """Open a session; its cookie is `aos_session`."""
    cookie.set(await sessions.sign_in(body, client))
    return SignedIn()


@router.post("/auth/sign-out", status_code=204)
async def sign_out(tx: InSystemTx, request: Request, cookie: Cookie) -> None:
    """End the session."""
    await sessions.sign_out(tx, request.cookies.get(sessions.COOKIE, ""))
    cookie.clear()


@router.get("/me")
async def read_me(tx: InTx) -> Me:
    """Say who acts, in which organization, with which permissions."""
    return await sessions.me(tx)


@router.put("/me/organization", status_code=204, responses=refusals(PersonNeeded, NotFound))
async def choose_organization(tx: InPersonTx, body: OrganizationChoice) -> None:
    """Remember which organization the console shows."""
    await sessions.choose_organization(tx, OrganizationId(body.organization_id))


@router.get("/me/sessions", responses=refusals(PersonNeeded))
async def list_sessions(tx: InPersonTx) -> list[SessionRow]:
    """List where the person is signed in."""
    return await sessions.list_sessions(tx)


@router.delete("/me/sessions/{session_id}", status_code=204, responses=refusals(PersonNeeded, NotFound))
async def end_session(tx: InPersonTx, session_id: SessionId) -> None:
    """Sign one device out."""
    await sessions.end(tx, session_id)


@router.delete("/me/sessions", status_code=204, responses=refusals(PersonNeeded))
async def end_all_sessions(tx: InPersonTx) -> None:
    """Sign out everywhere, here too."""
    await sessions.end_all(tx)
