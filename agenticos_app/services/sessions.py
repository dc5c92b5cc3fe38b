"""Sign-in sessions: one row per device behind an opaque, rotating secret in a cookie."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.bus.signals import Signal
from agenticos_app.db.work import SystemTx, Tx, system_work
from agenticos_app.errors import Conflict, NotFound, Unauthenticated, WrongCredentials
from agenticos_app.kernel.addresses import counted_as
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import OrganizationId, SessionId, UserId, new_id
from agenticos_app.models import Membership, Organization, Session, User
from agenticos_app.repos import accounts as repo
from agenticos_app.schemas.accounts import Me, MembershipRow, SessionRow, SignIn
from agenticos_app.security import passwords, tokens
from agenticos_app.security.actor import Actor, Surface
from agenticos_app.security.devices import device_of
from agenticos_app.security.permissions import EVERYTHING, Permission, Scope, reach_of
from agenticos_app.services import deployment

COOKIE = "aos_session"
UNUSED_DAYS = 7
ABSOLUTE_DAYS = 30
ROTATE_AFTER = timedelta(hours=24)
TOUCH_AFTER = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """Where a request came from."""

    ip_address: str
    user_agent: str


async def sign_in(body: SignIn, client: Client) -> str:
    """Open a session and return its cookie. No transaction is open while the password is compared.

    Raises:
        WrongCredentials: No such active account, or another password. Which one is not told.
        LimitReached: Too many tries from this client or on this address.
    """
    await count_try(client, body.email)
    async with system_work() as tx:
        found = await repo.user_by_email(tx, body.email)
    stored = found.password_hash if found else None
    fits = await passwords.verify(body.password, stored)
    if found is None or not fits:
        raise WrongCredentials
    async with system_work() as tx:
        user = await repo.user(tx, found.id)
        if user is None or not user.is_active or user.password_hash != stored:
            raise WrongCredentials
        return await open_session(tx, user, client)


async def count_try(client: Client, email: str) -> None:
    """Count one try to get in, before anything is read.

    Raises:
        LimitReached: Too many from this client or on this address within the minute.
    """
    limits, per_minute = bus.current().limits, deployment.current().auth_per_minute
    await limits.take("auth-client", counted_as(client.ip_address), per_minute=per_minute)
    await limits.take("auth-address", tokens.digest(email.strip().lower()).hex(), per_minute=per_minute)


async def open_session(tx: SystemTx, user: User, client: Client) -> str:
    """Open a session for a person whose identity is proven, and return its cookie."""
    secret, at = tokens.new_secret(), now()
    device = device_of(client.user_agent)
    session = Session(
        id=new_id(),
        user_id=user.id,
        secret_hash=tokens.digest(secret),
        rotated_at=at,
        device=device.name,
        device_type=device.type,
        ip_address=client.ip_address[:64],
        user_agent=client.user_agent[:512],
        last_used_at=at,
        expires_at=at + timedelta(days=ABSOLUTE_DAYS),
    )
    tx.add(session)
    await tx.flush()
    return f"{session.id.hex}.{secret}"


def _read(cookie: str) -> tuple[UUID, str]:
    session_id, _, secret = cookie.partition(".")
    try:
        return UUID(hex=session_id), secret
    except ValueError:
        raise Unauthenticated from None


def _is_over(session: Session) -> bool:
    at = now()
    return at > session.expires_at or at > session.last_used_at + timedelta(days=UNUSED_DAYS)


async def _holder(tx: SystemTx, cookie: str, organization: str) -> repo.Found:
    session_id, secret = _read(cookie)
    found = await repo.find_session(tx, session_id, organization)
    if found is None or _is_over(found.session) or not found.user.is_active:
        raise Unauthenticated
    known = (found.session.secret_hash, found.session.previous_secret_hash)
    if not any(tokens.same(secret, stored) for stored in known):
        raise Unauthenticated
    return found


async def resolve(
    tx: SystemTx,
    cookie: str,
    *,
    organization: str = "",
    surface: Surface = Surface.WEB,
    ip_address: str = "",
) -> Actor:
    """Return who the cookie belongs to, acting in the named organization or the remembered one.

    Raises:
        Unauthenticated: No such session, or it is over, or the account is not active.
        NotFound: The named organization is not one of the person's.
        Conflict: The person belongs to no organization (`reason="no_organization"`).
    """
    if not organization.isprintable():
        raise NotFound
    session, user, chosen, membership = await _holder(tx, cookie, organization)
    if chosen is None or (membership is None and not user.is_app_admin):
        if organization:
            raise NotFound
        chosen, membership = await _fallback(tx, user)
    remembered = session.organization_id if organization else chosen.id
    if now() > session.last_used_at + TOUCH_AFTER or session.organization_id != remembered:
        await repo.touch_session(tx, session.id, now(), remembered)
    return Actor(
        organization_id=OrganizationId(chosen.id),
        user_id=UserId(user.id),
        reach=EVERYTHING if user.is_app_admin else reach_of(membership.role if membership else ""),
        surface=surface,
        session_id=SessionId(session.id),
        is_app_admin=user.is_app_admin,
        ip_address=ip_address[:64],
    )


async def _fallback(tx: SystemTx, user: User) -> tuple[Organization, Membership]:
    memberships = await repo.memberships_of(tx, user.id)
    if not memberships:
        raise Conflict(reason="no_organization")
    membership, organization = memberships[0]
    return organization, membership


async def rotate(tx: SystemTx, cookie: str) -> str | None:
    """Return a new cookie when the secret is a day old, or None to keep it.

    The old secret stays good until the next rotation, because open sockets hold it.

    Raises:
        Unauthenticated: The session is over.
    """
    found = await _holder(tx, cookie, "")
    if now() < found.session.rotated_at + ROTATE_AFTER:
        return None
    session = await repo.lock_session(tx, found.session.id)
    _, secret = _read(cookie)
    if session is None or not tokens.same(secret, session.secret_hash):
        return None
    fresh = tokens.new_secret()
    session.previous_secret_hash, session.secret_hash = session.secret_hash, tokens.digest(fresh)
    session.rotated_at = now()
    await tx.flush()
    return f"{session.id.hex}.{fresh}"


async def is_open(tx: SystemTx, cookie: str) -> bool:
    """Tell whether the cookie is somebody's."""
    try:
        await _holder(tx, cookie, "")
    except Unauthenticated:
        return False
    return True


async def sign_out(tx: SystemTx, cookie: str) -> None:
    """End the cookie's session; nothing happens when it is over already."""
    try:
        found = await _holder(tx, cookie, "")
    except Unauthenticated:
        return
    await _end(tx, found.user.id, found.session.id)


async def me(tx: Tx) -> Me:
    """Return who acts, where, and what they may do."""
    user = await repo.user(tx, tx.actor.person)
    organization = await repo.organization(tx)
    if user is None or organization is None:
        raise Unauthenticated
    memberships = await repo.memberships_of(tx, user.id)
    if tx.actor.api_key_id is not None:
        memberships = [(m, o) for m, o in memberships if o.id == organization.id]
    return Me(
        user_id=user.id,
        email=user.email,
        full_name=user.full_name,
        is_app_admin=tx.actor.is_app_admin,
        session_id=tx.actor.session_id,
        organization_id=organization.id,
        organization_name=organization.name,
        role=next((m.role for m, o in memberships if o.id == organization.id), ""),
        permissions={
            permission.value: tx.actor.scope(permission).name.lower()
            for permission in Permission
            if tx.actor.scope(permission) is not Scope.NONE
        },
        memberships=[
            MembershipRow(
                organization_id=o.id, organization_name=o.name, organization_slug=o.slug, role=m.role
            )
            for m, o in memberships
        ],
    )


async def choose_organization(tx: Tx, organization_id: OrganizationId) -> None:
    """Remember which organization the console shows.

    Raises:
        NotFound: Not one of the person's organizations.
    """
    belongs = {o.id for _, o in await repo.memberships_of(tx, tx.actor.person)}
    if organization_id not in belongs or tx.actor.session_id is None:
        raise NotFound(organization_id=organization_id)
    await repo.touch_session(tx, tx.actor.session_id, now(), organization_id)


async def list_sessions(tx: Tx) -> list[SessionRow]:
    """Return where the person is signed in, the last used first."""
    return [
        SessionRow(
            id=row.id,
            device=row.device,
            device_type=row.device_type,
            ip_address=row.ip_address,
            created_at=row.created_at,
            last_used_at=row.last_used_at,
            is_current=row.id == tx.actor.session_id,
        )
        for row in await repo.sessions_of(tx, tx.actor.person)
        if not _is_over(row)
    ]


async def end(tx: Tx, session_id: SessionId) -> None:
    """Sign one device out; its open sockets close.

    Raises:
        NotFound: Not a session of the person.
    """
    if not await _end(tx, tx.actor.person, session_id):
        raise NotFound(session_id=session_id)


async def end_all(tx: Tx) -> None:
    """Sign the person out everywhere, here too."""
    await _end(tx, tx.actor.person)


async def end_all_of(tx: SystemTx, user_id: UUID) -> None:
    """Sign somebody out everywhere."""
    await _end(tx, user_id)


async def _end(tx: SystemTx, user_id: UUID, session_id: UUID | None = None) -> bool:
    ended = await repo.delete_sessions(tx, user_id, session_id)

    async def tell() -> None:
        for one in ended:
            await bus.current().signals.send(Signal(kind="session.ended", topic=str(one)))

    tx.after_commit(tell)
    return bool(ended)


async def forget_old(tx: SystemTx) -> int:
    """Delete the rows of sessions that are over; return how many."""
    return await repo.delete_old_sessions(tx, unused_since=now() - timedelta(days=UNUSED_DAYS), before=now())
