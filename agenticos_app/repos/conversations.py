"""Conversations, messages, files. A conversation belongs to one person; others read it through its runs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, delete, select, tuple_, update
from sqlmodel import col

from agenticos_app.contracts.events import RunStatus
from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.models import Conversation, File, FileText, Message, Run, ToolCall
from agenticos_app.repos.scope import all_of, first, scoped

OPEN = (RunStatus.RUNNING.value, RunStatus.AWAITING_APPROVAL.value, RunStatus.AWAITING_ANSWER.value)


async def get(tx: Tx, conversation_id: UUID, *, lock: bool = False) -> Conversation | None:
    """Return the person's own conversation."""
    query = scoped(Conversation, tx).where(
        col(Conversation.id) == conversation_id, col(Conversation.user_id) == tx.actor.user_id
    )
    return await first(tx, query.with_for_update() if lock else query)


async def page(
    tx: Tx, after: tuple[datetime, UUID] | None, *, limit: int, containing: str = ""
) -> list[Conversation]:
    """Return the person's conversations, the latest first, without those of tests."""
    query = scoped(Conversation, tx).where(
        col(Conversation.user_id) == tx.actor.user_id, col(Conversation.is_test).is_(False)
    )
    if containing:
        query = query.where(col(Conversation.title).icontains(containing, autoescape=True))
    if after is not None:
        query = query.where(tuple_(col(Conversation.last_message_at), col(Conversation.id)) < after)
    return await all_of(
        tx, query.order_by(col(Conversation.last_message_at).desc(), col(Conversation.id).desc()).limit(limit)
    )


async def running(tx: Tx, conversation_ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Return the open run of each of these conversations that has one."""
    query = select(col(Run.conversation_id), col(Run.id)).where(
        col(Run.organization_id) == tx.actor.organization_id,
        col(Run.conversation_id).in_(conversation_ids),
        col(Run.status).in_(OPEN),
    )
    found = (await tx.session.execute(query)).all()
    return {conversation_id: run_id for conversation_id, run_id in found if conversation_id is not None}


async def questions(tx: Tx, conversation_id: UUID, before: UUID | None, *, limit: int) -> list[Message]:
    """Return people's messages of a conversation, the newest first, older than `before`."""
    query = scoped(Message, tx).where(
        col(Message.conversation_id) == conversation_id, col(Message.role) == "user"
    )
    if before is not None:
        query = query.where(col(Message.id) < before)
    return await all_of(tx, query.order_by(col(Message.id).desc()).limit(limit))


async def question_of_run(tx: Tx, conversation_id: UUID, run_id: UUID) -> Message | None:
    """Return the person's message that a run answers."""
    query = scoped(Message, tx).where(
        col(Message.conversation_id) == conversation_id,
        col(Message.run_id) == run_id,
        col(Message.role) == "user",
    )
    return await first(tx, query)


async def answers(tx: Tx, run_ids: Collection[UUID]) -> dict[UUID, tuple[Message, Run]]:
    """Return the answer and run of each run id."""
    query = (
        select(Message, Run)
        .join(Run, col(Run.id) == col(Message.run_id))
        .where(
            col(Message.organization_id) == tx.actor.organization_id,
            col(Message.run_id).in_(run_ids),
            col(Message.role) == "assistant",
        )
    )
    return {row[1].id: (row[0], row[1]) for row in (await tx.session.execute(query)).all()}


async def recent(tx: Tx, conversation_id: UUID, before: UUID, *, limit: int) -> list[Message]:
    """Return the messages of a conversation before one of them, oldest first, at most the last `limit`."""
    query = (
        scoped(Message, tx)
        .where(col(Message.conversation_id) == conversation_id, col(Message.id) < before)
        .order_by(col(Message.id).desc())
        .limit(limit)
    )
    return list(reversed(await all_of(tx, query)))


async def calls_of(tx: Tx, message_ids: Collection[UUID]) -> list[ToolCall]:
    """Return the tool calls of messages in their order."""
    query = scoped(ToolCall, tx).where(col(ToolCall.message_id).in_(message_ids))
    return await all_of(tx, query.order_by(col(ToolCall.message_id), col(ToolCall.position)))


async def files_of(tx: Tx, conversation_id: UUID) -> list[File]:
    """Return the files of a conversation in the order they came."""
    return await all_of(
        tx, scoped(File, tx).where(col(File.conversation_id) == conversation_id).order_by(col(File.id))
    )


async def files_of_messages(tx: Tx, message_ids: Collection[UUID]) -> list[File]:
    """Return the files of messages in the order they came."""
    return await all_of(
        tx, scoped(File, tx).where(col(File.message_id).in_(message_ids)).order_by(col(File.id))
    )


async def own_file(tx: Tx, file_id: UUID) -> File | None:
    """Return a file that the actor uploaded."""
    return await first(
        tx, scoped(File, tx).where(col(File.id) == file_id, col(File.user_id) == tx.actor.user_id)
    )


async def link_files(tx: Tx, file_ids: Sequence[UUID], *, conversation_id: UUID, message_id: UUID) -> int:
    """Attach the actor's own unlinked files to a message; return how many there were."""
    query = (
        update(File)
        .where(
            col(File.organization_id) == tx.actor.organization_id,
            col(File.id).in_(file_ids),
            col(File.user_id) == tx.actor.user_id,
            col(File.message_id).is_(None),
        )
        .values(conversation_id=conversation_id, message_id=message_id)
        .returning(col(File.id))
    )
    return len((await tx.session.execute(query)).all())


async def delete_unsent_files(tx: SystemTx, *, before: datetime, limit: int) -> list[tuple[UUID, UUID]]:
    """Delete files that came before a time and were never sent; return organization and id of each."""
    old = (
        select(col(File.id))
        .where(col(File.message_id).is_(None), col(File.conversation_id).is_(None))
        .where(col(File.created_at) < before)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    query = delete(File).where(col(File.id).in_(old)).returning(col(File.organization_id), col(File.id))
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def text_of(tx: Tx, conversation_id: UUID, file_id: UUID) -> str | None:
    """Return the text of a conversation's file."""
    query = (
        select(col(FileText.text))
        .join(File, and_(col(File.id) == col(FileText.file_id)))
        .where(
            col(FileText.organization_id) == tx.actor.organization_id,
            col(File.conversation_id) == conversation_id,
            col(File.id) == file_id,
        )
    )
    return (await tx.session.execute(query)).scalar_one_or_none()
