"""Who may see, ask and change an agent. What is chosen holds at once."""

from collections.abc import Sequence

import reflex as rx
from pydantic import ValidationError

from agenticos_app.errors import AppError, FieldProblem, InvalidInput
from agenticos_app.kernel.ids import AgentId, UserId
from agenticos_app.schemas.agents import AgentCard, AgentChange
from agenticos_app.schemas.problems import problems_of
from agenticos_app.schemas.sharing import ShareLevel, Sharing
from agenticos_app.security.access import AGENT
from agenticos_app.services import agent_life, agents, sharing
from state.notices import reported
from state.session import acting, identity


class AgentSharingState(rx.State):
    """The Builder's section Sharing."""

    agent_id: str = ""
    agent: AgentCard | None = None
    shared: Sharing | None = None
    may_claim: bool = False
    """Nobody of the organization owns it, and the person may take it over."""
    problems: dict[str, str] = {}
    """Field to code, of the form that was sent last."""
    failure: str = ""

    @rx.event
    async def open(self, agent_id: str) -> None:
        """Show an agent."""
        if agent_id != self.agent_id:
            self.agent_id, self.agent, self.shared = agent_id, None, None
        await self._load()

    @rx.event
    async def load(self) -> None:
        """Show it as it is now."""
        if self.agent_id:
            await self._load()

    async def _load(self) -> None:
        self.problems, self.failure = {}, ""
        agent_id = self._agent_id()
        try:
            async with acting(self) as tx:
                agent = await agents.get_agent(tx, agent_id)
                self.shared = await sharing.sharing(tx, AGENT, agent_id)
                self.may_claim = await agent_life.may_claim(tx, agent_id)
        except AppError:
            raise
        except Exception as error:
            self.failure = reported("agent_sharing.load_failed", error)
            return
        self.agent = agent

    def _agent_id(self) -> AgentId:
        return AgentId(identity(self.agent_id))

    @rx.event
    async def show_to(self, visibility: str) -> None:
        """Let everybody in the organization use the agent, or only its owner and chosen people."""
        self.problems = {}
        agent_id = self._agent_id()
        async with acting(self) as tx:
            body = AgentChange.model_validate({"visibility": visibility})
            self.agent = await agents.change(tx, agent_id, body)
            self.shared = await sharing.sharing(tx, AGENT, agent_id)

    @rx.event
    async def share(self, form: dict[str, str]) -> None:
        """Give a member a level on the agent."""
        self.problems = {}
        agent_id = self._agent_id()
        try:
            level = ShareLevel.model_validate({"level": form.get("level", "")}).level
            async with acting(self) as tx:
                self.shared = await sharing.share_with(
                    tx, AGENT, agent_id, form.get("email", "")[:255], level
                )
        except ValidationError as error:
            self._refuse(problems_of(error))
        except InvalidInput as refusal:
            self._refuse(refusal.fields)

    @rx.event
    async def set_level(self, user_id: str, level: str) -> None:
        """Give somebody on the list another level."""
        wanted = ShareLevel.model_validate({"level": level}).level
        async with acting(self) as tx:
            self.shared = await sharing.share(tx, AGENT, self._agent_id(), UserId(identity(user_id)), wanted)

    @rx.event
    async def unshare(self, user_id: str) -> None:
        """Take somebody off the list."""
        agent_id = self._agent_id()
        async with acting(self) as tx:
            await sharing.unshare(tx, AGENT, agent_id, UserId(identity(user_id)))
            self.shared = await sharing.sharing(tx, AGENT, agent_id)

    @rx.event
    async def claim(self) -> None:
        """Become the agent's owner."""
        async with acting(self) as tx:
            self.agent = await agent_life.claim(tx, self._agent_id())
            self.shared = await sharing.sharing(tx, AGENT, self._agent_id())
        self.may_claim = False

    def _refuse(self, problems: Sequence[FieldProblem]) -> None:
        self.problems = {one["field"]: one["message"] for one in problems}
