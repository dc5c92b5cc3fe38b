"""The Builder: which agent, which section, what is in the way, and the one way to change the draft."""

from collections.abc import Callable
from datetime import datetime
from typing import cast

import reflex as rx
from pydantic import BaseModel, ConfigDict
from reflex.event import EventSpec

from agenticos_app.contracts.spec import AgentSpec, read_spec
from agenticos_app.errors import Conflict, Forbidden, NotFound, NotPublishable, Unauthenticated
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import AgentCard, Draft, DraftChange, Publish, SpecChange
from agenticos_app.services import agents, drafts, environments, publishing
from agenticos_app.services.work import Tx
from state.notices import reported
from state.session import acting, identity, in_organization

SECTIONS = ("basics", "instructions", "model", "toolbox", "budget", "versions")
LONGEST_DETAIL = 200
SHOWN_CHANGES = 50

Change = Callable[[AgentSpec], AgentSpec]


class ProblemLine(BaseModel):
    """One reason why the draft cannot be published, and where it is mended."""

    model_config = ConfigDict(frozen=True)

    at: str
    section: str
    code: str
    details: dict[str, str]


class Clash(BaseModel):
    """Somebody else changed the draft while this page held a change of its own."""

    model_config = ConfigDict(frozen=True)

    person: str
    how: str
    revision: int


class BuilderState(rx.State):
    """One agent in the Builder. Its spec is no variable: each change reads the draft and saves it."""

    agent: AgentCard | None = None
    agent_id: str = ""
    section: str = SECTIONS[0]
    marked: str = ""
    """The field that a problem led to, as `capabilities.charts.config.width`; empty for none."""
    revision: int = 0
    since: int = 0
    """The revision that was taken from elsewhere last; what came after it is this page's own."""
    saved_at: datetime | None = None
    differs: bool = False
    problems: list[ProblemLine] = []
    flawed: list[str] = []
    """Sections with a problem."""
    clash: Clash | None = None
    renewed: int = 0
    """Counts drafts that came from elsewhere: what is drawn of the draft is to be read anew."""
    publishing: bool = False
    changes: list[SpecChange] = []
    more_changes: int = 0
    moves: list[str] = []
    """Environments that publishing moves."""
    published: int = 0
    """Number of the version that was just published; 0 for none."""
    loaded: bool = False
    missing: bool = False
    may_not: bool = False
    """The agent can be seen but not changed."""
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    _mine: dict[str, object] = {}
    """The draft with the change that met another one."""

    @rx.event
    async def load(self) -> None:
        """Show the agent and the section that the address names."""
        query = self.router.url.query_parameters
        section = str(query.get("s", ""))
        self.section = section if section in SECTIONS else SECTIONS[0]
        self.publishing = False
        agent_id, self.marked = str(query.get("a", "")), str(query.get("f", ""))[:LONGEST_DETAIL]
        if agent_id != self.agent_id:
            self._leave()
        self.agent_id, self.failure = agent_id, ""
        try:
            async with acting(self) as tx:
                await _show(tx, self)
        except NotFound:
            self.missing = True
        except Forbidden:
            self.may_not = True
        except Unauthenticated:
            raise
        except Exception as error:
            self.failure = reported("builder.load_failed", error)
        self.loaded = True

    def _leave(self) -> None:
        self.agent, self.clash, self._mine = None, None, {}
        self.problems, self.flawed, self.changes, self.moves = [], [], [], []
        self.loaded = self.missing = self.may_not = self.publishing = False
        self.published, self.renewed, self.revision, self.since = 0, 0, 0, 0

    @rx.event
    async def returned(self, has_unsaved: bool) -> None:
        """Take what others changed meanwhile; with unsaved words on the page, ask whose draft shall stay."""
        if self.agent is None or self.may_not or self.clash is not None:
            return
        async with acting(self) as tx:
            if has_unsaved:
                stored = await drafts.get_draft(tx, _id_of(self))
                if stored.revision != self.revision:
                    _meet(self, stored, stored.spec)
            else:
                await _show(tx, self)

    @rx.event
    async def refresh(self) -> None:
        """Show what a section has done to the agent."""
        if self.agent is not None and self.clash is None:
            async with acting(self) as tx:
                await _show(tx, self)

    @rx.event
    def open_section(self, section: str) -> EventSpec | None:
        """Show another section."""
        if section not in SECTIONS:
            return None
        return rx.redirect(in_organization(self, f"/agents/edit?a={self.agent_id}&s={section}"))

    @rx.event
    async def take_theirs(self) -> None:
        """Drop the own change and show the draft as it is."""
        self.clash, self._mine = None, {}
        async with acting(self) as tx:
            await _show(tx, self)
        self.renewed += 1

    @rx.event
    async def keep_mine(self) -> None:
        """Save the own change on top of what was saved meanwhile."""
        if self.clash is None:
            return
        revision, mine = self.clash.revision, read_spec(self._mine)
        async with acting(self) as tx:
            try:
                await _save(tx, self, revision, mine)
            except Conflict as conflict:
                self.clash = _clash_of(conflict)
                return
        self.clash, self._mine, self.since = None, {}, self.revision
        self.renewed += 1

    @rx.event
    async def open_publish(self) -> None:
        """Show what publishing would change and what is in its way."""
        async with acting(self) as tx:
            await _show(tx, self)
            agent_id = _id_of(self)
            found = (await publishing.changes(tx, agent_id)).changes
            rows = await environments.list_environments(tx, agent_id)
        self.changes, self.more_changes = found[:SHOWN_CHANGES], max(0, len(found) - SHOWN_CHANGES)
        self.moves = [row.name for row in rows if row.tracks_latest]
        self.publishing, self.published = True, 0

    @rx.event
    def close_publish(self, is_open: bool) -> None:
        """Leave the dialog."""
        self.publishing = is_open

    @rx.event
    async def publish(self, form: dict[str, str]) -> EventSpec | None:
        """Freeze the draft as the next version."""
        body = Publish(note=form.get("note", "")[:500], revision=self.revision)
        try:
            async with acting(self) as tx:
                version = await publishing.publish(tx, _id_of(self), body)
                await _show(tx, self)
        except NotPublishable:
            async with acting(self) as tx:
                await _show(tx, self)
            return None
        except Conflict as conflict:
            if conflict.details.get("reason") != "draft_changed":
                raise
            async with acting(self) as tx:
                await _show(tx, self)
            self.renewed += 1
            return cast("EventSpec", BuilderState.open_publish)
        self.publishing, self.published = False, version.number
        return None

    @rx.event
    def dismiss_published(self) -> None:
        """Close the word about the new version."""
        self.published = 0


def _id_of(builder: BuilderState) -> AgentId:
    return AgentId(identity(builder.agent_id))


async def change_draft(builder: BuilderState, change: Change, *, seen: int = 0) -> bool:
    """Change the draft of the Builder's agent, and note what is in the way of publishing it.

    States of sections call it, with `await self.get_state(BuilderState)`. `change` is handed the draft as it
    is stored; what it raises goes to the caller, and nothing is saved. Returns False when somebody else has
    changed the draft meanwhile: nothing is saved until the person has chosen, and the change is kept.

    Args:
        builder: The page's own.
        change: Must not mutate what it is handed.
        seen: For words that were typed for a while: the revision that they were typed upon.

    Raises:
        Forbidden, NotFound: The draft is not the person's to change any more.
        ValueError: The change does not make a spec.
    """
    async with acting(builder) as tx:
        stored = await drafts.get_draft(tx, _id_of(builder))
        spec = change(read_spec(builder._mine) if builder.clash else stored.spec)  # pyright: ignore[reportPrivateUsage]
        if builder.clash is None and spec == stored.spec:
            return True
        is_seen = stored.revision == builder.revision and not 0 < seen < builder.since
        if builder.clash is None and is_seen:
            try:
                await _save(tx, builder, stored.revision, spec)
            except Conflict:
                stored = await drafts.get_draft(tx, _id_of(builder))
            else:
                return True
        _meet(builder, stored, spec)
        return False


def _meet(builder: BuilderState, stored: Draft, mine: AgentSpec) -> None:
    """Hold on to the page's draft until the person has chosen; what was chosen from stays named."""
    if builder.clash is None:
        builder.clash = Clash(person=stored.changed_by, how=stored.how, revision=stored.revision)
    builder._mine = mine.model_dump(mode="json")  # pyright: ignore[reportPrivateUsage]


async def draft_of(builder: BuilderState) -> AgentSpec:
    """Return the draft, for a section that shows it; with an unsaved change, the draft with that.

    Raises:
        NotFound: It is not there for the person.
    """
    if builder.clash is not None:
        return read_spec(builder._mine)  # pyright: ignore[reportPrivateUsage]
    async with acting(builder) as tx:
        return (await drafts.get_draft(tx, _id_of(builder))).spec


def with_fields(spec: AgentSpec, **fields: object) -> AgentSpec:
    """Return the spec with other values, checked.

    Raises:
        ValueError: One does not fit.
    """
    return AgentSpec.model_validate({**spec.model_dump(), **fields})


async def _save(tx: Tx, builder: BuilderState, revision: int, spec: AgentSpec) -> None:
    saved = await drafts.save(tx, _id_of(builder), DraftChange(revision=revision, spec=spec))
    _note(builder, saved)
    await _check(tx, builder)


async def _show(tx: Tx, builder: BuilderState) -> None:
    agent_id = _id_of(builder)
    builder.agent = await agents.get_agent(tx, agent_id)
    builder.missing, builder.may_not = False, not builder.agent.can_edit
    if builder.may_not:
        return
    draft = await drafts.get_draft(tx, agent_id)
    if draft.revision != builder.revision:
        builder.renewed += builder.revision != 0
        builder.since = draft.revision
    _note(builder, draft)
    await _check(tx, builder)


def _note(builder: BuilderState, draft: Draft) -> None:
    builder.revision, builder.saved_at, builder.differs = draft.revision, draft.changed_at, draft.differs


async def _check(tx: Tx, builder: BuilderState) -> None:
    found = (await publishing.validate(tx, _id_of(builder))).problems
    builder.problems = [
        ProblemLine(
            at=one.at,
            section=section_of(one.at),
            code=one.code,
            details={name: str(value)[:LONGEST_DETAIL] for name, value in one.details.items()},
        )
        for one in found
    ]
    builder.flawed = sorted({line.section for line in builder.problems})


def section_of(at: str) -> str:
    """Return the section where a field of the spec is."""
    root = at.partition(".")[0]
    if root == "capabilities":
        return "toolbox"
    if root in ("model_profile_id", "model_settings", "output_schema"):
        return "model"
    if root in ("monthly_budget_micros", "run_budget_micros", "max_steps"):
        return "budget"
    return "instructions"


def _clash_of(conflict: Conflict) -> Clash:
    told = conflict.details
    return Clash(
        person=str(told.get("changed_by", "")),
        how=str(told.get("how", "typing")),
        revision=int(str(told.get("revision", 0))),
    )
