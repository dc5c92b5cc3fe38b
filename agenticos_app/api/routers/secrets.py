"""The vault: keys that are used and never shown."""

from typing import Annotated

from fastapi import APIRouter, Query

from agenticos_app.api.deps import InTx
from agenticos_app.api.openapi import refusals
from agenticos_app.errors import Conflict, Forbidden, NotFound
from agenticos_app.kernel.ids import SecretId, UserId
from agenticos_app.schemas.secrets import (
    PurposeId,
    SecretChange,
    SecretCreate,
    SecretDeleted,
    SecretRotate,
    SecretRow,
    SecretUse,
)
from agenticos_app.schemas.sharing import ShareLevel, Sharing
from agenticos_app.security.access import SECRET
from agenticos_app.services import secrets, sharing

router = APIRouter(tags=["Vault"])


@router.get("/secrets", responses=refusals(Forbidden))
async def list_secrets(
    tx: InTx, purpose: Annotated[list[PurposeId] | None, Query(description="Only of these services")] = None
) -> list[SecretRow]:
    """List the secrets that the caller may see, by name. Values are never part of an answer."""
    return await secrets.list_secrets(tx, purposes=purpose or ())


@router.post("/secrets", status_code=201, responses=refusals(Forbidden, Conflict))
async def create_secret(tx: InTx, body: SecretCreate) -> SecretRow:
    """Keep a new secret. Its value is sealed and never shown again."""
    return await secrets.create(tx, body)


@router.get("/secrets/{secret_id}", responses=refusals(NotFound))
async def read_secret(tx: InTx, secret_id: SecretId) -> SecretRow:
    """Return what is known about one secret."""
    return await secrets.get_secret(tx, secret_id)


@router.patch("/secrets/{secret_id}", responses=refusals(Forbidden, NotFound, Conflict))
async def change_secret(tx: InTx, secret_id: SecretId, body: SecretChange) -> SecretRow:
    """Change name, description or visibility; absent fields stay."""
    return await secrets.change(tx, secret_id, body)


@router.put("/secrets/{secret_id}/value", responses=refusals(Forbidden, NotFound))
async def rotate_secret(tx: InTx, secret_id: SecretId, body: SecretRotate) -> SecretRow:
    """Replace the value. The id stays, so whatever uses the secret goes on with the new value."""
    return await secrets.rotate(tx, secret_id, body)


@router.delete("/secrets/{secret_id}", responses=refusals(Forbidden, NotFound))
async def delete_secret(tx: InTx, secret_id: SecretId) -> SecretDeleted:
    """Delete a secret, also one in use, and return what has no key now."""
    return await secrets.delete(tx, secret_id)


@router.get("/secrets/{secret_id}/used-by", responses=refusals(NotFound))
async def secret_used_by(tx: InTx, secret_id: SecretId) -> list[SecretUse]:
    """List what uses the secret."""
    return await secrets.used_by(tx, secret_id)


@router.get("/secrets/{secret_id}/shares", responses=refusals(Forbidden, NotFound))
async def read_sharing(tx: InTx, secret_id: SecretId) -> Sharing:
    """Return how far the secret is shared."""
    return await sharing.sharing(tx, SECRET, secret_id)


@router.put("/secrets/{secret_id}/shares/{user_id}", responses=refusals(Forbidden, NotFound))
async def share_secret(tx: InTx, secret_id: SecretId, user_id: UserId, body: ShareLevel) -> Sharing:
    """Let a member see it (`read`), use it (`use`), or replace and share it too (`edit`)."""
    return await sharing.share(tx, SECRET, secret_id, user_id, body.level)


@router.delete(
    "/secrets/{secret_id}/shares/{user_id}", status_code=204, responses=refusals(Forbidden, NotFound)
)
async def unshare_secret(tx: InTx, secret_id: SecretId, user_id: UserId) -> None:
    """Take what was given to a member away."""
    await sharing.unshare(tx, SECRET, secret_id, user_id)
