"""The list of runs: what it shows is in the page's address, so that a link and the back button lead there."""

from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode
from uuid import UUID

import reflex as rx
from reflex.event import EventSpec

from agenticos_app.contracts.events import RunStatus
from agenticos_app.errors import InvalidInput, Unauthenticated
from agenticos_app.kernel.ids import AgentId
from agenticos_app.kernel.paging import PAGE_SIZE, Page
from agenticos_app.schemas.agents import AgentRow
from agenticos_app.schemas.runs import RunRow
from agenticos_app.security.actor import Surface
from agenticos_app.services import agents, runs
from agenticos_app.services.work import Tx
from state.notices import reported
from state.session import acting

REFRESHED = 100
"""The newest rows that a refresh brings up to date; older ones have ended long ago."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for. Empty: everything."""

    statuses: tuple[RunStatus, ...] = ()
    agent_id: AgentId | None = None
    surface: str = ""
    is_test: bool = False


def read_filters(query: str) -> Filters:
    """Return the filters of an address; several states as `status=a&status=b` or `status=a,b`.

    Raises:
        InvalidInput: A value that no run can have.
    """
    given = parse_qs(query)
    named = [part for value in given.get("status", []) for part in value.split(",") if part]
    agent, surface = given.get("agent", [""])[-1], given.get("surface", [""])[-1]
    try:
        return Filters(
            statuses=tuple(dict.fromkeys(RunStatus(name) for name in named)),
            agent_id=AgentId(UUID(agent)) if agent else None,
            surface=Surface(surface).value if surface else "",
            is_test="test" in given,
        )
    except ValueError:
        raise InvalidInput({"field": "filter", "message": "invalid"}) from None


class ActivityState(rx.State):
    """The runs that the address asks for, the latest first."""

    rows: list[RunRow] = []
    next_cursor: str = ""
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    refused: bool = False
    """Whether the address asks for something that does not exist."""
    statuses: list[str] = []
    agent_id: str = ""
    surface: str = ""
    is_test: bool = False
    """Whether the test runs are shown, and no others."""
    agents: list[AgentRow] = []
    is_live: bool = False
    """Whether a run that is shown still works."""
    busy: bool = False

    @rx.event
    async def load(self) -> None:
        """Show the first page of what the address asks for."""
        try:
            filters = read_filters(self.router.url.query)
        except InvalidInput:
            self.refused, self.rows, self.next_cursor, self.loaded, self.is_live = True, [], "", True, False
            return
        self.refused = False
        self.statuses = [status.value for status in filters.statuses]
        self.agent_id, self.surface = str(filters.agent_id or ""), filters.surface
        self.is_test = filters.is_test
        try:
            async with acting(self) as tx:
                page, found = await self._page(tx), await agents.list_agents(tx)
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("activity.load_failed", error)
            return
        self.rows, self.next_cursor, self.agents = page.rows, page.next_cursor, found
        self.is_live = any(row.status is RunStatus.RUNNING for row in page.rows)
        self.loaded, self.failure = True, ""

    async def _page(self, tx: Tx, *, cursor: str = "", limit: int = PAGE_SIZE) -> Page[RunRow]:
        return await runs.list_runs(
            tx,
            cursor=cursor,
            limit=limit,
            statuses=[RunStatus(status) for status in self.statuses],
            agent_id=AgentId(UUID(self.agent_id)) if self.agent_id else None,
            surface=self.surface,
            is_test=self.is_test,
        )

    @rx.event
    async def refresh(self) -> None:
        """Bring the newest rows up to date and keep the older ones."""
        if not self.loaded or self.failure or self.refused:
            return
        async with acting(self) as tx:
            page = await self._page(tx, limit=min(max(len(self.rows), PAGE_SIZE), REFRESHED))
        rows, cursor = _merged(self.rows, page), self.next_cursor
        if rows == page.rows:
            cursor = page.next_cursor
        if rows != self.rows:
            self.rows = rows
        self.next_cursor = cursor
        self.is_live = any(row.status is RunStatus.RUNNING for row in rows)

    @rx.event
    async def load_more(self) -> None:
        """Show the next page below."""
        if not self.next_cursor:
            return
        async with acting(self) as tx:
            page = await self._page(tx, cursor=self.next_cursor)
        known = {row.id for row in self.rows}
        self.rows = [*self.rows, *(row for row in page.rows if row.id not in known)]
        self.next_cursor = page.next_cursor

    @rx.event
    def toggle_status(self, status: str) -> EventSpec:
        """Ask for runs of this state too, or no longer."""
        chosen = [one for one in self.statuses if one != status]
        return self._go(statuses=chosen if len(chosen) < len(self.statuses) else [*chosen, status])

    @rx.event
    def choose_agent(self, agent_id: str) -> EventSpec:
        """Ask for runs of one agent; of all with an empty id."""
        return self._go(agent_id=agent_id)

    @rx.event
    def toggle_surface(self, surface: str) -> EventSpec:
        """Ask for runs through one door, or through all."""
        return self._go(surface="" if surface == self.surface else surface)

    @rx.event
    def toggle_tests(self) -> EventSpec:
        """Ask for test runs, or for all others."""
        return self._go(is_test=not self.is_test)

    @rx.event
    def clear_filters(self) -> EventSpec:
        """Ask for all runs."""
        return self._go(statuses=[], agent_id="", surface="", is_test=False)

    def _go(
        self,
        *,
        statuses: list[str] | None = None,
        agent_id: str | None = None,
        surface: str | None = None,
        is_test: bool | None = None,
    ) -> EventSpec:
        """Lead to the address of the filters in force, with these changed."""
        asked = {
            "status": ",".join(self.statuses if statuses is None else statuses),
            "agent": self.agent_id if agent_id is None else agent_id,
            "surface": self.surface if surface is None else surface,
            "test": "1" if (self.is_test if is_test is None else is_test) else "",
            "org": self.router.url.query_parameters.get("org", ""),
        }
        query = urlencode({name: value for name, value in asked.items() if value}, safe=",")
        return rx.redirect(f"/activity?{query}" if query else "/activity")


def _merged(shown: list[RunRow], page: Page[RunRow]) -> list[RunRow]:
    """Return the fresh rows, followed by those shown that are older than all of them."""
    if not page.next_cursor:
        return page.rows
    last = page.rows[-1]
    older = [row for row in shown if (row.started_at, row.id) < (last.started_at, last.id)]
    return [*page.rows, *older]
