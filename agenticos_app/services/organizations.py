"""Organizations: how they begin, their settings, their members."""

from dataclasses import replace
from decimal import Decimal
from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.bus.signals import Signal
from agenticos_app.contracts.audit import Action, Target
from agenticos_app.db.work import SystemTx, Tx, work
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, NotFound, TooLarge
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import OrganizationId, UserId, new_id
from agenticos_app.kernel.images import image_type
from agenticos_app.kernel.money import MICROS, dollars
from agenticos_app.kernel.text import slug_of
from agenticos_app.models import Membership, Organization, User
from agenticos_app.repos import accounts as repo
from agenticos_app.repos import grants
from agenticos_app.repos import ledger as ledger_repo
from agenticos_app.schemas.organizations import (
    MemberAdd,
    MemberChange,
    MemberRow,
    OrganizationChange,
    OrganizationCreate,
    OrganizationDetail,
)
from agenticos_app.security.actor import Actor
from agenticos_app.security.permissions import Permission, Role
from agenticos_app.security.tokens import new_secret
from agenticos_app.services import audit, deployment, starter
from agenticos_app.services.files import stored
from agenticos_app.services.ledger import month_of

AVATAR_LIMIT_BYTES = 2 * 1024 * 1024
FOUNDED_PER_MINUTE = 20
"""Organizations that one person may make: each comes with a model, an agent and a budget."""


async def create(tx: SystemTx, owner: User, *, name: str, is_personal: bool = False) -> Organization:
    """Make an organization with its owner, the practice model and the starter agent."""
    budget = deployment.current().default_org_monthly_budget_usd
    organization = Organization(
        id=new_id(),
        name=name,
        slug=await _free_slug(tx, name),
        is_personal=is_personal,
        created_by_user_id=owner.id,
        monthly_budget_micros=None if budget is None else int(budget * MICROS),
    )
    tx.add(organization)
    await tx.flush()
    tx.add(Membership(id=new_id(), organization_id=organization.id, user_id=owner.id, role=Role.OWNER.value))
    await starter.furnish(tx, organization, owner)
    return organization


async def _free_slug(tx: SystemTx, name: str) -> str:
    slug = slug_of(name)
    if len(slug) >= 2 and not await repo.slug_taken(tx, slug):
        return slug
    return f"{slug or 'org'}-{slug_of(new_secret())[:6]}"


async def found(actor: Actor, body: OrganizationCreate) -> OrganizationDetail:
    """Make another organization; the actor becomes its owner.

    Raises:
        LimitReached: More than 20 within the minute.
    """
    await bus.current().limits.take("organizations", str(actor.person), per_minute=FOUNDED_PER_MINUTE)
    async with work(actor) as tx:
        owner = await repo.user(tx, actor.person)
        if owner is None:
            raise NotFound
        made = await create(tx, owner, name=body.name)
        await audit.record(tx, Action.ORGANIZATION_CREATED, Target("organization", made.id))
        return await _detail(tx.acting_as(replace(actor, organization_id=OrganizationId(made.id))), made)


async def detail(tx: Tx) -> OrganizationDetail:
    """Return the actor's organization."""
    organization = await repo.organization(tx)
    if organization is None:
        raise NotFound
    return await _detail(tx, organization)


async def _detail(tx: Tx, organization: Organization) -> OrganizationDetail:
    budget, month = organization.monthly_budget_micros, month_of(now())
    spent = await ledger_repo.spent_in(tx, month)
    return OrganizationDetail(
        id=organization.id,
        name=organization.name,
        slug=organization.slug,
        is_personal=organization.is_personal,
        avatar_color=organization.avatar_color or organization.id.int % 10 + 1,
        avatar_version=(organization.avatar_key or "").rpartition("/")[2],
        monthly_budget_usd=None if budget is None else Decimal(budget) / MICROS,
        month_spent_usd=dollars(spent) or "0",
        month_is_partial=await ledger_repo.has_partial(tx, month),
        month_percent=None if budget is None else min(100, spent * 100 // max(1, budget)),
        created_at=organization.created_at,
    )


async def change(tx: Tx, body: OrganizationChange) -> OrganizationDetail:
    """Change name, colour or cap; only the fields that were sent.

    Raises:
        Forbidden: Settings need `org:settings`, the cap needs `budgets:manage`.
    """
    sent = body.model_fields_set
    organization = await repo.organization(tx, lock=True)
    if organization is None:
        raise NotFound
    if sent - {"monthly_budget_usd"}:
        tx.actor.require(Permission.ORG_SETTINGS)
    if "monthly_budget_usd" in sent:
        tx.actor.require(Permission.BUDGETS_MANAGE)
        cap = body.monthly_budget_usd
        organization.monthly_budget_micros = None if cap is None else int(cap * MICROS)
    if body.name is not None:
        organization.name = body.name
    if "avatar_color" in sent:
        organization.avatar_color = body.avatar_color
    await _changed(tx, organization, *sorted(sent))
    return await _detail(tx, organization)


async def _changed(tx: Tx, organization: Organization, *fields: str) -> None:
    await tx.flush()
    if fields:
        await audit.record(
            tx, Action.ORGANIZATION_CHANGED, Target("organization", organization.id), {"fields": list(fields)}
        )


async def set_avatar(actor: Actor, body: bytes) -> OrganizationDetail:
    """Give the organization an image. Its bytes are stored before the transaction begins.

    Raises:
        Forbidden: Without `org:settings`.
        TooLarge: Over 2 MB.
        InvalidInput: Not a JPEG, PNG, WebP or GIF image, whatever its name says (`message` is `not_image`).
    """
    actor.require(Permission.ORG_SETTINGS)
    if len(body) > AVATAR_LIMIT_BYTES:
        raise TooLarge(limit_bytes=AVATAR_LIMIT_BYTES)
    if image_type(body) is None:
        raise InvalidInput({"field": "file", "message": "not_image"})
    key = f"{actor.organization_id}/{new_id()}"
    async with stored(key, body), work(actor) as tx:
        organization = await repo.organization(tx, lock=True)
        if organization is None:
            raise NotFound
        _delete_later(tx, organization.avatar_key)
        organization.avatar_key = key
        await _changed(tx, organization, "avatar")
        return await _detail(tx, organization)


async def remove_avatar(tx: Tx) -> OrganizationDetail:
    """Take the image away; initials stand in for it.

    Raises:
        Forbidden: Without `org:settings`.
    """
    tx.actor.require(Permission.ORG_SETTINGS)
    organization = await repo.organization(tx, lock=True)
    if organization is None:
        raise NotFound
    _delete_later(tx, organization.avatar_key)
    organization.avatar_key = None
    await _changed(tx, organization, "avatar")
    return await _detail(tx, organization)


def _delete_later(tx: Tx, key: str | None) -> None:
    """Delete the bytes once no row names them any more."""
    if key is not None:
        tx.after_commit(lambda: deployment.current().storage.delete(key))


async def avatar(actor: Actor) -> tuple[str, bytes]:
    """Return media type and bytes of the image; every member may see it.

    Raises:
        NotFound: The organization has none.
    """
    async with work(actor) as tx:
        organization = await repo.organization(tx)
    if organization is None or organization.avatar_key is None:
        raise NotFound
    body = await deployment.current().storage.read(organization.avatar_key)
    kind = image_type(body)
    if kind is None:
        raise NotFound
    return kind, body


async def list_members(tx: Tx) -> list[MemberRow]:
    """Return the members by name; every member may see them."""
    return [_row(tx, membership, user) for membership, user in await repo.members(tx)]


def roles_to_give(tx: Tx) -> list[str]:
    """Return the roles that the actor may hand out, and take back; none without `members:manage`."""
    if not tx.actor.may(Permission.MEMBERS_MANAGE):
        return []
    return [role.value for role in Role if _may_give(tx, role)]


def _row(tx: Tx, membership: Membership, user: User) -> MemberRow:
    return MemberRow(
        user_id=user.id,
        full_name=user.full_name,
        email=user.email,
        role=membership.role,
        is_active=user.is_active,
        joined_at=membership.created_at,
        may_change=membership.role in roles_to_give(tx),
    )


async def add_member(tx: Tx, body: MemberAdd) -> MemberRow:
    """Give somebody who has an account a role.

    Raises:
        Forbidden: Without `members:manage`, or for a role above one's own.
        NotFound: No account has this address.
        Conflict: The person is a member already (`reason="member"`).
    """
    tx.actor.require(Permission.MEMBERS_MANAGE)
    _require_rank(tx, body.role)
    user = await repo.user_by_email(tx, body.email, lock=True)
    if user is None:
        raise NotFound
    if await repo.membership(tx, user.id) is not None:
        raise Conflict(reason="member")
    membership = Membership(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        user_id=user.id,
        role=body.role,
        invited_by_user_id=tx.actor.person,
    )
    tx.add(membership)
    await tx.flush()
    await audit.record(tx, Action.MEMBER_ADDED, Target("user", user.id), {"role": body.role})
    return _row(tx, membership, user)


async def change_member(tx: Tx, user_id: UserId, body: MemberChange) -> None:
    """Give a member another role.

    Raises:
        NotFound: Not a member.
        Forbidden: Without `members:manage`, or the old or new role is above one's own.
        Conflict: The organization would be left without an owner (`reason="last_owner"`).
    """
    membership = await _changeable(tx, user_id)
    _require_rank(tx, body.role)
    if membership.role == Role.OWNER and body.role != Role.OWNER:
        await _require_another_owner(tx, user_id)
    before, membership.role = membership.role, body.role
    await tx.flush()
    await audit.record(
        tx, Action.MEMBER_ROLE_CHANGED, Target("user", user_id), {"from": before, "to": body.role}
    )
    _tell(tx, user_id)


async def remove_member(tx: Tx, user_id: UserId) -> None:
    """End a membership; also how a person leaves.

    Raises:
        NotFound: Not a member.
        Forbidden: Somebody else's membership without `members:manage`.
        PersonNeeded: A key would leave in its person's name.
        Conflict: The last owner (`reason="last_owner"`).
    """
    if user_id == tx.actor.user_id:
        tx.actor.require_person()
        membership = await repo.membership(tx, user_id, lock=True)
        if membership is None:
            raise NotFound(user_id=user_id)
    else:
        membership = await _changeable(tx, user_id)
    if membership.role == Role.OWNER:
        await _require_another_owner(tx, user_id)
    await grants.forget_person(tx, user_id)
    await audit.record(tx, Action.MEMBER_REMOVED, Target("user", user_id), {"role": membership.role})
    await tx.delete(membership)
    _tell(tx, user_id)


async def _changeable(tx: Tx, user_id: UserId) -> Membership:
    membership = await repo.membership(tx, user_id, lock=True)
    if membership is None:
        raise NotFound(user_id=user_id)
    tx.actor.require(Permission.MEMBERS_MANAGE)
    _require_rank(tx, membership.role)
    return membership


def _may_give(tx: Tx, role: str) -> bool:
    """Only who holds `org:delete`, an owner, hands out or takes the owner's role."""
    return role != Role.OWNER or tx.actor.may(Permission.ORG_DELETE)


def _require_rank(tx: Tx, role: str) -> None:
    if not _may_give(tx, role):
        raise Forbidden(permission=Permission.ORG_DELETE.value)


async def _require_another_owner(tx: Tx, user_id: UUID) -> None:
    if set(await repo.lock_owners(tx)) <= {user_id}:
        raise Conflict(reason="last_owner")


def _tell(tx: Tx, user_id: UUID) -> None:
    """Let what is open for the person look again at what they may."""

    async def tell() -> None:
        await bus.current().signals.send(Signal(kind="membership.changed", topic=str(user_id)))

    tx.after_commit(tell)
