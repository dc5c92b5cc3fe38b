"""An agent is data: the spec that an author writes and a version freezes."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agenticos_app.kernel.ids import ModelProfileId

HARD_STEP_LIMIT = 100
"""Model requests of one run when the spec sets no lower limit."""


class CapabilityBinding(BaseModel):
    """One agent's use of one capability."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=64)
    config: dict[str, object] = Field(
        default_factory=dict, description="Validated by the capability's model."
    )


class AgentSpec(BaseModel):
    """What an agent is. Stored whole in each version; upgraded by `format` when it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    instructions: str = Field(default="", max_length=100_000)
    model_profile_id: ModelProfileId | None = Field(
        default=None, description="None: the organization's default model."
    )
    capabilities: tuple[CapabilityBinding, ...] = ()
    monthly_budget_micros: int | None = Field(
        default=None, ge=0, description="Millionths of a dollar that the agent may spend in a calendar month"
    )
    run_budget_micros: int | None = Field(
        default=None, ge=0, description="Millionths of a dollar that one run may spend"
    )
    max_steps: int = Field(default=HARD_STEP_LIMIT, ge=1, le=HARD_STEP_LIMIT)
