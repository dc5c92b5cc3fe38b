"""What a tool can show to the person beside its text: stored with the step, drawn alike by every reader."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_POINTS = 500
MOST_SERIES = 12


class Series(BaseModel):
    """One line, or one colour of bars, of a chart."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1, max_length=100)
    values: tuple[float | None, ...] = Field(min_length=1, max_length=MOST_POINTS)


class ChartCard(BaseModel):
    """A chart: numbers that are drawn, and can be read as a table."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["chart"] = "chart"
    type: Literal["line", "bar", "area", "pie", "scatter"]
    title: str = Field(min_length=1, max_length=200)
    x_label: str = Field(default="", max_length=100)
    y_label: str = Field(default="", max_length=100)
    x_values: tuple[str | float, ...] = Field(min_length=1, max_length=MOST_POINTS)
    series: tuple[Series, ...] = Field(min_length=1, max_length=MOST_SERIES)

    @model_validator(mode="after")
    def _is_even(self) -> "ChartCard":
        for one in self.series:
            if len(one.values) != len(self.x_values):
                raise ValueError(f"{one.name} has {len(one.values)} values for {len(self.x_values)} points")
        return self


class CapabilityCard(BaseModel):
    """An ability that the agent lacks and the question needs."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["capability"] = "capability"
    capability: str
    """Id in the catalogue."""
    reason: str = Field(max_length=500)


Card = Annotated[ChartCard | CapabilityCard, Field(discriminator="kind")]
