"""Every word of this capability that a model reads."""

from agenticos_app.contracts.cards import MOST_NUMBERS, MOST_POINTS, MOST_SERIES
from agenticos_app.contracts.tool_text import tool_text

CREATE_CHART = tool_text(
    f"""\
Draw a chart of numbers that you already have, so that the person sees it \
beside your answer.

Give the numbers as columns: one list `x_values` for the axis, and for each series one list `values` with as \
many numbers in the same order. Use line or area for a course over time, bar to compare amounts, scatter for \
pairs of numbers, pie for the shares of one whole with few parts. Let the title say what the chart shows.

It fetches, computes and aggregates nothing: look the numbers up with the tools that read documents or the \
web, and work out sums, averages and shares with run_python, where you have these, before you draw. Do not \
draw numbers that you made up, and write a single number, or two, as a sentence instead. At most \
{MOST_POINTS} points, {MOST_SERIES} series and {MOST_NUMBERS:,} numbers in all.""",
    returns="""\
One line that says what was drawn. The person sees the chart, and can read its numbers as a \
table and download it as an image; do not repeat them in prose. A list that is missing, \
empty or too short comes back with what is missing, to be corrected.""",
)

ARGUMENT_TYPE = "The kind of chart."
ARGUMENT_TITLE = "What the chart shows, as a headline of at most 200 characters."
ARGUMENT_X_VALUES = "The points of the axis in their order, such as dates, names or numbers. At least one."
ARGUMENT_SERIES = "The series, each with its name and its numbers. At least one; exactly one for a pie."
ARGUMENT_X_LABEL = "What the points are, with the unit, such as 'Month'; at most 100 characters."
ARGUMENT_Y_LABEL = "What the numbers are, with the unit, such as 'Sales (EUR)'; at most 100 characters."
SERIES_NAME = "What the series is called in the legend, at most 100 characters."
SERIES_VALUES = "One number for each point, in the order of `x_values`; null where there is none."

SHAPE = (
    'Call create_chart again with lists of the same length, for example create_chart(type="line", '
    'title="Sales grew every month", x_values=["Jan", "Feb", "Mar"], '
    'series=[{{"name": "Sales", "values": [3, 4, 5]}}], y_label="EUR").'
)
NO_POINTS = ("`x_values` is empty, so the axis has no points. " + SHAPE).format()
NO_SERIES = ("`series` is empty, so there is nothing to draw. " + SHAPE).format()
NO_NUMBERS = 'The series "{name}" has no number in `values`, only gaps. ' + SHAPE
TOO_FEW = (
    'The series "{name}" has {count} numbers for {points} points of `x_values`: {missing} are missing. '
    + SHAPE
)
TOO_MANY = (
    'The series "{name}" has {count} numbers, {over} more than `x_values` has points ({points}). ' + SHAPE
)
TOO_LARGE = (
    f"{{count:,}} numbers are more than a chart can show ({MOST_NUMBERS:,}). Draw fewer series or points: "
    "aggregate the numbers first."
)
SAME_NAME = 'Two series are called "{name}". Give each a name of its own.'
ONE_WHOLE = "A pie shows the shares of one series, not of {count}. Choose bar, or leave the other series out."
NEGATIVE_SHARE = "A pie cannot show shares below zero, or of nothing. Choose bar instead."
WORDS_FOR_NUMBERS = (
    "A scatter chart needs a number for each of `x_values`, but {value!r} is none. Choose line or bar."
)

DRAWN = 'The chart "{title}" is shown to the person: {series} over {points} points.'
