"""The catalogue of agents: what it shows is in the page's address, so that reload and Back lead there."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode

import reflex as rx
from reflex.event import EventSpec

from agenticos_app.errors import InvalidInput, NotFound, Unauthenticated
from agenticos_app.kernel.ids import AgentId
from agenticos_app.kernel.paging import Page
from agenticos_app.schemas.agents import (
    MOST_CATEGORIES,
    MOST_TAGS,
    AgentCard,
    AgentDeleted,
    LabelCount,
)
from agenticos_app.services import agent_life, agents
from agenticos_app.services.work import Tx
from state.notices import reported
from state.session import acting, identity

CARDS = 24
"""Cards of a page: whole rows of three, two and one."""
REFRESHED = 96
"""Cards that stay on the page after something was done to one of them."""
WHOSE = ("", "mine", "shared")
STATUSES = ("", "published", "draft", "archived")


@dataclass(frozen=True, slots=True)
class Filters:
    """What the address asks for. Empty: everything but archived agents."""

    search: str = ""
    whose: str = ""
    status: str = ""
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()


def read_filters(query: str) -> Filters:
    """Return the filters of an address; several labels of a kind are repeated.

    Raises:
        InvalidInput: A value that the catalogue does not know.
    """
    given = parse_qs(query)
    whose, status = given.get("whose", [""])[-1], given.get("status", [""])[-1]
    if whose not in WHOSE or status not in STATUSES:
        raise InvalidInput({"field": "filter", "message": "invalid"})
    return Filters(
        search=given.get("q", [""])[-1][:128],
        whose=whose,
        status=status,
        categories=_labels(given.get("category", []))[:MOST_CATEGORIES],
        tags=_labels(given.get("tag", []))[:MOST_TAGS],
    )


def _labels(given: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(" ".join(one.lower().split())[:32] for one in given))


class AgentsState(rx.State):
    """The agents that the address asks for, the ones changed last first."""

    rows: list[AgentCard] = []
    next_cursor: str = ""
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    refused: bool = False
    """Whether the address asks for something that does not exist."""
    search: str = ""
    whose: str = ""
    status: str = ""
    categories: list[str] = []
    tags: list[str] = []
    known_categories: list[LabelCount] = []
    known_tags: list[LabelCount] = []
    may_create: bool = False
    agent_id: str = ""
    """The agent that is about to be deleted."""
    agent_name: str = ""
    lost: AgentDeleted | None = None
    """What would go with it; None while nothing is about to be deleted."""
    said: str = ""
    """What was done last: `cloned`, `archived`, `unarchived` or `deleted`; drawn above the cards."""

    @rx.event
    async def load(self) -> None:
        """Show the first page of what the address asks for."""
        self.said, self.lost = "", None
        try:
            found = read_filters(self.router.url.query)
        except InvalidInput:
            self.refused, self.rows, self.next_cursor, self.loaded = True, [], "", True
            return
        self.refused = False
        self.search, self.whose, self.status = found.search, found.whose, found.status
        self.categories, self.tags = list(found.categories), list(found.tags)
        try:
            await self._list(CARDS)
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("agents.load_failed", error)

    async def _list(self, limit: int) -> None:
        async with acting(self) as tx:
            page, labels = await self._page(tx, limit=limit), await agents.labels(tx)
            self.may_create = agents.may_create(tx)
        self.rows, self.next_cursor = page.rows, page.next_cursor
        self.known_categories, self.known_tags = labels.categories, labels.tags
        self.loaded, self.failure = True, ""

    async def _page(self, tx: Tx, *, cursor: str = "", limit: int = CARDS) -> Page[AgentCard]:
        return await agents.list_cards(
            tx,
            search=self.search,
            status=self.status,
            mine=self.whose == "mine",
            shared=self.whose == "shared",
            categories=self.categories,
            tags=self.tags,
            cursor=cursor,
            limit=limit,
        )

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
    def set_search(self, text: str) -> EventSpec:
        """Ask for the agents that have this in their words; what is typed makes no steps for Back."""
        self.search = str(text)[:128]
        return self._go(replace=True)

    @rx.event
    def set_whose(self, whose: str) -> EventSpec:
        """Ask for one's own agents, for those that somebody shared, or for all."""
        self.whose = whose
        return self._go()

    @rx.event
    def set_status(self, status: str) -> EventSpec:
        """Ask for agents in this state; again: in any but archived."""
        self.status = "" if status == self.status else status
        return self._go()

    @rx.event
    def toggle_category(self, label: str) -> EventSpec:
        """Ask for agents of this category too, or no longer."""
        self.categories = _toggled(self.categories, label)
        return self._go()

    @rx.event
    def toggle_tag(self, label: str) -> EventSpec:
        """Ask for agents with this tag too, or no longer."""
        self.tags = _toggled(self.tags, label)
        return self._go()

    @rx.event
    def clear_filters(self) -> EventSpec:
        """Ask for all agents in use."""
        self.search, self.whose, self.status, self.categories, self.tags = "", "", "", [], []
        return self._go()

    def _go(self, *, replace: bool = False) -> EventSpec:
        """Lead to the address of the filters in force, which loads what they ask for."""
        asked = [
            ("q", self.search.strip()),
            ("whose", self.whose),
            ("status", self.status),
            *[("category", label) for label in self.categories],
            *[("tag", label) for label in self.tags],
            ("org", str(self.router.url.query_parameters.get("org", ""))),
        ]
        query = urlencode([(name, value) for name, value in asked if value])
        return rx.redirect(f"/agents?{query}" if query else "/agents", replace=replace)

    @rx.event
    async def clone(self, agent_id: str) -> None:
        """Copy an agent's draft into a new one of the person."""
        async with acting(self) as tx:
            await agent_life.clone(tx, AgentId(identity(agent_id)))
        await self._done("cloned")

    @rx.event
    async def archive(self, agent_id: str) -> None:
        """Take an agent out of use."""
        async with acting(self) as tx:
            await agent_life.archive(tx, AgentId(identity(agent_id)))
        await self._done("archived")

    @rx.event
    async def unarchive(self, agent_id: str) -> None:
        """Take an agent into use again."""
        async with acting(self) as tx:
            await agent_life.unarchive(tx, AgentId(identity(agent_id)))
        await self._done("unarchived")

    @rx.event
    async def ask_delete(self, agent_id: str) -> None:
        """Ask before an agent is deleted, and name what goes with it."""
        self.said = ""
        async with acting(self) as tx:
            found = await agents.get_agent(tx, AgentId(identity(agent_id)))
            lost = await agent_life.loss(tx, AgentId(found.id))
        self.agent_id, self.agent_name, self.lost = str(found.id), found.name, lost

    @rx.event
    def close_delete(self, is_open: bool) -> None:
        """Keep it."""
        if not is_open:
            self.agent_id, self.lost = "", None

    @rx.event
    async def delete(self) -> None:
        """Delete the agent that the dialog has asked about."""
        if self.lost is None:
            return
        gone, self.agent_id, self.lost = self.agent_id, "", None
        try:
            async with acting(self) as tx:
                await agent_life.delete(tx, AgentId(identity(gone)))
        except NotFound:
            await self._done("")
            return
        await self._done("deleted")

    async def _done(self, what: str) -> None:
        await self._list(min(max(len(self.rows), CARDS), REFRESHED))
        self.said = what


def _toggled(chosen: Sequence[str], label: str) -> list[str]:
    others = [one for one in chosen if one != label]
    return others if len(others) < len(chosen) else [*chosen, str(label)[:32]]
