"""The dialogs that make an agent: of a template, or of a file that the browser sends to the API."""

from typing import Literal

import reflex as rx
from pydantic import ValidationError
from reflex.event import EventSpec

from agenticos_app.catalogue import SOURCE
from agenticos_app.errors import Conflict
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import AgentCreate
from agenticos_app.schemas.organizations import MemberRow
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import agents, organizations, templates
from state.session import acting, identity, in_organization

Doing = Literal["", "new", "import"]
Who = Literal["org", "private", "people"]
_CHOSEN = "person-"
OFFERED = tuple(templates.gallery(SOURCE))
"""What an agent may start from, the standard agent first; pages draw it in the person's language."""


class NewAgentState(rx.State):
    """The dialogs. A file passes them by: it goes over HTTP, and what became of it comes as a code."""

    doing: Doing = ""
    """Which dialog is open."""
    who: Who = "org"
    """The choice that the form shows; what counts is the one that it sends."""
    members: list[MemberRow] = []
    """Who else can be chosen; read when people shall be."""
    problems: dict[str, str] = {}
    """Field to code, of what was sent last; `file` is about what the file holds."""
    place: str = ""
    """The field of the file that does not fit."""

    @rx.event
    def open_new(self) -> None:
        """Open the dialog for a new agent."""
        self._open("new")

    @rx.event
    def open_import(self) -> None:
        """Open the dialog for a file."""
        self._open("import")

    def _open(self, doing: Doing) -> None:
        self.doing, self.who, self.problems, self.place = doing, "org", {}, ""

    @rx.event
    def close(self, is_open: bool) -> None:
        """Leave the dialog."""
        if not is_open:
            self.doing, self.problems = "", {}

    @rx.event
    async def choose_who(self, who: str) -> None:
        """Choose who can use it."""
        if who not in ("org", "private", "people"):
            return
        if who == "people":
            async with acting(self) as tx:
                found = await organizations.list_members(tx)
                self.members = [one for one in found if one.user_id != tx.actor.user_id and one.is_active]
        self.who = who

    @rx.event
    async def create(self, form: dict[str, str]) -> EventSpec | None:
        """Make the agent and go to its Builder; what does not fit is marked, and the form stays."""
        self.problems = {}
        who = form.get("who", "org")
        people = [name.removeprefix(_CHOSEN) for name in form if name.startswith(_CHOSEN)]
        try:
            body = AgentCreate.model_validate(
                {
                    "name": form.get("name", ""),
                    "visibility": "org" if who == "org" else "private",
                    "user_ids": people if who == "people" else [],
                    "template": form.get("template", ""),
                }
            )
        except ValidationError as error:
            self.problems = {one["field"]: one["message"] for one in problems_of(error)}
            return None
        if who == "people" and not people:
            self.problems = {"people": "missing"}
            return None
        try:
            async with acting(self) as tx:
                made = await agents.create(tx, body)
        except Conflict as refusal:
            if refusal.details.get("reason") != "slug_taken":
                raise
            self.problems = {"name": "taken"}
            return None
        return self._build(str(made.id))

    @rx.event
    async def imported(self, agent_id: str) -> EventSpec:
        """Go to the Builder of the agent that the file became."""
        async with acting(self) as tx:
            found = await agents.get_agent(tx, AgentId(identity(agent_id)))
        return self._build(str(found.id))

    def _build(self, agent_id: str) -> EventSpec:
        self.doing, self.problems = "", {}
        return rx.redirect(in_organization(self, f"/agents/edit?a={agent_id}"))

    @rx.event
    def refuse(self, code: str, field: str, problem: str) -> None:
        """Mark what is wrong with the file or its name, in the API's codes."""
        code, field, problem = str(code)[:64], str(field)[:128], str(problem)[:64]
        self.place = ""
        if problem == "slug_taken":
            self.problems = {"name": "taken"}
        elif field == "name":
            self.problems = {"name": problem}
        elif code != "bad_document":
            self.problems = {"file": code}
        elif field == "document":
            self.problems = {"file": f"document_{problem}"}
        else:
            self.problems, self.place = {"file": problem}, field
