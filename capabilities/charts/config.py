"""Nothing to set."""

from pydantic import BaseModel, ConfigDict


class ChartsConfig(BaseModel):
    """Settings of one agent's charts. Stored in its published versions."""

    model_config = ConfigDict(extra="forbid", frozen=True)
