"""API keys: issued by people for themselves, narrowed to what their issuer may do at each use, revoked."""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from types import MappingProxyType

from agenticos_app.bus import bus
from agenticos_app.bus.signals import Signal
from agenticos_app.contracts.audit import Action, Target
from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.errors import Conflict, Forbidden, InvalidInput, InvalidKey, NotFound
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import ApiKeyId, OrganizationId, UserId, new_id
from agenticos_app.kernel.paging import PAGE_SIZE, BadCursor, Page, cursor_of, read_cursor
from agenticos_app.models import ApiKey, Membership, Organization, User
from agenticos_app.repos import accounts
from agenticos_app.repos import api_keys as repo
from agenticos_app.schemas.api_keys import ApiKeyCreate, ApiKeyIssued, ApiKeyRow, KeyStatus
from agenticos_app.security import tokens
from agenticos_app.security.actor import Actor, Surface
from agenticos_app.security.permissions import EVERYTHING, NOTHING, Permission, Reach, Scope, reach_of
from agenticos_app.services import audit

TOUCH_AFTER = timedelta(minutes=1)
KEYS_OF_A_PERSON = 50
"""Usable ones at once, in one organization."""

NEVER_GIVEN = frozenset({Permission.API_KEYS_CREATE, Permission.API_KEYS_MANAGE})
"""A key makes no keys and ends none: a leaked one could outlive its revocation."""


GROUPS: Mapping[str, frozenset[Permission]] = MappingProxyType(
    {
        "ask": frozenset({Permission.AGENTS_VIEW, Permission.AGENTS_RUN}),
        "runs": frozenset({Permission.RUNS_VIEW}),
        "models": frozenset({Permission.CONNECTIONS_VIEW, Permission.CONNECTIONS_MANAGE}),
        "members": frozenset({Permission.MEMBERS_MANAGE}),
        "settings": frozenset({Permission.ORG_SETTINGS, Permission.BUDGETS_MANAGE}),
    }
)
"""What the console offers: permissions that go together, under a plain name."""


async def resolve(
    tx: SystemTx, token: str, *, organization: str = "", surface: Surface = Surface.API, ip_address: str = ""
) -> Actor:
    """Return who the key speaks for, with what it was given and its issuer holds now.

    Raises:
        InvalidKey: None of ours, expired, revoked, or its issuer is no active member any more.
        NotFound: The named organization is not the key's.
    """
    key, user, home, membership = await _valid(tx, token)
    if organization and organization not in (str(home.id), home.slug, home.id.hex):
        raise NotFound
    if key.last_used_at is None or now() > key.last_used_at + TOUCH_AFTER:
        await repo.touch(tx, key.id, now(), ip_address[:64])
    given = frozenset(_given(key))
    return Actor(
        organization_id=OrganizationId(home.id),
        user_id=UserId(user.id),
        reach=_narrowed(_held(user, membership), given),
        surface=surface,
        api_key_id=ApiKeyId(key.id),
        limited_to=given,
        ip_address=ip_address,
    )


async def _valid(tx: SystemTx, text: str) -> tuple[ApiKey, User, Organization, Membership | None]:
    token = tokens.read_key(text)
    found = await repo.find(tx, token.key_id) if token else None
    if token is None or found is None or not tokens.same(token.text, found.key.secret_hash):
        raise InvalidKey(reason="unknown")
    status = _status(found.key, found.user, found.membership)
    if status != "active":
        raise InvalidKey(reason=status)
    return found


def _held(user: User, membership: Membership | None) -> Reach:
    return EVERYTHING if user.is_app_admin else reach_of(membership.role if membership else "")


def _narrowed(held: Reach, given: Collection[Permission]) -> Reach:
    return MappingProxyType({permission: held[permission] for permission in given if permission in held})


def _status(key: ApiKey, user: User, membership: Membership | None) -> KeyStatus:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and now() >= key.expires_at:
        return "expired"
    belongs = membership is not None or user.is_app_admin
    return "active" if user.is_active and belongs else "dormant"


def givable(tx: Tx) -> frozenset[Permission]:
    """Return what the actor may give to a key of theirs; nothing without `api_keys:create`."""
    if not tx.actor.may(Permission.API_KEYS_CREATE):
        return frozenset()
    held = {permission for permission in Permission if tx.actor.scope(permission) is not Scope.NONE}
    return frozenset(held - NEVER_GIVEN)


def givable_groups(tx: Tx) -> list[str]:
    """Return the groups that the actor may give whole."""
    may_give = givable(tx)
    return [name for name, permissions in GROUPS.items() if permissions <= may_give]


async def issue(tx: Tx, body: ApiKeyCreate) -> ApiKeyIssued:
    """Make a key for the person who asks. Its secret is in the answer and nowhere else.

    Raises:
        PersonNeeded: A key asks.
        Forbidden: Without `api_keys:create`, or for a permission that the person does not hold.
        InvalidInput: It would be expired already.
        Conflict: The person has as many usable keys as one may (`reason="too_many_keys"`).
    """
    tx.actor.require_person()
    tx.actor.require(Permission.API_KEYS_CREATE)
    beyond = sorted(set(body.permissions) - givable(tx))
    if beyond:
        raise Forbidden(permission=beyond[0].value)
    at = now()
    if body.expires_at is not None and body.expires_at <= at:
        raise InvalidInput({"field": "expires_at", "message": "too_small"})
    user = await accounts.user(tx, tx.actor.person, lock=True)
    if user is None:
        raise NotFound
    if await repo.count_usable(tx, user.id, at) >= KEYS_OF_A_PERSON:
        raise Conflict(reason="too_many_keys", limit=KEYS_OF_A_PERSON)
    token = tokens.new_key(new_id())
    key = ApiKey(
        id=token.key_id,
        created_at=at,
        organization_id=tx.actor.organization_id,
        user_id=user.id,
        name=body.name,
        prefix=token.prefix,
        last_four=token.last_four,
        secret_hash=tokens.digest(token.text),
        permissions=[one.value for one in _sorted(body.permissions)],
        expires_at=body.expires_at,
    )
    tx.add(key)
    await tx.flush()
    await _changed(tx, Action.API_KEY_CREATED, key)
    membership = await accounts.membership(tx, user.id)
    return ApiKeyIssued(**_row(tx, key, user, membership).model_dump(), token=token.text)


async def list_keys(
    tx: Tx, *, cursor: str = "", usable: bool = False, limit: int = PAGE_SIZE
) -> Page[ApiKeyRow]:
    """Return the person's keys, the latest first; with `api_keys:manage` everybody's.

    With `usable` those alone that are neither revoked nor expired.

    Raises:
        PersonNeeded: A key asks.
        InvalidInput: The cursor is not one of ours.
    """
    tx.actor.require_person()
    try:
        after = read_cursor(cursor) if cursor else None
    except BadCursor:
        raise InvalidInput({"field": "cursor", "message": "invalid"}) from None
    only = None if tx.actor.may(Permission.API_KEYS_MANAGE) else tx.actor.person
    rows = await repo.page(tx, after, limit=limit + 1, only_user=only, usable_at=now() if usable else None)
    more, rows = len(rows) > limit, rows[:limit]
    return Page(
        rows=[_row(tx, *row) for row in rows],
        next_cursor=cursor_of(rows[-1].key.created_at, rows[-1].key.id) if more else "",
    )


async def revoke(tx: Tx, key_id: ApiKeyId) -> None:
    """End a key for good; what it has open closes. One that is revoked stays as it is.

    Raises:
        PersonNeeded: A key asks.
        NotFound: Neither a key of the person nor, with `api_keys:manage`, of the organization.
    """
    tx.actor.require_person()
    key = await repo.get(tx, key_id, lock=True)
    if key is None or (key.user_id != tx.actor.person and not tx.actor.may(Permission.API_KEYS_MANAGE)):
        raise NotFound(key_id=key_id)
    if key.revoked_at is not None:
        return
    key.revoked_at, key.revoked_by_user_id = now(), tx.actor.person
    await tx.flush()
    await _changed(tx, Action.API_KEY_REVOKED, key)


async def _changed(tx: Tx, action: Action, key: ApiKey) -> None:
    """Tell what changed: the one place that every change of a key passes."""
    await audit.record(tx, action, Target("api_key", key.id), {"permissions": list(key.permissions)})
    if action is not Action.API_KEY_REVOKED:
        return

    async def tell() -> None:
        await bus.current().signals.send(Signal(kind="api_key.revoked", topic=str(key.id)))

    tx.after_commit(tell)


def _sorted(permissions: Iterable[Permission]) -> list[Permission]:
    wanted = set(permissions)
    return [permission for permission in Permission if permission in wanted]


def _given(key: ApiKey) -> list[Permission]:
    return [permission for permission in Permission if permission.value in key.permissions]


def _row(tx: Tx, key: ApiKey, user: User, membership: Membership | None) -> ApiKeyRow:
    given, status = _given(key), _status(key, user, membership)
    may_now = _narrowed(_held(user, membership) if status == "active" else NOTHING, given)
    return ApiKeyRow(
        id=key.id,
        name=key.name,
        owner=user.full_name,
        is_own=key.user_id == tx.actor.user_id,
        prefix=key.prefix,
        last_four=key.last_four,
        permissions=given,
        effective_permissions=_sorted(may_now),
        status=status,
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        last_used_at=key.last_used_at,
        last_used_ip=key.last_used_ip,
    )
