"""The Builder's test chat: talks to the draft, or to a version, in a conversation that is listed nowhere."""

from decimal import Decimal

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventSpec

from agenticos_app.errors import AppError
from agenticos_app.kernel.ids import AgentId, ConversationId, RunId
from agenticos_app.schemas.conversations import TurnRow
from agenticos_app.schemas.runs import AskTest
from agenticos_app.services import agent_tests, conversations, runs
from state.notices import notice_of
from state.session import acting, identity

DRAFT = "draft"
LONGEST_NUMBER = 10
KEPT_TURNS = 20
"""Turns that the panel shows; older ones are in Activity."""


class BuilderChatState(rx.State):
    """The test chat of one agent. The page follows running answers by itself."""

    agent_id: str = ""
    agent_name: str = ""
    versions: list[str] = []
    """Numbers of those that can be tried out, the latest first."""
    problem: str = ""
    """What keeps the chosen one from answering, as `TryoutStanding` names it."""
    tested: str = DRAFT
    """`draft`, or the number of a version."""
    conversation_id: str = ""
    turns: list[TurnRow] = []
    """Oldest first; without parts, the page follows them."""
    running_run_id: str = ""
    last_prompt: str = ""
    asked_revision: int = 0
    """Of the draft when the last question was asked."""
    cost_usd: str = "0"
    """Of the turns that are shown, decimal."""
    cost_is_partial: bool = False
    accepted: int = 0
    refused: int = 0
    """Counted up so that the composer knows what became of what it sent."""

    @rx.event
    async def open(self, agent_id: str) -> None:
        """Begin with an agent; what was said to the same one stays."""
        if agent_id != self.agent_id:
            self.agent_id, self.agent_name, self.versions, self.tested = agent_id, "", [], DRAFT
            self._forget()
        await self._look()

    @rx.event
    async def look(self, known: str) -> None:
        """Look again what can be tested: `known` names the draft and version that there are now."""
        if self.agent_id:
            await self._look()

    async def _look(self) -> None:
        async with acting(self) as tx:
            found = await agent_tests.standing(tx, AgentId(identity(self.agent_id)), self._number())
        self.agent_name, self.problem = found.agent_name, found.problem
        self.versions = [str(number) for number in found.versions]

    def _number(self) -> int:
        return 0 if self.tested == DRAFT else int(self.tested)

    @rx.event
    async def choose(self, tested: str) -> None:
        """Talk to the draft, or to a version by its number, from the next question on."""
        self.tested = tested if tested.isdecimal() and len(tested) < LONGEST_NUMBER else DRAFT
        await self._look()

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
                tested=self._number() or DRAFT,
            )
            async with acting(self) as tx:
                standing = await agent_tests.standing(tx, AgentId(identity(self.agent_id)))
                started = await runs.start_test(tx, AgentId(identity(self.agent_id)), ask)
                conversation_id = ConversationId(identity(str(started.conversation_id)))
                turn = await conversations.turn_of(tx, conversation_id, started.run_id)
        except (AppError, ValidationError) as refusal:
            self.refused += 1
            return notice_of(refusal, report="")
        self.accepted += 1
        self.conversation_id, self.last_prompt = str(conversation_id), text
        self.running_run_id, self.asked_revision = str(started.run_id), standing.revision
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
        self.turns, self.cost_usd, self.cost_is_partial, self.asked_revision = [], "0", False, 0
