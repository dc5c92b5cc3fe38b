"""One run: its facts and its timeline. Arguments and results are fetched when a row is opened."""

import json
from typing import cast

import reflex as rx
from pydantic import BaseModel, ConfigDict
from reflex.event import EventCallback

from agenticos_app.contracts.cards import CapabilityCard, ChartCard
from agenticos_app.contracts.events import RunStatus
from agenticos_app.errors import NotFound, Unauthenticated
from agenticos_app.kernel.ids import RunId
from agenticos_app.schemas.runs import RunDetail, TimelineRow
from agenticos_app.services import runs
from state.notices import reported
from state.session import acting, identity

READABLE = 2_000
"""Characters of a result or an argument that are shown before somebody asks for all of it."""
LATE_PERCENT = 72.0
"""From here on a bar's time stands before the bar, where there is room."""
TICKS = 5


class Bar(BaseModel):
    """One row of the timeline and where its bar lies, in percent of the whole."""

    model_config = ConfigDict(frozen=True)

    key: str
    """`model-2`, `tool-1`: stays the same while the run goes on."""
    kind: str
    name: str
    subject: str
    number: int
    status: str
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: str | None
    cost_is_partial: bool
    served_by: str
    offset_ms: int
    milliseconds: int
    left: float
    width: float
    is_late: bool


class Tick(BaseModel):
    """A point of the time axis."""

    model_config = ConfigDict(frozen=True)

    milliseconds: int
    left: float


class Argument(BaseModel):
    """One argument of a call, as a person reads it."""

    model_config = ConfigDict(frozen=True)

    name: str
    value: str


class RunState(rx.State):
    """The run that the address names."""

    run: RunDetail | None = None
    """Without the timeline, and without question and answer unless the transcript is open."""
    bars: list[Bar] = []
    ticks: list[Tick] = []
    tick_percent: float = 100.0
    """Distance of two ticks."""
    model_ms: int = 0
    """How long the run waited for the model."""
    tab: str = "timeline"
    missing: bool = False
    failure: str = ""
    """Report id of a load that failed; empty when it did not."""
    stopping: bool = False
    opened: str = ""
    """Key of the row whose texts are shown."""
    arguments: list[Argument] = []
    result: str = ""
    is_cut: bool = False
    drawn_call: str = ""
    card: ChartCard | CapabilityCard | None = None
    """What the call of the open row shows to the person."""
    raw: str = ""
    """Arguments and result as they are, once somebody asked for them."""

    @rx.event
    async def load(self) -> None:
        """Show the run of the address."""
        tab = self.router.url.query_parameters.get("tab", "")
        self.tab = "transcript" if tab == "transcript" else "timeline"
        if self.run is not None and str(self.run.id) != self._name():
            self.run, self.bars = None, []
        self.opened, self.raw, self.stopping, self.missing, self.failure = "", "", False, False, ""
        try:
            detail = await self._read()
        except Unauthenticated:
            raise
        except NotFound:
            self.run, self.missing = None, True
        except Exception as error:
            self.failure = reported("run.load_failed", error)
        else:
            self._show(detail)

    def _name(self) -> str:
        return self.router.url.path.rstrip("/").rpartition("/")[2]

    async def _read(self) -> RunDetail:
        async with acting(self) as tx:
            return await runs.get_run(tx, RunId(identity(self._name())))

    def _show(self, detail: RunDetail) -> None:
        left_out: dict[str, object] = {"timeline": []}
        if self.tab != "transcript":
            left_out |= {"parts": [], "full_prompt": ""}
        shown = detail.model_copy(update=left_out)
        if shown != self.run:
            self.run = shown
        self.bars = bars_of(detail.timeline, detail.total_ms)
        self.ticks, self.tick_percent = ticks_of(detail.total_ms)
        self.model_ms = sum(row.milliseconds for row in detail.timeline if row.kind == "model")
        self.stopping = self.stopping and detail.status is RunStatus.RUNNING

    @rx.event
    async def refresh(self) -> None:
        """Show how far the run is."""
        if self.run is not None:
            self._show(await self._read())

    @rx.event
    async def stop(self) -> EventCallback[()] | None:
        """Ask the run to stop."""
        if self.run is None:
            return None
        async with acting(self) as tx:
            await runs.stop(tx, RunId(identity(self._name())))
        self.stopping = True
        return RunState.refresh

    @rx.event
    async def open_row(self, key: str) -> None:
        """Show what a call was given and what came back; close it when it is open."""
        if key == self.opened:
            self.opened, self.raw = "", ""
            return
        self.opened, self.raw, self.arguments, self.result, self.is_cut = key, "", [], "", False
        self.card = None
        row = dict(keyed((await self._read()).timeline)).get(key)
        if row is None or row.kind != "tool":
            return
        arguments = arguments_of(row.arguments)
        self.card, self.drawn_call = row.card, row.call_id
        self.arguments, self.result = arguments, row.result[:READABLE]
        self.is_cut = len(row.result) > READABLE or any(len(one.value) >= READABLE for one in arguments)

    @rx.event
    async def show_raw(self) -> None:
        """Show everything of the open row, as it is."""
        row = dict(keyed((await self._read()).timeline)).get(self.opened)
        self.raw = "" if row is None or self.raw else f"{row.arguments}\n\n{row.result}".strip()


def keyed(timeline: list[TimelineRow]) -> list[tuple[str, TimelineRow]]:
    """Return the rows with names that stay theirs: rows are only ever added, per kind in order."""
    counts = {"model": 0, "tool": 0}
    named: list[tuple[str, TimelineRow]] = []
    for row in timeline:
        counts[row.kind] = counts.get(row.kind, 0) + 1
        named.append((f"{row.kind}-{counts[row.kind]}", row))
    return named


def bars_of(timeline: list[TimelineRow], total_ms: int) -> list[Bar]:
    """Return where the bars lie."""
    whole = max(total_ms, 1)
    return [
        Bar(
            key=key,
            left=round(row.offset_ms / whole * 100, 2),
            width=round(row.milliseconds / whole * 100, 2),
            is_late=(row.offset_ms + row.milliseconds) / whole * 100 > LATE_PERCENT,
            **row.model_dump(exclude={"arguments", "result"}),
        )
        for key, row in keyed(timeline)
    ]


def ticks_of(total_ms: int) -> tuple[list[Tick], float]:
    """Return round points of time and the distance of two, in percent."""
    whole = max(total_ms, 1)
    step, scale = 1, 1
    while step * TICKS < whole:
        factors = [factor * scale for factor in (1, 2, 5)]
        step = next((factor for factor in factors if factor * TICKS >= whole), 10 * scale)
        scale *= 10
    ticks = [
        Tick(milliseconds=at, left=round(at / whole * 100, 2))
        for at in range(0, whole, step)
        if at / whole < 0.96
    ]
    return ticks, round(step / whole * 100, 3)


def arguments_of(text: str) -> list[Argument]:
    """Return the arguments of a call by name; one without a name for what is no object."""
    try:
        given = json.loads(text)
    except ValueError:
        return [Argument(name="", value=text[:READABLE])]
    if not isinstance(given, dict):
        return [Argument(name="", value=text[:READABLE])]
    arguments = cast("dict[str, object]", given)
    return [Argument(name=name, value=_plain(value)) for name, value in arguments.items()]


def _plain(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:READABLE]
