"""API keys: made, listed and revoked by people, never by keys."""

from typing import Annotated

from fastapi import APIRouter, Query

from agenticos_app.api.deps import InPersonTx
from agenticos_app.api.openapi import refusals
from agenticos_app.errors import Conflict, Forbidden, NotFound, PersonNeeded
from agenticos_app.kernel.ids import ApiKeyId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.api_keys import ApiKeyCreate, ApiKeyIssued, ApiKeyRow
from agenticos_app.services import api_keys

router = APIRouter(tags=["API keys"], responses=refusals(PersonNeeded))


@router.get("/api-keys")
async def list_api_keys(
    tx: InPersonTx,
    cursor: Annotated[str, Query(max_length=500)] = "",
    usable: Annotated[bool, Query(description="Neither revoked nor expired")] = False,
    limit: Annotated[int, Query(ge=1, le=100)] = PAGE_SIZE,
) -> Page[ApiKeyRow]:
    """List the person's keys, the latest first; with `api_keys:manage` everybody's."""
    return await api_keys.list_keys(tx, cursor=cursor, usable=usable, limit=limit)


@router.post("/api-keys", status_code=201, responses=refusals(PersonNeeded, Forbidden, Conflict))
async def create_api_key(tx: InPersonTx, body: ApiKeyCreate) -> ApiKeyIssued:
    """Make a key for oneself. The answer is the only place that ever shows its `token`."""
    return await api_keys.issue(tx, body)


@router.delete("/api-keys/{key_id}", status_code=204, responses=refusals(PersonNeeded, NotFound))
async def revoke_api_key(tx: InPersonTx, key_id: ApiKeyId) -> None:
    """Revoke a key: it is refused from now on, and what it has open closes."""
    await api_keys.revoke(tx, key_id)
