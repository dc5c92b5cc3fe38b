"""Published versions of an agent: what changed in each, going back to one, deleting one."""

from typing import Literal, cast

import reflex as rx
from reflex.event import EventCallback

from agenticos_app.errors import AppError, Conflict, NotPublishable
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import ProblemRow, Rollback, SpecChange, VersionRow
from agenticos_app.services import agent_versions, agents, environments, publishing
from state.builder import BuilderState
from state.notices import reported
from state.session import acting, identity

MOST_CHANGES = 60
"""Lines that are shown of what changed."""

Doing = Literal["", "rollback", "delete"]


class AgentVersionsState(rx.State):
    """The list in the Builder's section Versions."""

    agent_id: str = ""
    rows: list[VersionRow] = []
    next_cursor: str = ""
    loaded: bool = False
    failure: str = ""
    may_edit: bool = False
    may_publish: bool = False
    is_archived: bool = False
    opened: int = 0
    """The version whose changes are shown; 0: none."""
    changes: list[SpecChange] = []
    """Of the opened one, against the version before it."""
    since: int = 0
    """The version that it is compared with; 0: it was the first."""
    are_cut: bool = False
    doing: Doing = ""
    """Which dialog is open."""
    number: int = 0
    """The version that the dialog is about."""
    following: list[str] = []
    """Names of the environments that a new version moves."""
    problems: list[ProblemRow] = []
    """Why the version cannot be published again."""
    problem: str = ""
    """Code of what else is in the way."""
    published: int = 0
    """The version that going back has made last; 0: none in this visit."""

    @rx.event
    async def open(self, agent_id: str) -> None:
        """Show the versions of an agent."""
        if agent_id != self.agent_id:
            self.agent_id, self.rows, self.loaded = agent_id, [], False
            self.published = 0
        self._fold()
        await self._load()

    @rx.event
    async def load(self) -> None:
        """Show them as they are now."""
        if self.agent_id:
            await self._load()

    async def _load(self) -> None:
        self.failure = ""
        agent_id = self._agent_id()
        try:
            async with acting(self) as tx:
                agent = await agents.get_agent(tx, agent_id)
                page = await agent_versions.list_versions(tx, agent_id)
        except AppError:
            raise
        except Exception as error:
            self.failure = reported("agent_versions.load_failed", error)
            return
        self.may_edit, self.may_publish = agent.can_edit, agent.can_publish
        self.is_archived = agent.status == "archived"
        self.rows, self.next_cursor, self.loaded = page.rows, page.next_cursor, True

    def _agent_id(self) -> AgentId:
        return AgentId(identity(self.agent_id))

    @rx.event
    async def load_more(self) -> None:
        """Show older ones."""
        if not self.next_cursor:
            return
        async with acting(self) as tx:
            page = await agent_versions.list_versions(tx, self._agent_id(), cursor=self.next_cursor)
        self.rows, self.next_cursor = [*self.rows, *page.rows], page.next_cursor

    @rx.event
    async def toggle(self, number: int) -> None:
        """Show what changed in a version, or hide it again."""
        if int(number) == self.opened:
            self._fold()
            return
        async with acting(self) as tx:
            found = await publishing.changes_in(tx, self._agent_id(), int(number))
        self.opened, self.since = found.until, found.since
        self.changes, self.are_cut = found.changes[:MOST_CHANGES], len(found.changes) > MOST_CHANGES

    def _fold(self) -> None:
        self.opened, self.since, self.changes, self.are_cut = 0, 0, [], False

    @rx.event
    async def ask(self, number: int, doing: str) -> None:
        """Open the dialog that does something to a version."""
        self._leave()
        agent_id = self._agent_id()
        async with acting(self) as tx:
            await agent_versions.get_version(tx, agent_id, int(number))
            found = await environments.list_environments(tx, agent_id)
        self.number = int(number)
        self.following = [one.name for one in found if one.tracks_latest]
        self.doing = cast("Doing", doing) if doing in ("rollback", "delete") else ""

    @rx.event
    def close(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self._leave()

    def _leave(self) -> None:
        self.doing, self.number, self.problems, self.problem = "", 0, [], ""

    @rx.event
    async def roll_back(self) -> EventCallback[()] | None:
        """Publish the chosen version again."""
        if not self.number:
            return None
        self.problems, self.problem = [], ""
        try:
            async with acting(self) as tx:
                made = await publishing.roll_back(tx, self._agent_id(), Rollback(version=self.number))
        except NotPublishable as refusal:
            told = cast("list[dict[str, object]]", refusal.details["problems"])
            self.problems = [ProblemRow.model_validate(one) for one in told]
            return None
        except Conflict as refusal:
            self.problem = _reason(refusal)
            return None
        self.published = made.number
        await self._done()
        return BuilderState.refresh

    @rx.event
    async def delete(self) -> None:
        """Delete the chosen version."""
        try:
            async with acting(self) as tx:
                await agent_versions.delete_version(tx, self._agent_id(), self.number)
        except Conflict as refusal:
            self.problem = _reason(refusal)
            return
        await self._done()

    async def _done(self) -> None:
        self._leave()
        self._fold()
        await self._load()


def _reason(refusal: AppError) -> str:
    return str(refusal.details.get("reason", refusal.code))
