"""The vault: keeps secrets, opens them for what uses them, and never shows them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from agenticos_app.bus import bus
from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.secrets import PURPOSES, ApiKey, Payload, document_of, payload_of
from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.errors import Conflict, InvalidInput, KeyUnavailable
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import SecretId, new_id
from agenticos_app.models import Secret
from agenticos_app.repos import grants
from agenticos_app.repos import secrets as repo
from agenticos_app.schemas.secrets import (
    SecretChange,
    SecretCreate,
    SecretDeleted,
    SecretRotate,
    SecretRow,
    SecretUse,
)
from agenticos_app.security.access import SECRET
from agenticos_app.security.permissions import Permission
from agenticos_app.security.seal import FIRST_FORMAT, Place, Unsealable
from agenticos_app.services import access, audit, deployment, sharing

MOST = 500
"""Secrets of one organization."""
WRITES_PER_MINUTE = 60
"""Values that one person may send."""
TOUCH_AFTER = timedelta(minutes=1)
BATCH = 100
_FIRST_KIND = "model_key"

log = structlog.get_logger()


async def list_secrets(
    tx: Tx, *, purposes: Sequence[str] = (), search: str = "", limit: int = MOST
) -> list[SecretRow]:
    """Return the secrets that the actor may see, by name.

    Of these purposes, if any are given; with `search` in the name, or in the name of the service.
    """
    sought = search.strip().casefold()
    services = [one.id for one in PURPOSES.values() if sought and sought in one.name.casefold()]
    filters = repo.Filters(purposes=purposes, text=sought, text_purposes=services)
    return await _rows(
        tx, await repo.list_visible(tx, await access.visible(tx, SECRET), filters, limit=limit)
    )


async def get_secret(tx: Tx, secret_id: SecretId) -> SecretRow:
    """Return one secret.

    Raises:
        NotFound: There is none, or the actor may not see it.
    """
    return (await _rows(tx, [await _seen(tx, secret_id, Permission.SECRETS_VIEW)]))[0]


async def used_by(tx: Tx, secret_id: SecretId) -> list[SecretUse]:
    """Return what uses a secret, and would have no key without it.

    Raises:
        NotFound: There is none, or the actor may not see it.
    """
    secret = await _seen(tx, secret_id, Permission.SECRETS_VIEW)
    return (await _uses(tx, [secret.id])).get(secret.id, [])


def may_add(tx: Tx) -> bool:
    """Tell whether the actor may add secrets."""
    return tx.actor.may(Permission.SECRETS_EDIT)


async def create(tx: Tx, body: SecretCreate) -> SecretRow:
    """Seal a new secret; it is the actor's.

    Raises:
        Forbidden: Without `secrets:edit`.
        InvalidInput: The value is not of the purpose's kind (`value`), or the name is taken.
        Conflict: There are too many (`reason="vault_full"`).
        LimitReached: Too many values within the minute.
    """
    tx.actor.require(Permission.SECRETS_EDIT)
    await _count_write(tx)
    if body.value.kind is not PURPOSES[body.purpose].kind:
        raise InvalidInput({"field": "value", "message": "invalid"})
    if await repo.count(tx) >= MOST:
        raise Conflict(reason="vault_full")
    await _require_free(tx, body.name)
    secret = Secret(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        name=body.name,
        description=body.description,
        kind=body.value.kind.value,
        purpose=body.purpose,
        visibility=body.visibility,
        owner_user_id=tx.actor.person,
        created_by_user_id=tx.actor.person,
        sealed=b"",
        key_version=0,
    )
    _seal(secret, body.value)
    tx.add(secret)
    await tx.flush()
    await audit.record(
        tx,
        Action.SECRET_CREATED,
        Target(SECRET.name, secret.id),
        {"purpose": secret.purpose, "kind": secret.kind, "visibility": secret.visibility},
    )
    return (await _rows(tx, [secret]))[0]


async def free_name(tx: Tx, name: str) -> str:
    """Return the name, with a number behind it when it is taken."""
    found, number = name, 1
    while await repo.by_name(tx, found) is not None:
        number += 1
        found = f"{name[:120]} {number}"
    return found


async def rotate(tx: Tx, secret_id: SecretId, body: SecretRotate) -> SecretRow:
    """Replace the value; id and uses stay, so the next run takes the new one.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        InvalidInput: The value is of another kind.
        LimitReached: Too many values within the minute.
    """
    secret = await _seen(tx, secret_id, Permission.SECRETS_EDIT)
    await _count_write(tx)
    if body.value.kind.value != secret.kind:
        raise InvalidInput({"field": "value", "message": "invalid"})
    _seal(secret, body.value)
    secret.rotated_at = now()
    await tx.flush()
    await audit.record(tx, Action.SECRET_ROTATED, Target(SECRET.name, secret.id), {"purpose": secret.purpose})
    return (await _rows(tx, [secret]))[0]


async def change(tx: Tx, secret_id: SecretId, body: SecretChange) -> SecretRow:
    """Change the words about a secret, or who sees it; only the fields that were sent.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
        InvalidInput: The name is taken.
    """
    secret = await _seen(tx, secret_id, Permission.SECRETS_EDIT)
    changed: list[str] = []
    if body.name is not None and body.name != secret.name:
        await _require_free(tx, body.name)
        secret.name = body.name
        changed.append("name")
    if body.description is not None and body.description != secret.description:
        secret.description = body.description
        changed.append("description")
    if body.visibility is not None:
        await sharing.show_to(tx, SECRET, secret, body.visibility)
    if changed:
        await audit.record(tx, Action.SECRET_CHANGED, Target(SECRET.name, secret.id), {"fields": changed})
    await tx.flush()
    return (await _rows(tx, [secret]))[0]


async def delete(tx: Tx, secret_id: SecretId) -> SecretDeleted:
    """Delete a secret, also one in use; return what has no key now.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not delete it.
    """
    secret = await _seen(tx, secret_id, Permission.SECRETS_EDIT)
    broken = (await _uses(tx, [secret.id])).get(secret.id, [])
    await grants.forget_row(tx, SECRET.name, secret.id)
    await audit.record(
        tx,
        Action.SECRET_DELETED,
        Target(SECRET.name, secret.id),
        {"purpose": secret.purpose, "used_by": [str(use.id) for use in broken]},
    )
    await tx.delete(secret)
    return SecretDeleted(broken=broken)


async def require_bindable(tx: Tx, secret_id: SecretId, *, purposes: Sequence[str]) -> None:
    """Refuse to bind a secret that the actor may not use, or that is for another service.

    Whoever's role shows them the secret may bind it; who only has a grant needs the level `use`.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor was given a look at it alone.
        InvalidInput: It is for another service (`secret_id`).
    """
    secret = await repo.get(tx, secret_id)
    await access.require(tx, SECRET, secret, Permission.SECRETS_VIEW, level="use")
    assert secret is not None
    if secret.purpose not in purposes:
        raise InvalidInput({"field": "secret_id", "message": "invalid"})


async def opened(tx: Tx, secret_id: UUID, *, purpose: str | Collection[str]) -> Payload:
    """Return the values of a secret that is bound, for this service or one of several; note that it is used.

    For what uses the secret, whoever it works for: who may bind it was asked when it was bound.

    Raises:
        KeyUnavailable: It was deleted, is for another service, or does not open.
    """
    secret = await repo.get(tx, secret_id)
    if secret is None:
        raise KeyUnavailable(reason="missing")
    return await opened_row(tx, secret, purpose=purpose)


async def opened_row(tx: Tx, secret: Secret, *, purpose: str | Collection[str]) -> Payload:
    """Do as `opened` does, with a row that was read already.

    Raises:
        KeyUnavailable: It is for another service, or does not open.
    """
    if secret.purpose not in ([purpose] if isinstance(purpose, str) else purpose):
        raise KeyUnavailable(reason="purpose", secret_id=secret.id)
    try:
        payload = payload_of(deployment.current().sealer.open(secret.sealed, _place(secret)))
    except (Unsealable, ValueError):
        raise KeyUnavailable(reason="sealed", secret_id=secret.id) from None
    if payload.kind.value != secret.kind:
        raise KeyUnavailable(reason="sealed", secret_id=secret.id)
    at = now()
    if secret.last_used_at is None or at > secret.last_used_at + TOUCH_AFTER:
        await repo.touch(tx, secret.id, at)
    return payload


def _place(secret: Secret) -> Place:
    return Place("organization", secret.organization_id, secret.kind)


def _seal(secret: Secret, value: Payload) -> None:
    """Put the whole value into the row: a secret is never half of one and half of another."""
    sealer = deployment.current().sealer
    secret.sealed = sealer.seal(document_of(value), _place(secret))
    secret.key_version, secret.hint = sealer.version, value.hint()


async def _seen(tx: Tx, secret_id: SecretId, permission: Permission) -> Secret:
    secret = await repo.get(tx, secret_id, lock=permission is Permission.SECRETS_EDIT)
    await access.require(tx, SECRET, secret, permission)
    assert secret is not None
    return secret


async def _require_free(tx: Tx, name: str) -> None:
    if await repo.by_name(tx, name) is not None:
        raise InvalidInput({"field": "name", "message": "taken"})


async def _count_write(tx: Tx) -> None:
    await bus.current().limits.take("vault", str(tx.actor.person), per_minute=WRITES_PER_MINUTE)


async def _uses(tx: Tx, secret_ids: Sequence[UUID]) -> dict[UUID, list[SecretUse]]:
    found: dict[UUID, list[SecretUse]] = {}
    for secret_id, profile_id, name in await repo.model_profiles_with(tx, secret_ids):
        found.setdefault(secret_id, []).append(SecretUse(type="model_profile", id=profile_id, name=name))
    return found


async def _rows(tx: Tx, secrets: Sequence[Secret]) -> list[SecretRow]:
    uses = await _uses(tx, [secret.id for secret in secrets])
    mine = await access.allowed(tx, SECRET, secrets, Permission.SECRETS_EDIT)
    named = {one.owner_user_id for one in secrets} | {one.created_by_user_id for one in secrets}
    names = await repo.names_of_people(tx, {user_id for user_id in named if user_id is not None})
    return [
        SecretRow.model_validate(
            {
                **secret.model_dump(exclude={"sealed"}),
                "owner_name": names.get(secret.owner_user_id or secret.id, ""),
                "added_by": names.get(secret.created_by_user_id or secret.id, ""),
                "used_by": uses.get(secret.id, []),
                "is_mine": secret.owner_user_id is not None and secret.owner_user_id == tx.actor.user_id,
                "may_edit": secret.id in mine,
            }
        )
        for secret in secrets
    ]


@dataclass(frozen=True, slots=True)
class Rewrapped:
    """What one batch did."""

    done: int
    unreadable: int
    last: UUID | None
    """Where the next batch goes on; None: this was the last one."""


async def rewrap(tx: SystemTx, *, after: UUID | None = None) -> Rewrapped:
    """Put the data keys of the next secrets under the newest master key; their values are not opened."""
    sealer, done, unreadable = deployment.current().sealer, 0, 0
    batch = await repo.sealed_otherwise(
        tx, versions=[sealer.version], are_wanted=False, after=after, limit=BATCH
    )
    for secret in batch:
        try:
            secret.sealed = sealer.rewrapped(secret.sealed, _place(secret))
        except Unsealable:
            unreadable += 1
            continue
        secret.key_version = sealer.version
        done += 1
    if done:
        await tx.flush()
        await audit.record_from_shell(tx, Action.VAULT_REWRAPPED, Target("vault"), {"secrets": done})
    return Rewrapped(done, unreadable, batch[-1].id if len(batch) == BATCH else None)


async def seal_first(tx: SystemTx) -> None:
    """Seal the keys of the first format as today's are. What does not open stays as it is and is logged."""
    first = await repo.sealed_otherwise(
        tx, versions=[FIRST_FORMAT], are_wanted=True, after=None, limit=10_000
    )
    for secret in first:
        try:
            value = deployment.current().sealer.open_first(secret.sealed, secret.organization_id, _FIRST_KIND)
            _seal(secret, ApiKey.model_validate({"api_key": value.decode()}))
        except (Unsealable, ValueError):
            log.warning("vault.unreadable", secret_id=str(secret.id))
    await tx.flush()
