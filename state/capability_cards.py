"""Cards about missing capabilities: how each stands for the person, and what was done from it."""

from typing import Literal

import reflex as rx
from pydantic import BaseModel, ConfigDict
from reflex.event import EventSpec

from agenticos_app.errors import AppError
from agenticos_app.kernel.ids import RunId
from agenticos_app.schemas.agents import CapabilityAsk, CapabilityStanding
from agenticos_app.services import capability_cards
from state.notices import notice_of
from state.session import acting, identity

MOST = 100
"""Cards that are remembered; the oldest is looked up again when it is shown again."""


class Standing(BaseModel):
    """One card, as its person sees it."""

    model_config = ConfigDict(frozen=True)

    state: Literal["missing", "draft", "live", "asked"]
    can_edit: bool = False
    agent_id: str = ""
    is_new: bool = False
    """This person has just done it from the card."""


class CapabilityCardsState(rx.State):
    """The cards that were shown in this visit, by run and capability."""

    cards: dict[str, Standing] = {}

    @rx.event
    async def look(self, run_id: str, capability: str) -> None:
        """Find out what a card can offer."""
        key = f"{run_id}:{capability}"
        if key in self.cards:
            return
        try:
            async with acting(self) as tx:
                found = await capability_cards.standing(tx, RunId(identity(run_id)), capability)
        except AppError:  # without an answer the card only tells
            return
        self._put(key, _standing(found))

    @rx.event
    async def enable(self, run_id: str, capability: str) -> EventSpec | None:
        """Switch the capability on."""
        try:
            async with acting(self) as tx:
                found = await capability_cards.enable(tx, RunId(identity(run_id)), capability)
        except AppError as refusal:
            return notice_of(refusal, report="")
        self._put(f"{run_id}:{capability}", _standing(found, is_new=True))
        return None

    @rx.event
    async def ask(self, run_id: str, capability: str, reason: str) -> EventSpec | None:
        """Ask the agent's owner."""
        body = CapabilityAsk(capability_id=capability[:64], reason=reason[:500])
        try:
            async with acting(self) as tx:
                await capability_cards.ask_for(tx, RunId(identity(run_id)), body)
        except AppError as refusal:
            return notice_of(refusal, report="")
        self._put(f"{run_id}:{capability}", Standing(state="asked", is_new=True))
        return None

    def _put(self, key: str, standing: Standing) -> None:
        kept = {known: one for known, one in self.cards.items() if known != key}
        self.cards = {**dict(list(kept.items())[-(MOST - 1) :]), key: standing}


def _standing(found: CapabilityStanding, *, is_new: bool = False) -> Standing:
    return Standing(state=found.state, can_edit=found.can_edit, agent_id=str(found.agent_id), is_new=is_new)
