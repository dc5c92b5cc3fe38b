"""What the builder may set."""

from pydantic import BaseModel, ConfigDict, Field


class CodeExecutionConfig(BaseModel):
    """Settings of one agent's calculations. Stored in its published versions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    timeout_secs: float = Field(default=10, gt=0, le=120, json_schema_extra={"advanced": True})
    max_memory_mb: int = Field(default=256, ge=16, le=4096, json_schema_extra={"advanced": True})
