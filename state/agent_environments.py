"""Environments of an agent: made, named, pointed to a version, deleted."""

from collections.abc import Sequence
from typing import Literal, cast

import reflex as rx
from pydantic import ValidationError

from agenticos_app.errors import AppError, Conflict, FieldProblem, InvalidInput, NotFound
from agenticos_app.kernel.ids import AgentId, EnvironmentId
from agenticos_app.schemas.agents import EnvironmentChange, EnvironmentCreate, EnvironmentRow, Promotion
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import agent_tests, agents, environments
from state.notices import reported
from state.session import acting, identity

Doing = Literal["", "create", "rename", "promote", "delete"]


class AgentEnvironmentsState(rx.State):
    """The environments in the Builder's section Versions."""

    agent_id: str = ""
    rows: list[EnvironmentRow] = []
    versions: list[int] = []
    """Those that can be pointed to, the latest first."""
    loaded: bool = False
    failure: str = ""
    may_publish: bool = False
    doing: Doing = ""
    """Which dialog is open."""
    environment_id: str = ""
    """The one that the dialog is about."""
    environment_name: str = ""
    version: int = 0
    """That it points to."""
    problems: dict[str, str] = {}
    """Field to code, of the form that was sent last; what concerns no field is under `form`."""

    @rx.event
    async def open(self, agent_id: str) -> None:
        """Show the environments of an agent."""
        if agent_id != self.agent_id:
            self.agent_id, self.rows, self.loaded = agent_id, [], False
        self._leave()
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
                rows = await environments.list_environments(tx, agent_id)
                standing = await agent_tests.standing(tx, agent_id)
        except AppError:
            raise
        except Exception as error:
            self.failure = reported("agent_environments.load_failed", error)
            return
        self.may_publish = agent.can_publish
        self.rows, self.versions, self.loaded = rows, standing.versions, True

    def _agent_id(self) -> AgentId:
        return AgentId(identity(self.agent_id))

    def _environment_id(self) -> EnvironmentId:
        return EnvironmentId(identity(self.environment_id))

    @rx.event
    def ask_create(self) -> None:
        """Open the dialog for another environment."""
        self._leave()
        self.doing = "create"

    @rx.event
    async def ask(self, environment_id: str, doing: str) -> None:
        """Open the dialog that does something to an environment."""
        self._leave()
        wanted = identity(environment_id)
        async with acting(self) as tx:
            rows = await environments.list_environments(tx, self._agent_id())
        found = next((one for one in rows if one.id == wanted), None)
        if found is None:
            raise NotFound
        self.environment_id, self.environment_name, self.version = str(found.id), found.name, found.version
        self.doing = cast("Doing", doing) if doing in ("rename", "promote", "delete") else ""

    @rx.event
    def close(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self._leave()

    def _leave(self) -> None:
        self.doing, self.environment_id, self.environment_name, self.version = "", "", "", 0
        self.problems = {}

    async def _done(self) -> None:
        self._leave()
        await self._load()

    @rx.event
    async def create(self, form: dict[str, str]) -> None:
        """Add the environment that the form describes."""
        self.problems = {}
        try:
            body = EnvironmentCreate.model_validate(
                {
                    "name": form.get("environment", "").strip(),
                    "version": form.get("version") or None,
                    "tracks_latest": bool(form.get("tracks_latest")),
                }
            )
            async with acting(self) as tx:
                await environments.create(tx, self._agent_id(), body)
        except ValidationError as error:
            self._refuse(problems_of(error))
        except InvalidInput as refusal:
            self._refuse(refusal.fields)
        except Conflict as refusal:
            self.problems = {"form": _reason(refusal)}
        else:
            await self._done()

    @rx.event
    async def rename(self, form: dict[str, str]) -> None:
        """Give the chosen environment another name."""
        self.problems = {}
        try:
            body = EnvironmentChange.model_validate({"name": form.get("environment", "").strip()})
            async with acting(self) as tx:
                await environments.change(tx, self._agent_id(), self._environment_id(), body)
        except ValidationError as error:
            self._refuse(problems_of(error))
        except InvalidInput as refusal:
            self._refuse(refusal.fields)
        else:
            await self._done()

    @rx.event
    async def promote(self, form: dict[str, str]) -> None:
        """Point the chosen environment to a version."""
        self.problems = {}
        try:
            body = Promotion.model_validate({"version": form.get("version", "")})
        except ValidationError as error:
            self._refuse(problems_of(error))
            return
        async with acting(self) as tx:
            await environments.promote(tx, self._agent_id(), self._environment_id(), body.version)
        await self._done()

    @rx.event
    async def follow(self, environment_id: str, is_on: bool) -> None:
        """Let publishing move an environment, or not."""
        body = EnvironmentChange(tracks_latest=bool(is_on))
        async with acting(self) as tx:
            await environments.change(tx, self._agent_id(), EnvironmentId(identity(environment_id)), body)
        await self._done()

    @rx.event
    async def delete(self) -> None:
        """Delete the chosen environment."""
        try:
            async with acting(self) as tx:
                await environments.delete(tx, self._agent_id(), self._environment_id())
        except Conflict as refusal:
            self.problems = {"form": _reason(refusal)}
            return
        await self._done()

    def _refuse(self, problems: Sequence[FieldProblem]) -> None:
        self.problems = {one["field"]: one["message"] for one in problems}


def _reason(refusal: AppError) -> str:
    return str(refusal.details.get("reason", refusal.code))
