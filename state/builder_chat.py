"""The Builder's test chat: talks to the draft, or to a version, in a conversation that is listed nowhere."""

from decimal import Decimal

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventSpec

from agenticos_app.errors import AppError
from agenticos_app.kernel.ids import AgentId, ConversationId, RunId
from agenticos_app.schemas.conversations import TurnRow
from agenticos_app.schemas.runs import AskTest
from agenticos_app.services import conversations, runs
from state.notices import notice_of
from state.session import acting, identity

DRAFT = "draft"
KEPT_TURNS = 20
"""Turns that the panel shows; older ones are in Activity."""


class BuilderChatState(rx.State):
    """The test chat of one agent. The page follows running answers by itself."""

    agent_id: str = ""
    tested: str = DRAFT
    """`draft`, or the number of a version."""
    conversation_id: str = ""
    turns: list[TurnRow] = []
    """Oldest first; without parts, the page follows them."""
    running_run_id: str = ""
    last_prompt: str = ""
    cost_usd: str = "0"
    """Of the turns that are shown, decimal."""
    cost_is_partial: bool = False
    accepted: int = 0
    refused: int = 0
    """Counted up so that the composer knows what became of what it sent."""

    @rx.event
    def open(self, agent_id: str) -> None:
        """Begin with an agent; what was said to the same one stays."""
        if agent_id != self.agent_id:
            self.agent_id, self.tested = agent_id, DRAFT
            self._forget()

    @rx.event
    def choose(self, tested: str) -> None:
        """Talk to the draft, or to a version by its number, from the next question on."""
        self.tested = tested if tested == DRAFT or tested.isdecimal() else DRAFT

    @rx.event
    async def send(self, text: str, file_ids: list[str]) -> EventSpec | None:
        """Ask. The composer keeps the words until this was accepted."""
        return await self._ask(text, file_ids)

    @rx.event
    async def rerun(self) -> EventSpec | None:
        """Ask the last question once more, of what is tested now and without what was said before it."""
        if not self.last_prompt or self.running_run_id:
            return None
        self.conversation_id = ""
        return await self._ask(self.last_prompt, [])

    async def _ask(self, text: str, file_ids: list[str]) -> EventSpec | None:
        try:
            ask = AskTest(
                prompt=text,
                conversation_id=identity(self.conversation_id) if self.conversation_id else None,
                file_ids=[identity(file_id) for file_id in file_ids],
                tested=DRAFT if self.tested == DRAFT else int(self.tested),
            )
            async with acting(self) as tx:
                started = await runs.start_test(tx, AgentId(identity(self.agent_id)), ask)
                conversation_id = ConversationId(identity(str(started.conversation_id)))
                turn = await conversations.turn_of(tx, conversation_id, started.run_id)
        except (AppError, ValidationError) as refusal:
            self.refused += 1
            return notice_of(refusal, report="")
        self.accepted += 1
        self.conversation_id, self.last_prompt = str(conversation_id), text
        self.running_run_id = str(started.run_id)
        self.turns = [*self.turns, turn.model_copy(update={"parts": []})][-KEPT_TURNS:]
        return None

    @rx.event
    async def stop(self) -> None:
        """Stop the run that works."""
        if self.running_run_id:
            async with acting(self) as tx:
                await runs.stop(tx, RunId(identity(self.running_run_id)))

    @rx.event
    async def ended(self, run_id: str, status: str) -> None:
        """Note how a run ended and what it cost; the page has its text."""
        if not any(str(turn.run_id) == run_id for turn in self.turns):
            return
        async with acting(self) as tx:
            turn = await conversations.test_turn(tx, RunId(identity(run_id)))
        if turn.status == "running":
            return
        without_parts = turn.model_copy(update={"parts": []})
        self.turns = [without_parts if known.id == turn.id else known for known in self.turns]
        if self.running_run_id == run_id:
            self.running_run_id = ""
        self.cost_usd = str(sum((Decimal(one.cost_usd or 0) for one in self.turns), Decimal(0)))
        self.cost_is_partial = any(one.cost_is_partial or one.cost_usd is None for one in self.turns)

    @rx.event
    def clear(self) -> None:
        """Begin anew. The runs stay in Activity."""
        if not self.running_run_id:
            self._forget()

    def _forget(self) -> None:
        self.conversation_id = self.running_run_id = self.last_prompt = ""
        self.turns, self.cost_usd, self.cost_is_partial = [], "0", False
