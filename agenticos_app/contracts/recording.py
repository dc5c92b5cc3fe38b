"""What the runner hands out while it works: the ports through which a run is heard and kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from agenticos_app.contracts.cards import Card
from agenticos_app.contracts.events import Event, Part, RunStatus, ToolStatus, Usage
from agenticos_app.contracts.prices import NO_TOKENS, Tokens
from agenticos_app.kernel.money import dollars


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
    card: Card | None = None
    """What it shows to the person."""
    is_stored: bool = False
    """Whether its end is in the database."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestRecord:
    """One request to a model, and who served it."""

    number: int
    started_at: datetime
    milliseconds: int
    provider: str = ""
    model: str = ""
    profile_id: UUID | None = None
    secret_id: UUID | None = None
    tokens: Tokens = NO_TOKENS
    is_estimated: bool = False
    """Whether the tokens are ours, because the request broke off before the provider told its own."""
    cost_micros: int | None = None
    """None: the model has no known price."""
    failed: str | None = None

    @property
    def is_partial(self) -> bool:
        """Tell whether the true cost may be higher."""
        return self.is_estimated or self.cost_micros is None


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
            input_tokens=sum(request.tokens.input for request in self.requests),
            output_tokens=sum(request.tokens.output for request in self.requests),
            cost_usd=dollars(self.cost_micros),
            cost_is_partial=any(request.is_partial for request in self.requests),
        )

    @property
    def cost_micros(self) -> int | None:
        """Return what the requests with a known price cost; None when there is none."""
        known = [request.cost_micros for request in self.requests if request.cost_micros is not None]
        return sum(known) if known or not self.requests else None

    @property
    def context_tokens(self) -> int:
        """Return the size of the conversation after the last request that the model answered."""
        answered = [request.tokens for request in self.requests if request.failed is None]
        return answered[-1].input + answered[-1].output if answered else 0

    @property
    def answer(self) -> str:
        """Return the prose, its parts separated by blank lines; of an answer that is data, its JSON."""
        data = self._data
        if data is not None:
            return data.text
        return "\n\n".join(part.text for part in self.parts if part.kind == "text" and part.text.strip())

    @property
    def structured(self) -> dict[str, object] | None:
        """Return an answer that is data; None for prose."""
        data = self._data
        return None if data is None else json.loads(data.text)

    @property
    def _data(self) -> Part | None:
        return next((part for part in reversed(self.parts) if part.kind == "data"), None)


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
