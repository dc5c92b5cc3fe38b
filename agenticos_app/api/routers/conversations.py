"""The caller's conversations and files."""

from typing import Annotated

from fastapi import APIRouter, File, Query, Response, UploadFile

from agenticos_app.api.deps import InTalk, Talking
from agenticos_app.api.openapi import binary, refusals
from agenticos_app.errors import Conflict, Forbidden, NotFound, TooLarge
from agenticos_app.kernel.ids import ConversationId, FileId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.conversations import (
    ConversationDetail,
    ConversationRename,
    ConversationRow,
    FileRow,
)
from agenticos_app.services import conversations, files

router = APIRouter(tags=["Conversations"])


@router.get("/conversations", responses=refusals(Forbidden))
async def list_conversations(
    tx: InTalk,
    cursor: Annotated[str, Query(max_length=500)] = "",
    containing: Annotated[str, Query(max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = PAGE_SIZE,
) -> Page[ConversationRow]:
    """List the caller's conversations, the latest first."""
    return await conversations.list_conversations(tx, cursor=cursor, containing=containing, limit=limit)


@router.get("/conversations/{conversation_id}", responses=refusals(Forbidden, NotFound))
async def read_conversation(tx: InTalk, conversation_id: ConversationId) -> ConversationDetail:
    """Return a conversation with its newest turns."""
    return await conversations.open_conversation(tx, conversation_id)


@router.patch("/conversations/{conversation_id}", status_code=204, responses=refusals(Forbidden, NotFound))
async def rename_conversation(tx: InTalk, conversation_id: ConversationId, body: ConversationRename) -> None:
    """Give a conversation another title."""
    await conversations.rename(tx, conversation_id, body.title)


@router.delete(
    "/conversations/{conversation_id}", status_code=204, responses=refusals(Forbidden, NotFound, Conflict)
)
async def delete_conversation(tx: InTalk, conversation_id: ConversationId) -> None:
    """Delete a conversation with its messages and files."""
    await conversations.delete(tx, conversation_id)


@router.post("/files", status_code=201, responses=refusals(Forbidden, TooLarge))
async def attach_file(actor: Talking, file: Annotated[UploadFile, File()]) -> FileRow:
    """Take in a text file; send its id with a question to attach it."""
    return await files.take_in(actor, name=file.filename or "", body=await file.read())


@router.get(
    "/files/{file_id}",
    response_class=Response,
    responses=binary("application/octet-stream") | refusals(Forbidden, NotFound),
)
async def download_file(actor: Talking, file_id: FileId) -> Response:
    """Return the bytes of a file that the caller attached, always as a download."""
    row, body = await files.download(actor, file_id)
    return Response(body, media_type="application/octet-stream", headers=files.download_headers(row))


@router.delete("/files/{file_id}", status_code=204, responses=refusals(Forbidden, NotFound))
async def discard_file(tx: InTalk, file_id: FileId) -> None:
    """Delete a file that was not sent yet."""
    await files.discard(tx, file_id)
