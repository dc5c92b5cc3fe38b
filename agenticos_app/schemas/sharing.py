"""Who reaches one row beyond what their role reaches."""

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

Level = Literal["read", "use", "edit"]


class ShareRow(BaseModel):
    """One person's level on the row."""

    model_config = ConfigDict(frozen=True)

    user_id: UUID
    full_name: str
    email: str
    level: Level


class Sharing(BaseModel):
    """How far a row is shared."""

    model_config = ConfigDict(frozen=True)

    visibility: str
    owner_user_id: UUID | None
    people: list[ShareRow]


class ShareLevel(BaseModel):
    """What the person may do: see it, use it, or change and share it too."""

    level: Level
