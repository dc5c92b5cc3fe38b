"""The Toolbox section of the Builder: how the draft uses what the registry offers."""

from collections.abc import Callable, Sequence
from typing import cast, get_args

import reflex as rx

from agenticos_app.catalogue import LANGUAGES, SOURCE
from agenticos_app.contracts.spec import AgentSpec, Approval, CapabilityBinding, Problem
from agenticos_app.errors import AppError, NotFound
from agenticos_app.kernel.ids import AgentId, CapabilityRequestId, SecretId
from agenticos_app.schemas.capabilities import CapabilityRow, ToolRow
from agenticos_app.schemas.models import KeyChoice
from agenticos_app.schemas.toolbox import (
    CapabilityCard,
    CapabilityGroup,
    OpenedCapability,
    RequestLine,
    ToolWords,
)
from agenticos_app.services import (
    bindings,
    more_capabilities,
    registry,
    secrets,
    spec_check,
    toolbox,
)
from agenticos_app.services.work import Tx
from state.builder import BuilderState, change_draft, draft_of
from state.notices import reported
from state.session import acting, identity

LONGEST_SEARCH = 100
LONGEST_TYPED = 20_000


class ToolboxState(rx.State):
    """The list and the opened capability. The draft is the Builder's; texts of one tool at most are here."""

    groups: list[CapabilityGroup] = []
    tuning: list[CapabilityCard] = []
    """What tunes runs, in the folded group."""
    unfolded: bool = False
    search: str = ""
    only_on: bool = False
    total: int = 0
    count_on: int = 0
    tuning_on: int = 0
    finds_nothing: bool = False
    asked: list[RequestLine] = []
    unknown: list[str] = []
    """What the draft binds and this deployment does not have."""
    opened: OpenedCapability | None = None
    is_open: bool = False
    shows_advanced: bool = False
    asks_first: bool = False
    """Some tool of the opened capability is set to ask first."""
    words: ToolWords | None = None
    """What the model is told of the tool that is unfolded."""
    choices: list[KeyChoice] = []
    key_is_listed: bool = False
    may_add_keys: bool = False
    renewed: int = 0
    """Counts what replaces values under a field that may be typed in."""
    loaded: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    _language: str = SOURCE
    _agent: str = ""
    """Id of the agent that all of this is about."""

    @rx.event
    async def show(self, language: str) -> None:
        """Show the Toolbox in a language."""
        self._language = language if language in LANGUAGES else SOURCE
        self.failure = ""
        agent_id = (await self.get_state(BuilderState)).agent_id
        if agent_id != self._agent:
            self._begin(agent_id)
        try:
            await self._draw()
        except AppError:
            raise
        except Exception as error:
            self.failure = reported("toolbox.load_failed", error)

    async def _draft(self) -> AgentSpec:
        return await draft_of(await self.get_state(BuilderState))

    def _begin(self, agent_id: str) -> None:
        """Look at another agent."""
        self._close()
        self._agent, self.search, self.only_on, self.unfolded, self.loaded = agent_id, "", False, False, False

    async def _draw(self) -> None:
        """Show the draft as it is now."""
        spec = await self._draft()
        async with acting(self) as tx:
            self._list(spec, await spec_check.problems_of(tx, spec))
            asked = await more_capabilities.requests(tx, AgentId(identity(self._agent)))
            self.asked = toolbox.requested(self._rows(), asked)
            self.may_add_keys = secrets.may_add(tx)
            if self.opened is not None:
                await self._show_opened(tx, spec, self.opened.id)
        self.loaded = True

    def _rows(self) -> list[CapabilityRow]:
        return registry.catalogue(self._language)

    def _row(self, capability: str) -> CapabilityRow:
        """Return what the registry says of a capability.

        Raises:
            NotFound: This deployment does not have it.
        """
        found = next((row for row in self._rows() if row.id == capability), None)
        if found is None:
            raise NotFound
        return found

    def _list(self, spec: AgentSpec, problems: Sequence[Problem]) -> None:
        rows = self._rows()
        cards = toolbox.cards(rows, spec, problems, self._language)
        tunes = {row.id for row in rows if row.tunes_runs}
        found = {row.id for row in rows if toolbox.matches(row, self.search)}
        shown = [card for card in cards if card.id in found and (card.is_on or not self.only_on)]
        self.groups = toolbox.grouped([card for card in shown if card.id not in tunes], rows)
        self.tuning = [card for card in shown if card.id in tunes]
        self.tuning_on = sum(card.is_on for card in cards if card.id in tunes)
        self.total, self.count_on = len(cards), sum(card.is_on for card in cards)
        self.unknown, self.finds_nothing = toolbox.unknown(rows, spec), not shown
        if not self.loaded and self.tuning_on:
            self.unfolded = True

    async def _show_opened(self, tx: Tx, spec: AgentSpec, capability: str) -> None:
        row, on = self._row(capability), bindings.switched(spec, capability, on=True)
        self.opened = toolbox.opened(row, spec, await spec_check.problems_of(tx, on), self._language)
        self.asks_first = any(tool.approval == "required" for tool in self.opened.tools)
        key = self.opened.key
        self.choices = await _choices(tx, key.purposes) if key is not None and key.is_needed else []
        self.key_is_listed = key is not None and key.chosen in [str(one.id) for one in self.choices]
        if self.words is not None:
            self._unfold(row, bindings.binding_of(spec, capability), self.words.id)

    def _unfold(self, row: CapabilityRow, binding: CapabilityBinding, tool: str) -> None:
        assert self.opened is not None
        said = {line.id: line.problem for line in self.opened.tools}
        found = (toolbox.words_of(one, binding, said[one.id]) for one in row.tools if one.id == tool)
        self.words = next(found, None)

    async def _change(self, change: Callable[[AgentSpec], AgentSpec]) -> None:
        """Change the draft, which the Builder keeps, and show it."""
        await change_draft(await self.get_state(BuilderState), change)
        await self._draw()

    @rx.event
    async def set_search(self, text: str) -> None:
        """Show the capabilities that have these words; what is folded unfolds."""
        begins = not self.search
        self.search = str(text)[:LONGEST_SEARCH]
        self.unfolded = self.unfolded or (begins and bool(self.search.strip()))
        await self._draw()

    @rx.event
    async def show_only(self, only_on: bool) -> None:
        """Show those that are on alone, or all."""
        self.only_on = bool(only_on)
        await self._draw()

    @rx.event
    async def clear_filters(self) -> None:
        """Show all again."""
        self.search, self.only_on = "", False
        await self._draw()

    @rx.event
    def fold(self) -> None:
        """Fold or unfold what tunes runs."""
        self.unfolded = not self.unfolded

    @rx.event
    async def switch(self, capability: str, is_on: bool) -> None:
        """Switch a capability on or off; its settings stay."""
        row = self._row(capability)
        await self._change(lambda spec: bindings.switched(spec, row.id, on=bool(is_on)))
        self.unfolded = self.unfolded or (row.tunes_runs and bool(is_on))

    @rx.event
    async def remove(self, capability: str) -> None:
        """Take away what this deployment does not have."""
        await self._change(lambda spec: bindings.removed(spec, str(capability)))

    @rx.event
    async def open_capability(self, capability: str) -> None:
        """Open the column of a capability; the one that is open is closed."""
        if self.is_open and self.opened is not None and self.opened.id == capability:
            self._close()
        else:
            await self._open(capability)

    async def _open(self, capability: str) -> None:
        row, spec = self._row(capability), await self._draft()
        self._close()
        async with acting(self) as tx:
            await self._show_opened(tx, spec, row.id)
        self.is_open = True
        self.shows_advanced = toolbox.advanced_is_set(row, bindings.binding_of(spec, row.id))

    @rx.event
    async def point(self, at: str) -> None:
        """Open what a problem is about, so that the page can lead to its field."""
        _, _, place = at.partition("capabilities.")
        capability, _, inside = place.partition(".")
        if capability not in {row.id for row in self._rows()}:
            return
        await self._open(capability)
        part, _, name = inside.partition(".")
        name = name.partition(".")[0]
        assert self.opened is not None
        if part == "config" and name in {row.name for row in self.opened.advanced}:
            self.shows_advanced = True
        elif part in ("tool_overrides", "tool_approval") and name:
            await self._show_tool(name)

    @rx.event
    def close_capability(self) -> None:
        """Close the column."""
        self._close()

    def _close(self) -> None:
        self.opened, self.words, self.is_open, self.choices = None, None, False, []

    @rx.event
    def fold_settings(self) -> None:
        """Fold or unfold what most authors leave alone."""
        self.shows_advanced = not self.shows_advanced

    @rx.event
    async def set_setting(self, capability: str, name: str, text: str) -> None:
        """Change one setting to what was typed or chosen."""
        row, typed = self._row(capability), str(text)[:LONGEST_TYPED]
        await self._change(lambda spec: toolbox.set_to(spec, row, name, typed))

    @rx.event
    async def tick(self, capability: str, name: str, text: str) -> None:
        """Add one value of several, or take it away."""
        row = self._row(capability)
        await self._change(lambda spec: toolbox.ticked(spec, row, name, text))

    @rx.event
    async def reset_settings(self, capability: str) -> None:
        """Give the capability the settings that a new agent has."""
        row = self._row(capability)
        await self._change(lambda spec: bindings.reset(spec, row.id))
        self.renewed += 1

    @rx.event
    async def drop(self, capability: str, kind: str, name: str) -> None:
        """Take away something that is set and that the capability does not know."""
        row = self._row(capability)
        forget = bindings.without_tool if kind == "tool" else bindings.without_setting
        await self._change(lambda spec: forget(spec, row.id, str(name)))

    @rx.event
    async def choose_key(self, capability: str, secret_id: str) -> None:
        """Give the capability a key of the vault, or none."""
        row, chosen = self._row(capability), None
        if secret_id:
            async with acting(self) as tx:
                chosen = SecretId((await secrets.get_secret(tx, SecretId(identity(secret_id)))).id)
        await self._change(lambda spec: bindings.with_key(spec, row.id, chosen))

    @rx.event
    async def key_added(self, secret_id: str) -> None:
        """Give the opened capability the key that was just put into the vault."""
        if self.opened is not None:
            await self.choose_key(self.opened.id, secret_id)

    @rx.event
    async def set_approval(self, capability: str, tool: str, approval: str) -> None:
        """Say whether somebody is asked before a tool is called."""
        row = self._row(capability)
        if approval not in get_args(Approval):
            return
        asked = cast("Approval", approval)
        await self._change(lambda spec: bindings.with_approval(spec, row.id, _tool(row, tool).id, asked))

    @rx.event
    async def show_tool(self, tool: str) -> None:
        """Unfold what the model is told of a tool; the one that is unfolded folds."""
        if self.words is not None and self.words.id == tool:
            self.words = None
        elif self.opened is not None:
            await self._show_tool(tool)

    async def _show_tool(self, tool: str) -> None:
        assert self.opened is not None
        row, spec = self._row(self.opened.id), await self._draft()
        self._unfold(row, bindings.binding_of(spec, row.id), tool)

    @rx.event
    async def name_tool(self, capability: str, tool: str, text: str) -> None:
        """Give a tool another name for the model; empty: its own."""
        row = self._row(capability)
        one, name = _tool(row, tool), str(text).strip()
        await self._change(lambda spec: bindings.with_words(spec, row.id, one.id, name=name))

    @rx.event
    async def describe_tool(self, capability: str, tool: str, text: str) -> None:
        """Give a tool another description for the model; empty: its own."""
        row = self._row(capability)
        one, said = _tool(row, tool), str(text).strip()
        await self._change(lambda spec: bindings.with_words(spec, row.id, one.id, description=said))

    @rx.event
    async def dismiss(self, capability_request_id: str) -> None:
        """Put away what somebody asks for."""
        agent_id, request_id = AgentId(identity(self._agent)), identity(capability_request_id)
        async with acting(self) as tx:
            await more_capabilities.dismiss(tx, agent_id, CapabilityRequestId(request_id))
        await self._draw()


def _tool(row: CapabilityRow, tool: str) -> ToolRow:
    """Return a tool of a capability.

    Raises:
        NotFound: It has no such tool.
    """
    found = next((one for one in row.tools if one.id == tool), None)
    if found is None:
        raise NotFound
    return found


async def _choices(tx: Tx, purposes: list[str]) -> list[KeyChoice]:
    rows = await secrets.list_secrets(tx, purposes=purposes)
    return [KeyChoice(id=row.id, name=row.name, hint=row.hint) for row in rows]
