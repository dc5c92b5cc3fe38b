"""Runs: how they are started, what they look like in lists and alone."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agenticos_app.contracts.cards import Card
from agenticos_app.contracts.events import Part, RunStatus

PROMPT_LIMIT = 200_000


class _Question(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"prompt": "What is 17 times 23?"}]}
    )

    prompt: str = Field(min_length=1, max_length=PROMPT_LIMIT, description="More than blanks")
    conversation_id: UUID | None = Field(default=None, description="Continue this conversation")
    file_ids: list[UUID] = Field(
        default_factory=list[UUID],
        max_length=20,
        description="Files of `POST /files` that are not sent yet; they need a conversation",
    )

    @field_validator("prompt")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("missing")
        return value


class Ask(_Question):
    """A question to an agent. The model is the version's; no other field chooses one."""

    environment_id: UUID | None = Field(
        default=None, description="Run the version of this environment; null: the live one"
    )


class AskTest(_Question):
    """A question that tries out a draft or a version. A conversation of tests holds nothing else."""

    tested: Literal["draft"] | Annotated[int, Field(ge=1, le=2_147_483_647)] = Field(
        default="draft", description="`draft` as it stands now, or the number of a version"
    )


class Started(BaseModel):
    """A run that was accepted."""

    model_config = ConfigDict(frozen=True)

    run_id: UUID
    conversation_id: UUID | None = None


class RunResult(BaseModel):
    """A run that ended, or parked."""

    model_config = ConfigDict(frozen=True)

    run_id: UUID
    conversation_id: UUID | None
    status: RunStatus
    output: str = Field(description="The answer as text; partial when the run did not complete")
    structured: dict[str, object] | None = Field(
        default=None, description="The answer as data, where the agent has a schema for it"
    )
    error: str | None = Field(
        default=None, description="A code such as `model_timeout`; null when it completed"
    )
    input_tokens: int
    output_tokens: int
    cost_usd: str | None = Field(description="Decimal, such as 0.0041; null: not known")
    cost_is_partial: bool = Field(description="The true cost may be higher")


class RunRow(BaseModel):
    """One line of the activity list."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    status: RunStatus
    agent_id: UUID
    agent_name: str
    version: int = Field(description="0: a draft, or a version that is gone")
    is_test: bool = Field(default=False, description="Somebody who may edit the agent tried it out")
    is_draft: bool = Field(default=False, description="A test of the draft, which has no number")
    surface: str
    person: str = Field(description="Who it ran as; empty: nobody with an account")
    api_key: str = Field(description="Name of the key that started it; empty: none")
    prompt: str = Field(description="What was asked, cut to 120 characters")
    model_label: str
    input_tokens: int
    output_tokens: int
    cost_usd: str | None = Field(description="Decimal; null: not known")
    cost_is_partial: bool = Field(description="The true cost may be higher")
    started_at: datetime
    milliseconds: int | None = Field(description="null while it runs")


class TimelineRow(BaseModel):
    """One request or call of a run."""

    model_config = ConfigDict(frozen=True)

    kind: str = Field(description="model or tool")
    name: str = Field(description="Tool id; empty for a model request")
    subject: str
    number: int = Field(description="Of a model request, from 1")
    status: str = Field(description="done, failed, running or stopped")
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: str | None = Field(description="Decimal, of a model request; null: not known")
    cost_is_partial: bool
    served_by: str = Field(description="Provider and model of a request; empty for a tool")
    offset_ms: int = Field(description="From the run's start")
    milliseconds: int
    arguments: str = Field(description="JSON; empty for a model request")
    result: str
    call_id: str = Field(default="", description="Of a tool")
    card: Card | None = Field(default=None, description="What a call shows to the person")


class RunDetail(RunRow):
    """One run with its timeline."""

    conversation_id: UUID | None
    is_own_conversation: bool
    may_stop: bool
    error_code: str | None
    error: str | None
    requests: int
    output: str = Field(description="The answer as text; partial when the run did not complete")
    structured: dict[str, object] | None = Field(
        default=None, description="The answer as data, where the agent has a schema for it"
    )
    parts: list[Part] = Field(description="The answer as it was streamed; empty without a conversation")
    full_prompt: str
    ended_at: datetime | None
    timeline: list[TimelineRow]
    total_ms: int


class RunStopped(BaseModel):
    """The run's status when the request to stop was stored."""

    model_config = ConfigDict(frozen=True)

    status: RunStatus
