"""Files, copies and the end of an agent."""

from typing import Literal, cast

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventCallback, EventSpec

from agenticos_app.errors import AppError, BadDocument, Conflict, InvalidInput, NotFound, TooLarge
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import AgentCard, AgentDeleted, DraftImport
from agenticos_app.services import agent_files, agent_life, agents
from state.builder import BuilderState
from state.notices import reported
from state.session import acting, identity, in_organization

Doing = Literal["", "import", "archive", "delete"]


class AgentEndState(rx.State):
    """What the Builder offers beside the draft: a file in its place, a copy, archive, deletion."""

    agent_id: str = ""
    agent: AgentCard | None = None
    failure: str = ""
    doing: Doing = ""
    """Which dialog is open."""
    revision: int = 0
    """Of the draft that a file shall replace."""
    problem: str = ""
    """Code of what is wrong with the file or in the way."""
    place: str = ""
    """Where in the file it is."""
    changed_by: str = ""
    """Who changed the draft meanwhile; the account may be gone."""
    changed_how: str = ""
    """Which way; empty: nobody changed it."""
    lost: AgentDeleted | None = None
    imported: int = 0
    """Revision of the draft that came out of a file in this visit; 0: none did."""

    @rx.event
    async def open(self, agent_id: str) -> None:
        """Show an agent."""
        self._leave()
        await self._turn_to(agent_id)

    async def _turn_to(self, agent_id: str) -> None:
        if agent_id != self.agent_id:
            self.agent_id, self.agent, self.imported = agent_id, None, 0
        await self._load()

    @rx.event
    async def load(self) -> None:
        """Show it as it is now."""
        if self.agent_id:
            await self._load()

    async def _load(self) -> None:
        self.failure = ""
        agent_id = self._agent_id()
        try:
            async with acting(self) as tx:
                self.agent = await agents.get_agent(tx, agent_id)
        except AppError:
            raise
        except Exception as error:
            self.failure = reported("agent_end.load_failed", error)

    def _agent_id(self) -> AgentId:
        return AgentId(identity(self.agent_id))

    @rx.event
    async def ask_import(self, revision: int) -> None:
        """Open the dialog that takes a file in place of the draft that the page shows."""
        self._leave()
        self.doing, self.revision = "import", int(revision)

    @rx.event
    async def ask(self, agent_id: str, doing: str) -> None:
        """Open the dialog that asks once before something is done to this agent."""
        self._leave()
        await self._turn_to(agent_id)
        if doing == "delete":
            async with acting(self) as tx:
                self.lost = await agent_life.loss(tx, self._agent_id())
        self.doing = cast("Doing", doing) if doing in ("archive", "delete") else ""

    @rx.event
    def close(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self._leave()

    def _leave(self) -> None:
        self.doing, self.revision, self.lost = "", 0, None
        self._forget_problem()

    def _forget_problem(self) -> None:
        self.problem = self.place = self.changed_by = self.changed_how = ""

    @rx.event
    async def import_file(self, form: dict[str, str]) -> EventCallback[()] | None:
        """Put the file in place of the draft.

        When somebody changed that meanwhile it is told, and a second try replaces the change.
        """
        self._forget_problem()
        try:
            body = DraftImport(revision=self.revision, document=form.get("document", ""))
            async with acting(self) as tx:
                draft = await agent_files.import_draft(tx, self._agent_id(), body)
        except BadDocument as refusal:
            self.problem, self.place = str(refusal.details["problem"]), str(refusal.details["field"])
        except Conflict as refusal:
            self.revision = int(str(refusal.details["revision"]))
            self.changed_by, self.changed_how = (
                str(refusal.details["changed_by"]),
                str(refusal.details["how"]),
            )
        except (TooLarge, InvalidInput, ValidationError):
            self.problem = "too_large"
        else:
            self._leave()
            self.imported = draft.revision
            return BuilderState.refresh
        return None

    @rx.event
    async def archive(self) -> EventCallback[()]:
        """Take the agent out of use."""
        async with acting(self) as tx:
            self.agent = await agent_life.archive(tx, self._agent_id())
        self._leave()
        return BuilderState.refresh

    @rx.event
    async def unarchive(self, agent_id: str) -> EventCallback[()]:
        """Take an agent into use again."""
        await self._turn_to(agent_id)
        async with acting(self) as tx:
            self.agent = await agent_life.unarchive(tx, self._agent_id())
        return BuilderState.refresh

    @rx.event
    async def clone(self, agent_id: str) -> EventSpec:
        """Copy an agent's draft into another agent, and show that."""
        async with acting(self) as tx:
            copy = await agent_life.clone(tx, AgentId(identity(agent_id)))
        return rx.redirect(in_organization(self, f"/agents/edit?a={copy.id}"))

    @rx.event
    async def delete(self) -> EventSpec | None:
        """Delete the agent, which the dialog has asked about."""
        try:
            async with acting(self) as tx:
                await agent_life.delete(tx, self._agent_id())
        except Conflict as refusal:
            self.problem = str(refusal.details.get("reason", refusal.code))
            return None
        except NotFound:
            self._leave()
            raise
        self._leave()
        return rx.redirect(in_organization(self, "/agents"))
