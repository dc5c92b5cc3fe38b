"""What the builder may set."""

from typing import Annotated
from zoneinfo import available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _known(name: str) -> str:
    if name not in available_timezones():
        raise ValueError("invalid")
    return name


class ClockConfig(BaseModel):
    """Where the agent's clock hangs. Stored in its published versions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    timezone: Annotated[str, AfterValidator(_known)] = Field(
        default="UTC", max_length=64, json_schema_extra={"format": "timezone"}
    )
