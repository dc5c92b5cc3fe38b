"""What the runner hands out while it works: the ports through which a run is heard and kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from agenticos_app.contracts.events import Event, Part, RunStatus, ToolStatus, Usage


@dataclass(kw_only=True, slots=True)
class CallRecord:
    """One tool call, whole."""

    id: str
    """Ours; the row's id."""
    position: int
    reference: str
    tool: str
    arguments: dict[str, object]
    started_at: datetime
    status: ToolStatus = ToolStatus.RUNNING
    result: str | None = None
    milliseconds: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestRecord:
    """One request to a model."""

    number: int
    started_at: datetime
    milliseconds: int
    input_tokens: int = 0
    output_tokens: int = 0
    is_estimated: bool = False
    """Whether the tokens are ours, because the request broke off before the provider told its own."""
    failed: str | None = None


@dataclass(kw_only=True, slots=True)
class Recorded:
    """All that is known of a run at one moment; `parts` include the events up to `seq`."""

    parts: list[Part] = field(default_factory=list[Part])
    calls: list[CallRecord] = field(default_factory=list[CallRecord])
    requests: list[RequestRecord] = field(default_factory=list[RequestRecord])
    seq: int = 0

    @property
    def usage(self) -> Usage:
        """Return the sum over the requests."""
        return Usage(
            requests=len(self.requests),
            input_tokens=sum(request.input_tokens for request in self.requests),
            output_tokens=sum(request.output_tokens for request in self.requests),
        )

    @property
    def is_partial(self) -> bool:
        """Tell whether some of the usage is estimated."""
        return any(request.is_estimated for request in self.requests)

    @property
    def answer(self) -> str:
        """Return the prose, its parts separated by blank lines."""
        return "\n\n".join(part.text for part in self.parts if part.kind == "text" and part.text.strip())


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """How a run ended."""

    status: RunStatus
    error_code: str | None = None
    """i18n key `run_error.*`."""
    error: str | None = None
    """A sentence of the platform, without another party's text."""


class TakenOver(Exception):
    """Another host has the run; whatever this one still does is in vain."""


class EventSink(Protocol):
    """Takes a run's events, in order, and makes them durable."""

    async def append(self, event: Event) -> None:
        """Add the next event.

        Raises:
            TakenOver: The number is taken by another host.
        """
        ...


class Transcript(Protocol):
    """Keeps what a run did."""

    async def save(self, recorded: Recorded) -> None:
        """Store what is known so far; called before a finished step is announced."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class PastCall:
    """An earlier tool call, as history replays it."""

    reference: str
    tool: str
    arguments: dict[str, object]
    result: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PastTurn:
    """One earlier message. `steps` are prose and calls in order; a person's message is one text."""

    role: str
    steps: Sequence[str | PastCall]
