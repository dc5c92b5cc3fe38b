"""Conversations and their turns."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from agenticos_app.contracts.events import Part


class ConversationRow(BaseModel):
    """One line of the conversation list. Bodies are never read for it."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    agent_id: UUID | None
    last_message_at: datetime
    running_run_id: UUID | None = Field(description="The run that works in it now")


class FileRow(BaseModel):
    """An attached file."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    size_bytes: int
    media_type: str
    lines: int = Field(description="Lines of its text")


class TurnRow(BaseModel):
    """A question and its answer."""

    model_config = ConfigDict(frozen=True)

    id: UUID = Field(description="Id of the person's message")
    text: str
    files: list[FileRow]
    asked_at: datetime
    run_id: UUID | None
    answer_id: UUID | None
    parts: list[Part]
    status: str = Field(description="Run status; empty when there is no answer")
    error_code: str = ""
    model_label: str = Field(default="", description="What the model was called")
    steps: int = Field(description="Tool calls of the answer")
    milliseconds: int | None
    input_tokens: int
    output_tokens: int
    cost_usd: str | None = Field(default=None, description="Decimal; null: not known")
    cost_is_partial: bool = Field(default=False, description="The true cost may be higher")


class ConversationDetail(BaseModel):
    """A conversation with its newest turns."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    title: str
    agent_id: UUID | None
    agent_name: str
    running_run_id: UUID | None
    turns: list[TurnRow] = Field(description="Oldest first")
    earlier_cursor: str = Field(description="Empty when the first turn is included")


class ConversationRename(BaseModel):
    """Another title."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
