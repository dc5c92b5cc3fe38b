"""People, sessions, organizations, memberships and the set-up link."""

from contextlib import suppress
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, func, select, text, update
from sqlmodel import col

from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.models import Membership, Organization, Session, SetupLink, User

OWNER_LOCK = 0x41_4F_53_01


class Found(NamedTuple):
    """A session with everything that makes an actor of it."""

    session: Session
    user: User
    organization: Organization | None
    membership: Membership | None


def _found(wanted: ColumnElement[bool]) -> "Select[Session, User, Organization, Membership]":
    return (
        select(Session, User, Organization, Membership)
        .join(User, col(User.id) == col(Session.user_id))
        .outerjoin(Organization, wanted)
        .outerjoin(
            Membership,
            and_(
                col(Membership.organization_id) == col(Organization.id),
                col(Membership.user_id) == col(User.id),
            ),
        )
        .where(col(Session.id) == bindparam("session_id"))
    )


_REMEMBERED = _found(col(Organization.id) == col(Session.organization_id))


async def find_session(tx: SystemTx, session_id: UUID, organization: str) -> Found | None:
    """Return the session with the organization named by id or slug, or with the one it remembers."""
    query = _REMEMBERED
    if organization:
        query = _found(col(Organization.slug) == organization)
        with suppress(ValueError):
            query = _found(col(Organization.id) == UUID(organization))
    row = (await tx.session.execute(query, {"session_id": session_id})).one_or_none()
    return Found(*row) if row else None


async def lock_session(tx: SystemTx, session_id: UUID) -> Session | None:
    """Return the session for a change."""
    return await tx.session.get(Session, session_id, with_for_update=True, populate_existing=True)


async def sessions_of(tx: SystemTx, user_id: UUID) -> list[Session]:
    """Return the person's sessions, the last used first."""
    query = select(Session).where(col(Session.user_id) == user_id).order_by(col(Session.last_used_at).desc())
    return list((await tx.session.execute(query)).scalars())


async def delete_sessions(tx: SystemTx, user_id: UUID, session_id: UUID | None = None) -> list[UUID]:
    """Delete one session of the person, or all; return the ids of those that existed."""
    query = delete(Session).where(col(Session.user_id) == user_id)
    if session_id is not None:
        query = query.where(col(Session.id) == session_id)
    return list((await tx.session.execute(query.returning(col(Session.id)))).scalars())


async def delete_old_sessions(tx: SystemTx, *, unused_since: datetime, before: datetime) -> int:
    """Delete sessions that nobody can use any more."""
    query = (
        delete(Session)
        .where((col(Session.last_used_at) < unused_since) | (col(Session.expires_at) < before))
        .returning(col(Session.id))
    )
    return len((await tx.session.execute(query)).all())


async def touch_session(tx: SystemTx, session_id: UUID, at: datetime, organization_id: UUID | None) -> None:
    """Note that the session was used, and for which organization."""
    await tx.session.execute(
        update(Session)
        .where(col(Session.id) == session_id)
        .values(last_used_at=at, organization_id=organization_id)
    )


async def _alone_with(tx: SystemTx, what: str) -> None:
    """Let nobody else take the same address or name until this transaction ends."""
    await tx.session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:what, :key))"), {"what": what, "key": OWNER_LOCK}
    )


async def user_by_email(tx: SystemTx, email: str, *, lock: bool = False) -> User | None:
    """Return the account with this address; with `lock` nobody else takes the address meanwhile."""
    if lock:
        await _alone_with(tx, f"email:{email.lower()}")
    query = select(User).where(col(User.email) == email.lower())
    return (await tx.session.execute(query)).scalar_one_or_none()


async def user(tx: SystemTx, user_id: UUID, *, lock: bool = False) -> User | None:
    """Return the account."""
    return await tx.session.get(User, user_id, with_for_update=lock, populate_existing=lock)


async def owner_exists(tx: SystemTx, *, lock: bool = False) -> bool:
    """Tell whether there is any account; with `lock` nobody else makes the first one meanwhile."""
    if lock:
        await tx.session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": OWNER_LOCK})
    return (await tx.session.execute(select(col(User.id)).limit(1))).first() is not None


async def setup_link_exists(tx: SystemTx, token_hash: bytes) -> bool:
    """Tell whether the token belongs to a link that is not used up."""
    query = select(col(SetupLink.id)).where(col(SetupLink.token_hash) == token_hash)
    return (await tx.session.execute(query)).first() is not None


async def delete_setup_links(tx: SystemTx) -> None:
    """Use up all links."""
    await tx.session.execute(delete(SetupLink))


async def delete_old_setup_links(tx: SystemTx, *, before: datetime) -> int:
    """Delete links that were made before a time; return how many."""
    query = delete(SetupLink).where(col(SetupLink.created_at) < before).returning(col(SetupLink.id))
    return len((await tx.session.execute(query)).all())


async def memberships_of(tx: SystemTx, user_id: UUID) -> list[tuple[Membership, Organization]]:
    """Return where the person belongs, by the organization's name."""
    query = (
        select(Membership, Organization)
        .join(Organization, col(Organization.id) == col(Membership.organization_id))
        .where(col(Membership.user_id) == user_id)
        .order_by(func.lower(col(Organization.name)), col(Organization.id))
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def organization(tx: Tx, *, lock: bool = False) -> Organization | None:
    """Return the actor's organization."""
    return await tx.session.get(
        Organization, tx.actor.organization_id, with_for_update=lock, populate_existing=lock
    )


async def slug_taken(tx: SystemTx, slug: str) -> bool:
    """Tell whether another organization has the slug; nobody else takes it meanwhile."""
    await _alone_with(tx, f"slug:{slug}")
    query = select(col(Organization.id)).where(col(Organization.slug) == slug)
    return (await tx.session.execute(query)).first() is not None


async def members(tx: Tx) -> list[tuple[Membership, User]]:
    """Return the organization's members by name."""
    query = (
        select(Membership, User)
        .join(User, col(User.id) == col(Membership.user_id))
        .where(col(Membership.organization_id) == tx.actor.organization_id)
        .order_by(func.lower(col(User.full_name)), col(User.id))
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def membership(tx: Tx, user_id: UUID, *, lock: bool = False) -> Membership | None:
    """Return one person's membership in the organization."""
    query = select(Membership).where(
        col(Membership.organization_id) == tx.actor.organization_id, col(Membership.user_id) == user_id
    )
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    return (await tx.session.execute(query)).scalar_one_or_none()


async def lock_owners(tx: Tx) -> list[UUID]:
    """Return the ids of the organization's owners, so that the last one cannot leave twice at once."""
    query = (
        select(Membership)
        .where(col(Membership.organization_id) == tx.actor.organization_id, col(Membership.role) == "owner")
        .with_for_update()
    )
    return [row.user_id for row in (await tx.session.execute(query)).scalars()]
