"""The tool, and how it is put together."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from pydantic_ai import ModelRetry
from pydantic_ai.toolsets import FunctionToolset

from agenticos_app.contracts.capability import Offer, RunDeps, Shown
from agenticos_app.contracts.cards import (
    MOST_NUMBERS,
    MOST_POINTS,
    MOST_SERIES,
    ChartCard,
    Number,
    Point,
    Series,
)
from capabilities.charts import text
from capabilities.charts.config import ChartsConfig

Kind = Literal["line", "bar", "area", "pie", "scatter"]


_FILLED: JsonDict = {"minItems": 1}
"""Tells the model that an empty list cannot be; one that comes all the same is answered in our words."""


class Column(BaseModel):
    """One series as a model gives it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=100, description=text.SERIES_NAME)]
    values: Annotated[
        list[Number | None],
        Field(max_length=MOST_POINTS, description=text.SERIES_VALUES, json_schema_extra=_FILLED),
    ]


def build(config: ChartsConfig) -> Offer:
    """Return the capability."""
    del config
    tools = FunctionToolset[RunDeps]()

    @tools.tool_plain(description=text.CREATE_CHART)
    def create_chart(  # pyright: ignore[reportUnusedFunction]
        type: Annotated[Kind, Field(description=text.ARGUMENT_TYPE)],  # noqa: A002  # the model's word for it
        title: Annotated[str, Field(min_length=1, max_length=200, description=text.ARGUMENT_TITLE)],
        x_values: Annotated[
            list[Point],
            Field(max_length=MOST_POINTS, description=text.ARGUMENT_X_VALUES, json_schema_extra=_FILLED),
        ],
        series: Annotated[
            list[Column],
            Field(max_length=MOST_SERIES, description=text.ARGUMENT_SERIES, json_schema_extra=_FILLED),
        ],
        x_label: Annotated[str, Field(max_length=100, description=text.ARGUMENT_X_LABEL)] = "",
        y_label: Annotated[str, Field(max_length=100, description=text.ARGUMENT_Y_LABEL)] = "",
    ) -> Shown:
        _check(type, x_values, series)
        card = ChartCard(
            type=type,
            title=title,
            x_label=x_label,
            y_label=y_label,
            x_values=tuple(x_values),
            series=tuple(Series(name=one.name, values=tuple(one.values)) for one in series),
        )
        names = ", ".join(one.name for one in series)
        return Shown(text=text.DRAWN.format(title=title, series=names, points=len(x_values)), card=card)

    return Offer(toolset=tools)


def _check(kind: Kind, points: list[Point], series: list[Column]) -> None:
    """Refuse what would be drawn empty or wrong.

    Raises:
        ModelRetry: Names what is missing or does not fit.
    """
    if not points:
        raise ModelRetry(text.NO_POINTS)
    if not series:
        raise ModelRetry(text.NO_SERIES)
    if (count := len(points) * len(series)) > MOST_NUMBERS:
        raise ModelRetry(text.TOO_LARGE.format(count=count))
    names = [one.name for one in series]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ModelRetry(text.SAME_NAME.format(name=twice))
    for one in series:
        _check_numbers(one, len(points))
    if (
        kind == "scatter"
        and (word := next((one for one in points if isinstance(one, str)), None)) is not None
    ):
        raise ModelRetry(text.WORDS_FOR_NUMBERS.format(value=word))
    if kind == "pie":
        _check_shares(series)


def _check_numbers(one: Column, points: int) -> None:
    count = len(one.values)
    if count < points:
        raise ModelRetry(
            text.TOO_FEW.format(name=one.name, count=count, points=points, missing=points - count)
        )
    if count > points:
        raise ModelRetry(text.TOO_MANY.format(name=one.name, count=count, points=points, over=count - points))
    if all(value is None for value in one.values):
        raise ModelRetry(text.NO_NUMBERS.format(name=one.name))


def _check_shares(series: list[Column]) -> None:
    if len(series) > 1:
        raise ModelRetry(text.ONE_WHOLE.format(count=len(series)))
    shares = [value or 0 for value in series[0].values]
    if min(shares) < 0 or not sum(shares):
        raise ModelRetry(text.NEGATIVE_SHARE)
