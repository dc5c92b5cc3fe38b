"""The chat: which conversation is open, its settled turns, and the list of conversations."""

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventSpec

from agenticos_app.errors import AppError, NotFound, Unauthenticated
from agenticos_app.kernel.ids import AgentId, ConversationId, RunId
from agenticos_app.schemas.agents import AgentRow
from agenticos_app.schemas.conversations import ConversationRename, ConversationRow, TurnRow
from agenticos_app.schemas.runs import Ask
from agenticos_app.services import agents, conversations, runs
from state.notices import notice_of, reported
from state.session import acting, identity, in_organization

KEPT_LIVE = 6
"""Turns of this visit before they join the settled ones: each change re-sends its whole list."""


class ChatState(rx.State):
    """The open conversation. Nothing that grows is in here: the page follows running answers by itself."""

    conversation_id: str = ""
    title: str = ""
    agents: list[AgentRow] = []
    agent_id: str = ""
    agent_name: str = ""
    turns: list[TurnRow] = []
    """Turns as they were when the conversation was opened, oldest first."""
    recent: list[TurnRow] = []
    """Turns of this visit; without parts, the page has followed them."""
    earlier_cursor: str = ""
    running_run_id: str = ""
    loaded: bool = False
    missing: bool = False
    failure: str = ""
    accepted: int = 0
    refused: int = 0
    """Counted up so that the composer knows what became of what it sent."""

    @rx.event
    async def load(self) -> None:
        """Show what the address names: a conversation (`c`), or a new one, with an agent (`agent`)."""
        await self._load()

    async def _load(self) -> None:
        wanted = str(self.router.url.query_parameters.get("c", ""))
        self.missing, self.failure = False, ""
        try:
            async with acting(self) as tx:
                self.agents = await agents.list_agents(tx, published=True)
                if not wanted:
                    self._show_new()
                    return
                found = await conversations.open_conversation(tx, ConversationId(identity(wanted)))
        except NotFound:
            self._show_new()
            self.missing = True
            return
        except Unauthenticated:
            raise
        except Exception as error:
            self._show_new()
            self.failure = reported("chat.load_failed", error)
            return
        is_same = self.conversation_id == wanted and self.loaded
        self.conversation_id, self.title = str(found.id), found.title
        self.running_run_id = str(found.running_run_id or "")
        self._choose(str(found.agent_id or ""))
        if is_same and self.recent and found.turns and found.turns[-1].id == self.recent[-1].id:
            return
        settled = [turn for turn in found.turns if turn.run_id != found.running_run_id or turn.run_id is None]
        self.turns = settled
        self.recent = [turn.model_copy(update={"parts": []}) for turn in found.turns if turn not in settled]
        self.earlier_cursor, self.loaded = found.earlier_cursor, True

    def _show_new(self) -> None:
        self.conversation_id = self.title = self.running_run_id = self.earlier_cursor = ""
        self.turns, self.recent, self.loaded = [], [], True
        self._choose(str(self.router.url.query_parameters.get("agent", "")) or self.agent_id)

    def _choose(self, agent_id: str) -> None:
        runnable = [agent for agent in self.agents if agent.may_run]
        chosen = next((agent for agent in runnable if str(agent.id) == agent_id), None)
        chosen = chosen or (runnable[0] if runnable else None)
        self.agent_id, self.agent_name = (str(chosen.id), chosen.name) if chosen else ("", "")

    @rx.event
    def choose_agent(self, agent_id: str) -> None:
        """Ask another agent from the next question on."""
        self._choose(agent_id)

    @rx.event
    async def send(self, text: str, file_ids: list[str]) -> "list[EventSpec] | EventSpec | None":
        """Ask. The composer keeps the words until this was accepted."""
        if not self.loaded:
            await self._load()  # the state of a tab that was left alone for long is gone
        is_new = not self.conversation_id
        try:
            ask = Ask(
                prompt=text,
                conversation_id=None if is_new else identity(self.conversation_id),
                file_ids=[identity(file_id) for file_id in file_ids],
            )
            async with acting(self) as tx:
                started = await runs.start(tx, AgentId(identity(self.agent_id)), ask)
                conversation_id = ConversationId(identity(str(started.conversation_id)))
                turn = await conversations.turn_of(tx, conversation_id, started.run_id)
        except (AppError, ValidationError) as refusal:
            self.refused += 1
            return notice_of(refusal, report="")
        self.accepted += 1
        self._add(turn)
        if not is_new:
            return None
        self.conversation_id, self.loaded = str(conversation_id), True
        self.title = text.strip().splitlines()[0][:80]
        return rx.redirect(in_organization(self, f"/chat?c={conversation_id}"), replace=True)

    def _add(self, turn: TurnRow) -> None:
        if any(known.id == turn.id for known in (*self.turns[-1:], *self.recent)):
            return
        self.recent = [*self.recent, turn.model_copy(update={"parts": []})]
        self.running_run_id = str(turn.run_id or "")

    @rx.event
    async def stop(self) -> None:
        """Stop the run of this conversation."""
        if self.running_run_id:
            async with acting(self) as tx:
                await runs.stop(tx, RunId(identity(self.running_run_id)))

    @rx.event
    async def ended(self, run_id: str, status: str) -> None:
        """Note how a run of this conversation ended; the page has its text."""
        await self._note_end(run_id)

    async def _note_end(self, run_id: str) -> None:
        if not self.conversation_id or not any(str(turn.run_id) == run_id for turn in self.recent):
            return
        async with acting(self) as tx:
            turn = await conversations.turn_of(
                tx, ConversationId(identity(self.conversation_id)), identity(run_id)
            )
        if turn.status == "running":
            return
        without_parts = turn.model_copy(update={"parts": []})
        self.recent = [without_parts if known.id == turn.id else known for known in self.recent]
        if self.running_run_id == run_id:
            self.running_run_id = ""
        if len(self.recent) > KEPT_LIVE:
            self.turns, self.recent = [*self.turns, *self.recent[:-1]], self.recent[-1:]

    @rx.event
    async def hear(self, kind: str, conversation_id: str, run_id: str) -> None:
        """Take over what another tab or door did here; `missed` comes when nobody listened for a while."""
        if kind == "missed":
            await self._catch_up()
            return
        if not conversation_id or conversation_id != self.conversation_id:
            return
        if kind == "run.started":
            async with acting(self) as tx:
                turn = await conversations.turn_of(
                    tx, ConversationId(identity(conversation_id)), identity(run_id)
                )
            self._add(turn)
        elif kind == "run.ended":
            await self._note_end(run_id)

    async def _catch_up(self) -> None:
        """Take over the turns and ends of which no signal was heard. What the page draws stays as it is."""
        if not self.conversation_id:
            return
        async with acting(self) as tx:
            found = await conversations.open_conversation(tx, ConversationId(identity(self.conversation_id)))
        for turn in found.turns:
            if self.turns and turn.id <= self.turns[-1].id:
                continue
            self._add(turn)
            if turn.status != "running":
                await self._note_end(str(turn.run_id))

    @rx.event
    async def load_earlier(self) -> None:
        """Show the turns before the first one."""
        if not self.earlier_cursor:
            return
        async with acting(self) as tx:
            earlier, cursor = await conversations.earlier_turns(
                tx, ConversationId(identity(self.conversation_id)), self.earlier_cursor
            )
        self.turns, self.earlier_cursor = [*earlier, *self.turns], cursor


class ConversationsState(rx.State):
    """The person's conversations beside the chat."""

    rows: list[ConversationRow] = []
    next_cursor: str = ""
    search: str = ""
    loaded: bool = False
    failure: str = ""
    renaming: str = ""
    renaming_title: str = ""
    rename_problem: str = ""
    deleting: str = ""
    deleting_title: str = ""

    @rx.event
    async def load(self) -> None:
        """Show the latest conversations."""
        self.failure = ""
        try:
            async with acting(self) as tx:
                page = await conversations.list_conversations(tx, containing=self.search)
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("conversations.load_failed", error)
            return
        self.rows, self.next_cursor, self.loaded = page.rows, page.next_cursor, True

    @rx.event
    async def load_more(self) -> None:
        """Show older ones."""
        if not self.next_cursor:
            return
        async with acting(self) as tx:
            page = await conversations.list_conversations(tx, cursor=self.next_cursor, containing=self.search)
        known = {row.id for row in self.rows}
        self.rows = [*self.rows, *(row for row in page.rows if row.id not in known)]
        self.next_cursor = page.next_cursor

    @rx.event
    async def set_search(self, text: str) -> None:
        """Show those whose title contains the text."""
        self.search = text[:100]
        async with acting(self) as tx:
            page = await conversations.list_conversations(tx, containing=self.search)
        self.rows, self.next_cursor = page.rows, page.next_cursor

    @rx.event
    async def hear(self, kind: str, conversation_id: str, run_id: str) -> None:
        """Follow what happens to conversations anywhere."""
        async with acting(self) as tx:
            page = await conversations.list_conversations(
                tx, containing=self.search, limit=min(100, max(50, len(self.rows)))
            )
        self.rows, self.next_cursor = page.rows, page.next_cursor

    @rx.event
    def ask_rename(self, conversation_id: str, title: str) -> None:
        """Open the dialog for another title."""
        self.renaming, self.renaming_title, self.rename_problem = conversation_id, title, ""

    @rx.event
    async def rename(self, form: dict[str, str]) -> None:
        """Save the title."""
        try:
            body = ConversationRename.model_validate(form)
        except ValidationError:
            self.rename_problem = "missing" if not form.get("title", "").strip() else "too_long"
            return
        async with acting(self) as tx:
            await conversations.rename(tx, ConversationId(identity(self.renaming)), body.title)
        self.rows = [
            row.model_copy(update={"title": body.title}) if str(row.id) == self.renaming else row
            for row in self.rows
        ]
        self.renaming = ""

    @rx.event
    def close_rename(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self.renaming = ""

    @rx.event
    def ask_delete(self, conversation_id: str, title: str) -> None:
        """Ask before a conversation is deleted."""
        self.deleting, self.deleting_title = conversation_id, title

    @rx.event
    async def delete(self) -> EventSpec | None:
        """Delete it; the chat that shows it begins a new one."""
        gone, self.deleting = self.deleting, ""
        async with acting(self) as tx:
            await conversations.delete(tx, ConversationId(identity(gone)))
        self.rows = [row for row in self.rows if str(row.id) != gone]
        if str(self.router.url.query_parameters.get("c", "")) == gone:
            return rx.redirect(in_organization(self, "/chat"))
        return None

    @rx.event
    def close_delete(self, is_open: bool) -> None:
        """Keep it."""
        if not is_open:
            self.deleting = ""
