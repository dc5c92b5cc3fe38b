"""Conversations of one person: listed, opened, renamed, deleted."""

from uuid import UUID

from agenticos_app.bus import bus
from agenticos_app.bus.signals import Signal
from agenticos_app.contracts.events import Part
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, InvalidInput, NotFound
from agenticos_app.kernel.ids import ConversationId, RunId
from agenticos_app.kernel.money import dollars
from agenticos_app.kernel.paging import PAGE_SIZE, Page, cursor_of
from agenticos_app.models import Conversation, File, Message, Run
from agenticos_app.repos import agents as agent_repo
from agenticos_app.repos import conversations as repo
from agenticos_app.repos import runs as run_repo
from agenticos_app.schemas.conversations import ConversationDetail, ConversationRow, TurnRow
from agenticos_app.services.files import delete_bytes_later, file_row, storage_key
from agenticos_app.services.paging import after_cursor

TURNS_OF_A_PAGE = 50


async def list_conversations(
    tx: Tx, *, cursor: str = "", containing: str = "", limit: int = PAGE_SIZE
) -> Page[ConversationRow]:
    """Return the person's conversations, the latest first; `containing` filters by title.

    Raises:
        InvalidInput: The cursor is not one of ours.
    """
    after = after_cursor(cursor)
    rows = await repo.page(tx, after, limit=limit + 1, containing=containing.strip()[:100])
    more, rows = len(rows) > limit, rows[:limit]
    working = await repo.running(tx, [row.id for row in rows]) if rows else {}
    return Page(
        rows=[_row(row, working.get(row.id)) for row in rows],
        next_cursor=cursor_of(rows[-1].last_message_at, rows[-1].id) if more else "",
    )


def _row(row: Conversation, run_id: UUID | None) -> ConversationRow:
    return ConversationRow(
        id=row.id,
        title=row.title,
        agent_id=row.agent_id,
        last_message_at=row.last_message_at,
        running_run_id=run_id,
    )


async def open_conversation(
    tx: Tx, conversation_id: ConversationId, *, is_test: bool = False
) -> ConversationDetail:
    """Return a conversation with its newest turns.

    Raises:
        NotFound: Not a conversation of the person, or not of this kind.
    """
    conversation = await _own(tx, conversation_id)
    if conversation.is_test is not is_test:
        raise NotFound(conversation_id=conversation_id)
    turns, earlier = await _turns(tx, conversation_id, before=None)
    working = await repo.running(tx, [conversation_id])
    names = await agent_repo.names(tx, [conversation.agent_id]) if conversation.agent_id else {}
    return ConversationDetail(
        id=conversation.id,
        title=conversation.title,
        agent_id=conversation.agent_id,
        agent_name=names.get(conversation.agent_id, "") if conversation.agent_id else "",
        running_run_id=working.get(conversation_id),
        turns=turns,
        earlier_cursor=earlier,
    )


async def earlier_turns(tx: Tx, conversation_id: ConversationId, cursor: str) -> tuple[list[TurnRow], str]:
    """Return the turns before a cursor, oldest first, and the cursor of those before them.

    Raises:
        NotFound: Not a conversation of the person.
        InvalidInput: The cursor is not one of ours.
    """
    await _own(tx, conversation_id)
    try:
        before = UUID(cursor)
    except ValueError:
        raise InvalidInput({"field": "cursor", "message": "invalid"}) from None
    return await _turns(tx, conversation_id, before=before)


async def turn_of(tx: Tx, conversation_id: ConversationId, run_id: UUID) -> TurnRow:
    """Return the turn of one run.

    Raises:
        NotFound: Not a conversation of the person, or no turn of it has this run.
    """
    await _own(tx, conversation_id)
    question = await repo.question_of_run(tx, conversation_id, run_id)
    if question is None:
        raise NotFound(run_id=run_id)
    files = await repo.files_of_messages(tx, [question.id])
    answers = await repo.answers(tx, [run_id])
    return _turn(question, files, answers.get(run_id))


async def test_turn(tx: Tx, run_id: RunId) -> TurnRow:
    """Return the turn of a test run, whichever conversation of the person's tests it is in.

    Raises:
        NotFound: Not a test run in a conversation of the person.
    """
    run = await run_repo.get(tx, run_id)
    if run is None or not run.is_test or run.conversation_id is None:
        raise NotFound(run_id=run_id)
    return await turn_of(tx, ConversationId(run.conversation_id), run_id)


async def _own(tx: Tx, conversation_id: ConversationId, *, lock: bool = False) -> Conversation:
    conversation = await repo.get(tx, conversation_id, lock=lock)
    if conversation is None:
        raise NotFound(conversation_id=conversation_id)
    return conversation


async def _turns(tx: Tx, conversation_id: UUID, *, before: UUID | None) -> tuple[list[TurnRow], str]:
    questions = await repo.questions(tx, conversation_id, before, limit=TURNS_OF_A_PAGE + 1)
    more, questions = len(questions) > TURNS_OF_A_PAGE, questions[:TURNS_OF_A_PAGE]
    questions.reverse()
    answers = await repo.answers(tx, [q.run_id for q in questions if q.run_id])
    files: dict[UUID, list[File]] = {}
    for file in await repo.files_of_messages(tx, [q.id for q in questions]):
        if file.message_id is not None:
            files.setdefault(file.message_id, []).append(file)
    turns = [_turn(q, files.get(q.id, []), answers.get(q.run_id) if q.run_id else None) for q in questions]
    return turns, str(questions[0].id) if more else ""


def _turn(question: Message, files: list[File], answered: tuple[Message, Run] | None) -> TurnRow:
    answer, run = answered or (None, None)
    parts = [Part.model_validate(part) for part in answer.parts] if answer else []
    lasted = None
    if run is not None and run.ended_at is not None:
        lasted = int((run.ended_at - run.started_at).total_seconds() * 1000)
    return TurnRow(
        id=question.id,
        text=question.text,
        files=[file_row(file) for file in files],
        asked_at=question.created_at,
        run_id=question.run_id,
        answer_id=answer.id if answer else None,
        parts=parts,
        status=answer.status if answer else "",
        error_code=(run.error_code or "") if run else "",
        model_label=run.model_label if run else "",
        steps=sum(part.kind == "tool" for part in parts),
        milliseconds=lasted,
        input_tokens=answer.input_tokens if answer else 0,
        output_tokens=answer.output_tokens if answer else 0,
        cost_usd=dollars(answer.cost_micros) if answer else None,
        cost_is_partial=answer.cost_is_partial if answer else False,
    )


async def rename(tx: Tx, conversation_id: ConversationId, title: str) -> None:
    """Give a conversation another title.

    Raises:
        NotFound: Not a conversation of the person.
    """
    conversation = await _own(tx, conversation_id, lock=True)
    conversation.title = title
    await tx.flush()
    _changed(tx, conversation_id)


async def delete(tx: Tx, conversation_id: ConversationId) -> None:
    """Delete a conversation with its messages and files. Its runs stay as the record of what was spent.

    Raises:
        NotFound: Not a conversation of the person.
        Conflict: A run still works in it (`reason="run_in_progress"`).
    """
    conversation = await _own(tx, conversation_id, lock=True)
    if await repo.running(tx, [conversation_id]):
        raise Conflict(reason="run_in_progress")
    keys = [storage_key(file.organization_id, file.id) for file in await repo.files_of(tx, conversation_id)]
    await tx.delete(conversation)
    delete_bytes_later(tx, keys)
    _changed(tx, conversation_id)


def _changed(tx: Tx, conversation_id: UUID) -> None:
    person = str(tx.actor.person)

    async def tell() -> None:
        signal = Signal(kind="conversation.changed", topic=person, conversation_id=conversation_id)
        await bus.current().signals.send(signal)

    tx.after_commit(tell)
