"""Attached files: taken in, read, given back to whoever sent them."""

import asyncio
import hashlib
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote
from uuid import UUID

from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.errors import InvalidInput, NotFound, TooLarge
from agenticos_app.kernel.ids import ConversationId, FileId, new_id
from agenticos_app.models import File, FileText
from agenticos_app.repos import conversations as repo
from agenticos_app.schemas.conversations import FileRow
from agenticos_app.security.actor import Actor
from agenticos_app.services import deployment
from agenticos_app.services.work import work

TEXT_TYPE = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class _Read:
    text: str
    sha256: bytes


async def take_in(actor: Actor, *, name: str, body: bytes) -> FileRow:
    """Store a text file of the actor; it belongs to no message until one is sent with it.

    The bytes are stored before the transaction begins, and taken away again when it fails.

    Raises:
        TooLarge: Over the deployment's limit.
        InvalidInput: Empty, or not text (`message` is `empty` or `not_text`).
    """
    person, limit = actor.person, deployment.current().upload_limit_bytes
    if len(body) > limit:
        raise TooLarge(limit_bytes=limit)
    read = await asyncio.to_thread(_read, body)
    file = File(
        id=new_id(),
        organization_id=actor.organization_id,
        user_id=person,
        name=_safe_name(name),
        media_type=TEXT_TYPE,
        size_bytes=len(body),
        sha256=read.sha256,
        lines=read.text.count("\n") + (not read.text.endswith("\n")),
    )
    async with stored(storage_key(file.organization_id, file.id), body), work(actor) as tx:
        tx.add(file)
        await tx.flush()
        tx.add(FileText(id=new_id(), organization_id=file.organization_id, file_id=file.id, text=read.text))
    return file_row(file)


@asynccontextmanager
async def stored(key: str, body: bytes) -> AsyncGenerator[None]:
    """Store bytes for rows that are written inside; take them away again when the rows come to nothing."""
    storage = deployment.current().storage
    await storage.put(key, body)
    try:
        yield
    except BaseException:
        await asyncio.shield(storage.delete(key))
        raise


def _read(body: bytes) -> _Read:
    """Decode text; what holds a NUL or is neither UTF-8 nor UTF-16 with a mark is not text."""
    if not body.strip():
        raise InvalidInput({"field": "file", "message": "empty"})
    encoding = "utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        raise InvalidInput({"field": "file", "message": "not_text"}) from None
    if "\x00" in text:
        raise InvalidInput({"field": "file", "message": "not_text"})
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _Read(unicodedata.normalize("NFC", lines), hashlib.sha256(body).digest())


def _safe_name(name: str) -> str:
    """Return the last part of a name without what no file name needs."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(char for char in last if char.isprintable()).strip()[:255] or "file.txt"


def storage_key(organization_id: UUID, file_id: UUID) -> str:
    """Return where a file's bytes are."""
    return f"{organization_id}/{file_id}"


def file_row(file: File) -> FileRow:
    """Return what lists and cards show."""
    return FileRow(
        id=file.id, name=file.name, size_bytes=file.size_bytes, media_type=file.media_type, lines=file.lines
    )


async def download(actor: Actor, file_id: FileId) -> tuple[FileRow, bytes]:
    """Return a file that the actor uploaded.

    Raises:
        NotFound: Not a file of the actor.
    """
    async with work(actor) as tx:
        file = await repo.own_file(tx, file_id)
    if file is None:
        raise NotFound(file_id=file_id)
    return file_row(file), await deployment.current().storage.read(storage_key(file.organization_id, file.id))


def download_headers(row: FileRow) -> dict[str, str]:
    """Return the headers under which bytes of strangers may leave: never shown, never sniffed."""
    return {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(row.name, safe='')}",
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
    }


async def discard(tx: Tx, file_id: FileId) -> None:
    """Delete a file that was not sent yet.

    Raises:
        NotFound: Not a file of the actor, or sent already.
    """
    file = await repo.own_file(tx, file_id)
    if file is None or file.message_id is not None:
        raise NotFound(file_id=file_id)
    await tx.delete(file)
    delete_bytes_later(tx, [storage_key(file.organization_id, file.id)])


def delete_bytes_later(tx: SystemTx, keys: list[str]) -> None:
    """Delete bytes once the rows are gone for good."""

    async def delete() -> None:
        for key in keys:
            await deployment.current().storage.delete(key)

    tx.after_commit(delete)


class ConversationTexts:
    """The texts of one conversation's files, for the tools of a run."""

    def __init__(self, actor: Actor, conversation_id: ConversationId) -> None:
        self._actor = actor
        self._conversation_id = conversation_id
        self._texts: dict[UUID, str] = {}

    async def text_of(self, file_id: FileId) -> str:
        """Return the whole text, read once per run in a short transaction.

        Raises:
            NotFound: Not a file of this conversation.
        """
        if file_id not in self._texts:
            async with work(self._actor) as tx:
                text = await repo.text_of(tx, self._conversation_id, file_id)
            if text is None:
                raise NotFound(file_id=file_id)
            self._texts[file_id] = text
        return self._texts[file_id]
