"""Agents as lists and pickers show them."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class AgentRow(BaseModel):
    """One agent."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    description: str
    live_version: int = Field(description="Published version in use; 0 before the first publish")
    may_run: bool
    changed_at: datetime
