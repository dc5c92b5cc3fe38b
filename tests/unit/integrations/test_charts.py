"""Charts as images."""

from io import BytesIO
from math import isclose

import pytest
from PIL import Image

from agenticos_app.contracts.cards import LARGEST, ChartCard, Series
from integrations.charts.png import COLOURS, render
from integrations.charts.scale import figure, ticks


def chart(kind: str, *series: tuple[float | None, ...], **more: object) -> ChartCard:
    named = [Series(name=f"Row {number}", values=values) for number, values in enumerate(series)]
    points = tuple(range(len(series[0]))) if kind == "scatter" else tuple("abcdefgh"[: len(series[0])])
    values = {"type": kind, "title": "Late deliveries", "x_values": points, "series": named}
    return ChartCard.model_validate(values | more)


def colours_of(png: bytes) -> set[str]:
    image = Image.open(BytesIO(png)).convert("RGB")
    found = image.getcolors(maxcolors=image.width * image.height)
    assert found is not None
    return {"#%02x%02x%02x" % colour for count, colour in found if count > 20}  # type: ignore[str-format]  # noqa: UP031


@pytest.mark.parametrize("kind", ["line", "bar", "area", "scatter"])
def test_each_series_is_drawn_in_a_colour_of_its_own(kind: str) -> None:
    seen = colours_of(render(chart(kind, (1, 5, 3), (2, None, 4), (6, 2, 1))))
    assert set(COLOURS[:3]) <= seen
    assert not set(COLOURS[3:]) & seen


def test_a_pie_has_a_slice_for_each_share() -> None:
    seen = colours_of(render(chart("pie", (4, 3, 2, 1))))
    assert set(COLOURS[:4]) <= seen


@pytest.mark.parametrize("kind", ["line", "bar", "area", "scatter", "pie"])
@pytest.mark.parametrize(
    "values",
    [(0.0,), (None, 1.0), (LARGEST, -LARGEST), (1e-300, 2e-300), (5.0, 5.0, 5.0), tuple(range(8))],
)
def test_any_numbers_make_an_image_of_one_width(kind: str, values: tuple[float | None, ...]) -> None:
    image = Image.open(BytesIO(render(chart(kind, values))))
    assert (image.format, image.width) == ("PNG", 1440)


def test_long_texts_stay_within_the_image_and_letters_of_many_languages_are_there() -> None:
    long = chart("bar", (1, 2), title="Zażółć gęślą jaźń " * 11, x_label="x" * 100, y_label="Ж" * 100)
    assert Image.open(BytesIO(render(long))).width == 1440
    assert render(chart("bar", (1, 2), title="ą")) != render(chart("bar", (1, 2), title="ę"))


@pytest.mark.parametrize(
    ("values", "first", "last"), [((3, 17), 0, 20), ((-4, 9), -5, 10), ((0, 0), 0, 1), ((120, 980), 0, 1000)]
)
def test_axes_have_round_numbers_around_all_values(
    values: tuple[float, ...], first: float, last: float
) -> None:
    marks = ticks(values, from_zero=True)
    assert marks[0] <= min(values)
    assert marks[-1] >= max(values)
    assert isclose(marks[0], first)
    assert isclose(marks[-1], last)
    assert len(marks) <= 8


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1250, "1,250"),
        (0.25, "0.25"),
        (3_200_000, "3.2M"),
        (-1e9, "-1B"),
        (1e-7, "1e-07"),
    ],
)
def test_figures_have_the_digits_that_matter(value: float, shown: str) -> None:
    assert figure(value) == shown
