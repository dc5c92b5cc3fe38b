"""Model profiles: which model agents use, and whether it answers."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints

Trimmed = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]


class ModelDraft(BaseModel):
    """A model as somebody describes it."""

    kind: Literal["practice", "openai_compatible"]
    base_url: Trimmed = Field(default="", description="For example http://localhost:11434/v1")
    model_name: Trimmed = ""
    api_key: SecretStr = SecretStr("")


class ModelCheckResult(BaseModel):
    """What one live check found."""

    model_config = ConfigDict(frozen=True)

    ok: bool
    milliseconds: int
    reply: str = ""
    problem: str = Field(default="", description="i18n key models.problem.*")
    models: list[str] = Field(default_factory=list[str])


class LocalServer(BaseModel):
    """An OpenAI-compatible server found on this machine."""

    model_config = ConfigDict(frozen=True)

    name: str
    base_url: str
    models: list[str]


class ModelProfileRow(BaseModel):
    """A model that agents of the organization may use."""

    model_config = ConfigDict(frozen=True)

    id: UUID
    name: str
    kind: str
    model_name: str
    base_url: str
    key_last_four: str = Field(description="Empty when there is no key")
    is_default: bool
