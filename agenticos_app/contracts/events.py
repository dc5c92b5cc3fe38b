"""What travels on a run's stream, and what is stored of an answer. One vocabulary for every reader."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from agenticos_app.contracts.cards import Card


class RunStatus(StrEnum):
    """How a run stands. What is not `running` or waiting is final."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_ANSWER = "awaiting_answer"
    BUDGET_EXCEEDED = "budget_exceeded"
    GUARDRAIL_BLOCKED = "guardrail_blocked"


class ToolStatus(StrEnum):
    """How one tool call stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """The run ended before the call did."""


class Part(BaseModel):
    """One piece of an answer, in the order it was streamed: prose, reasoning, a step, or data."""

    index: int
    kind: Literal["text", "thinking", "tool", "data"]
    text: str = Field(
        default="",
        description="Prose or reasoning; of a step: its result, cut to 2,000 characters; of data: its JSON.",
    )
    done: bool = False
    call_id: str = Field(default="", description="Of a step: id of its `tool_calls` row.")
    tool: str = Field(default="", description="Of a step: the tool's permanent id.")
    subject: str = Field(default="", description="Of a step: what it is about, from its arguments, cut.")
    arguments: str = Field(
        default="", description="Of a step: its arguments as JSON, cut to 2,000 characters."
    )
    status: ToolStatus | None = None
    milliseconds: int | None = None
    card: Card | None = Field(default=None, description="Of a step: what it shows to the person.")


WHOLE = ("tool", "data")
"""Kinds of parts that come whole each time; of others the text is added to what came before."""


class Usage(BaseModel):
    """Tokens as the provider reported them, and what they cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: str | None = Field(default=None, description="Decimal; null: not known")
    cost_is_partial: bool = Field(default=False, description="The true cost may be higher")


class Event(BaseModel):
    """One event. `seq` grows by one; a joined `text` event covers `first` to `seq`.

    `part` opens or closes a part (a closed part of prose carries no text, readers have it), `text` makes
    the last part longer, `snapshot` replaces all that a reader has, `idle` says that the line is alive,
    `end` is the last one and tells how the run ended.
    """

    model_config = ConfigDict(frozen=True)

    type: Literal["part", "text", "end", "snapshot", "idle"]
    seq: int
    first: int | None = None
    text: str | None = None
    part: Part | None = None
    parts: list[Part] | None = None
    status: RunStatus | None = None
    error: str | None = Field(default=None, description="Of `end`: a code, i18n key `run_error.*`.")
    usage: Usage | None = None
    started_at: datetime | None = Field(default=None, description="Of `snapshot`: when the run started.")

    _wire: str | None = PrivateAttr(default=None)

    def wire(self) -> str:
        """Return the JSON text without what has its default; made once, for any number of readers."""
        if self._wire is None:
            self._wire = self.model_dump_json(exclude_defaults=True)
        return self._wire


def joined(events: Sequence[Event]) -> list[Event]:
    """Join neighbouring pieces of text, so that catching up takes few frames."""
    out: list[Event] = []
    for event in events:
        last = out[-1] if out else None
        if last is not None and event.type == last.type == "text":
            text = (last.text or "") + (event.text or "")
            out[-1] = Event(type="text", seq=event.seq, first=last.first or last.seq, text=text)
        else:
            out.append(event)
    return out


def replayed(parts: Sequence[Part], events: Sequence[Event]) -> list[Part]:
    """Return the parts that a reader of `parts` has after these events, as the page does."""
    out = list(parts)
    for event in events:
        if event.type == "snapshot" and event.parts is not None:
            out = list(event.parts)
        elif event.type == "text" and out:
            out[-1] = out[-1].model_copy(update={"text": out[-1].text + (event.text or "")})
        elif event.type == "part" and event.part is not None:
            part, at = event.part, event.part.index
            if at < len(out) and part.kind not in WHOLE:
                part = part.model_copy(update={"text": out[at].text + part.text})
            out[at : at + 1] = [part]
    return out
