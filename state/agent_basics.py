"""What an agent is called and how it looks. None of it is published: each change holds at once."""

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventCallback

from agenticos_app.errors import AppError
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import MOST_CATEGORIES, MOST_TAGS, AgentCard, AgentChange
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import agent_pictures, agents
from state.builder import BuilderState
from state.notices import reported
from state.session import acting, identity

MOST_OFFERED = 50
"""Labels of other agents that the fields propose."""


class AgentBasicsState(rx.State):
    """The Builder's section Basics."""

    agent_id: str = ""
    agent: AgentCard | None = None
    name: str = ""
    """As it was typed; kept when it is refused."""
    description: str = ""
    known_categories: list[str] = []
    known_tags: list[str] = []
    problems: dict[str, str] = {}
    """Field to code."""
    is_saved: bool = False
    failure: str = ""

    @rx.event
    async def open(self, agent_id: str) -> None:
        """Show an agent."""
        if agent_id != self.agent_id:
            self.agent_id, self.agent = agent_id, None
        await self._load()

    @rx.event
    async def load(self) -> None:
        """Show it as it is now."""
        if self.agent_id:
            await self._load()

    async def _load(self) -> None:
        self.problems, self.is_saved, self.failure = {}, False, ""
        agent_id = AgentId(identity(self.agent_id))
        try:
            async with acting(self) as tx:
                self.agent = await agents.get_agent(tx, agent_id)
                known = await agents.labels(tx)
        except AppError:
            raise
        except Exception as error:
            self.failure = reported("agent_basics.load_failed", error)
            return
        self.name, self.description = self.agent.name, self.agent.description
        self.known_categories = [one.label for one in known.categories[:MOST_OFFERED]]
        self.known_tags = [one.label for one in known.tags[:MOST_OFFERED]]

    @rx.event
    async def set_name(self, text: str) -> EventCallback[()] | None:
        """Call the agent so."""
        self.name = str(text)
        return await self._change("name", self.name)

    @rx.event
    async def set_description(self, text: str) -> EventCallback[()] | None:
        """Describe the agent so."""
        self.description = str(text)
        return await self._change("description", self.description)

    @rx.event
    async def add_category(self, form: dict[str, str]) -> EventCallback[()] | None:
        """File the agent under one more category."""
        held = self.agent.categories if self.agent else []
        return await self._change("categories", [*held, form.get("category", "")])

    @rx.event
    async def add_tag(self, form: dict[str, str]) -> EventCallback[()] | None:
        """Give the agent one more tag."""
        held = self.agent.tags if self.agent else []
        return await self._change("tags", [*held, form.get("tag", "")])

    @rx.event
    async def remove_category(self, label: str) -> EventCallback[()] | None:
        """Take a category away."""
        held = self.agent.categories if self.agent else []
        return await self._change("categories", [one for one in held if one != label])

    @rx.event
    async def remove_tag(self, label: str) -> EventCallback[()] | None:
        """Take a tag away."""
        held = self.agent.tags if self.agent else []
        return await self._change("tags", [one for one in held if one != label])

    async def _change(self, field: str, value: str | list[str]) -> EventCallback[()] | None:
        self.problems, self.is_saved = {}, False
        try:
            body = AgentChange.model_validate({field: value})
        except ValidationError as error:
            most = {"categories": MOST_CATEGORIES, "tags": MOST_TAGS}.get(field, 0)
            is_full = isinstance(value, list) and len(value) > most
            self.problems = {field: "too_many" if is_full else problems_of(error)[0]["message"]}
            return None
        async with acting(self) as tx:
            self.agent = await agents.change(tx, AgentId(identity(self.agent_id)), body)
        self.is_saved = True
        return BuilderState.refresh

    @rx.event
    async def picture_saved(self) -> EventCallback[()] | None:
        """Show the picture that the browser has sent."""
        return await self._show_picture()

    @rx.event
    def picture_refused(self, code: str) -> None:
        """Say beside the picture what is wrong with the one that was sent."""
        self.problems, self.is_saved = {"picture": str(code)[:64]}, False

    @rx.event
    async def remove_picture(self) -> EventCallback[()] | None:
        """Take the picture away."""
        async with acting(self) as tx:
            await agent_pictures.remove_picture(tx, AgentId(identity(self.agent_id)))
        return await self._show_picture()

    async def _show_picture(self) -> EventCallback[()]:
        self.problems = {}
        async with acting(self) as tx:
            self.agent = await agents.get_agent(tx, AgentId(identity(self.agent_id)))
        self.is_saved = True
        return BuilderState.refresh
