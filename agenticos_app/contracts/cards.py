"""What a tool can show to the person beside its text: stored with the step, drawn alike by every reader."""

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    TypeAdapter,
    model_serializer,
    model_validator,
)

MOST_POINTS = 500
MOST_SERIES = 12
MOST_NUMBERS = 2_000
"""Of all series together: a card travels with its step, and is stored with it."""

LARGEST = 1e300
"""So that differences of two numbers can be drawn."""

Number = Annotated[float, Field(allow_inf_nan=False, ge=-LARGEST, le=LARGEST)]
Point = Annotated[str, StringConstraints(max_length=100)] | Number


class _Whole(BaseModel):
    """A card whose fields are all sent, also where those that have their default are left out of the rest."""

    model_config = ConfigDict(frozen=True)

    @model_serializer(mode="wrap")
    def _whole(self, handler: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]  # an annotation would hide the shape from the API's description
        fields = type(self).model_fields
        left_out = {name: getattr(self, name) for name, one in fields.items() if not one.is_required()}
        return left_out | handler(self)


class Series(BaseModel):
    """One line, or one colour of bars, of a chart."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(min_length=1, max_length=100)
    values: tuple[Number | None, ...] = Field(min_length=1, max_length=MOST_POINTS)


class ChartCard(_Whole):
    """A chart: numbers that are drawn, and can be read as a table."""

    kind: Literal["chart"] = "chart"
    type: Literal["line", "bar", "area", "pie", "scatter"]
    title: str = Field(min_length=1, max_length=200)
    x_label: str = Field(default="", max_length=100)
    y_label: str = Field(default="", max_length=100)
    x_values: tuple[Point, ...] = Field(min_length=1, max_length=MOST_POINTS)
    series: tuple[Series, ...] = Field(min_length=1, max_length=MOST_SERIES)

    @model_validator(mode="after")
    def _is_even(self) -> "ChartCard":
        for one in self.series:
            if len(one.values) != len(self.x_values):
                raise ValueError(f"{one.name} has {len(one.values)} values for {len(self.x_values)} points")
        if len(self.series) * len(self.x_values) > MOST_NUMBERS:
            raise ValueError(f"more than {MOST_NUMBERS} numbers")
        return self


class CapabilityCard(_Whole):
    """An ability that the agent lacks and the question needs."""

    kind: Literal["capability"] = "capability"
    capability: str
    """Id in the catalogue."""
    reason: str = Field(max_length=500)


Card = Annotated[ChartCard | CapabilityCard, Field(discriminator="kind")]

CARD: TypeAdapter[Card] = TypeAdapter(Card)
"""Reads a stored card."""

ChartRenderer = Callable[[ChartCard], bytes]
"""Draws a chart as a PNG; takes some tenths of a second of a processor."""
