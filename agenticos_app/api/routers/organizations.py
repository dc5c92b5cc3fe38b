"""The organization that the caller acts in, and its members."""

from typing import Annotated

from fastapi import APIRouter, File, Response, UploadFile

from agenticos_app.api.deps import Acting, ActingInPerson, InTx
from agenticos_app.api.openapi import binary, refusals
from agenticos_app.errors import Conflict, Forbidden, NotFound, PersonNeeded, TooLarge
from agenticos_app.kernel.ids import UserId
from agenticos_app.schemas.organizations import (
    MemberAdd,
    MemberChange,
    MemberRow,
    OrganizationChange,
    OrganizationCreate,
    OrganizationDetail,
)
from agenticos_app.services import organizations

router = APIRouter(tags=["Organization"])


@router.post("/organizations", status_code=201, responses=refusals(PersonNeeded))
async def create_organization(actor: ActingInPerson, body: OrganizationCreate) -> OrganizationDetail:
    """Create an organization; the caller becomes its owner."""
    return await organizations.found(actor, body)


@router.get("/organization")
async def read_organization(tx: InTx) -> OrganizationDetail:
    """Return the organization that the caller acts in."""
    return await organizations.detail(tx)


@router.patch("/organization", responses=refusals(Forbidden))
async def change_organization(tx: InTx, body: OrganizationChange) -> OrganizationDetail:
    """Change name, colour or monthly cap; absent fields stay."""
    return await organizations.change(tx, body)


@router.put("/organization/avatar", responses=refusals(Forbidden, TooLarge))
async def set_avatar(actor: Acting, file: Annotated[UploadFile, File()]) -> OrganizationDetail:
    """Give the organization an image: JPEG, PNG, WebP or GIF, at most 2 MB."""
    return await organizations.set_avatar(actor, await file.read(organizations.AVATAR_LIMIT_BYTES + 1))


@router.get(
    "/organization/avatar",
    response_class=Response,
    responses=binary("image/png", "image/jpeg", "image/webp", "image/gif") | refusals(NotFound),
)
async def read_avatar(actor: Acting) -> Response:
    """Return the organization's image."""
    kind, body = await organizations.avatar(actor)
    headers = {"x-content-type-options": "nosniff", "cache-control": "private, max-age=86400"}
    return Response(body, media_type=kind, headers=headers)


@router.delete("/organization/avatar", status_code=204, responses=refusals(Forbidden))
async def remove_avatar(tx: InTx) -> None:
    """Take the image away."""
    await organizations.remove_avatar(tx)


@router.get("/organization/members")
async def list_members(tx: InTx) -> list[MemberRow]:
    """List the members by name."""
    return await organizations.list_members(tx)


@router.post("/organization/members", status_code=201, responses=refusals(Forbidden, NotFound, Conflict))
async def add_member(tx: InTx, body: MemberAdd) -> MemberRow:
    """Give somebody who has an account a role."""
    return await organizations.add_member(tx, body)


@router.patch(
    "/organization/members/{user_id}", status_code=204, responses=refusals(Forbidden, NotFound, Conflict)
)
async def change_member(tx: InTx, user_id: UserId, body: MemberChange) -> None:
    """Give a member another role."""
    await organizations.change_member(tx, user_id, body)


@router.delete(
    "/organization/members/{user_id}", status_code=204, responses=refusals(Forbidden, NotFound, Conflict)
)
async def remove_member(tx: InTx, user_id: UserId) -> None:
    """End a membership, or leave."""
    await organizations.remove_member(tx, user_id)
