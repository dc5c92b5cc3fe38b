"""What the builder may set."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Effort = Literal["minimal", "low", "medium", "high", "xhigh", "max"]


class ThinkingConfig(BaseModel):
    """How long the model reasons. Stored in published versions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    effort: Effort | None = None
