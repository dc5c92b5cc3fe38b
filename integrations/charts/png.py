"""Draws a chart card as an image, in the colours and with the marks that the console uses."""

from collections.abc import Sequence

from agenticos_app.contracts.cards import ChartCard
from integrations.charts.canvas import Canvas, Place, mixed, shortened, width_of
from integrations.charts.scale import Scale, figure, point, ticks

WIDTH, PLOT_HEIGHT, MARGIN = 720.0, 260.0, 24.0
BACKGROUND, INK, MUTED, GRID, AXIS = "#ffffff", "#1a1a1f", "#666672", "#e8e8ec", "#d7d7dd"
COLOURS = ("#4f46e5", "#c26f00", "#0c8577", "#7a7a86", "#b5418a")
SHADES = (1.0, 0.55, 0.3)
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 4), (2, 4), (10, 4, 2, 4), (1, 3))
TITLE, SMALL = 17.0, 12.0
TITLE_LINES = 2
MOST_DOTS = 40
LEGEND_ROW = 20.0


def render(card: ChartCard) -> bytes:
    """Return a PNG of the chart, 1440 pixels wide."""
    title = _lines(card.title, WIDTH - 2 * MARGIN)
    unit = card.y_label or (card.series[0].name if len(card.series) == 1 and card.type != "pie" else "")
    legend = _legend(card)
    top = MARGIN + 24 * len(title) + (20 if unit else 4)
    bottom = top + PLOT_HEIGHT
    below = 8.0 if card.type == "pie" else 52.0 if card.x_label else 28.0
    rows = max((row for _, _, row in legend), default=-1) + 1
    canvas = Canvas(WIDTH, bottom + below + rows * LEGEND_ROW + MARGIN, BACKGROUND)
    for number, line in enumerate(title):
        canvas.text((MARGIN, MARGIN + 16 + 24 * number), line, size=TITLE, colour=INK)
    if unit:
        canvas.text((MARGIN, top - 8), shortened(unit, SMALL, WIDTH - 2 * MARGIN), size=SMALL, colour=MUTED)
    if card.type == "pie":
        _pie(canvas, card, top, bottom)
    else:
        _axes_and_series(canvas, card, top + 6, bottom)
    if card.x_label and card.type != "pie":
        canvas.text((WIDTH / 2, bottom + 40), card.x_label, size=SMALL, colour=MUTED, anchor="ms")
    for index, (name, left, row) in enumerate(legend):
        y = bottom + below + row * LEGEND_ROW + 12
        _sample(canvas, card, index, (left, y - 4))
        canvas.text((left + 28, y), name, size=SMALL, colour=INK)
    return canvas.png()


def _colour(index: int) -> str:
    shade = SHADES[min(index // len(COLOURS), len(SHADES) - 1)]
    return mixed(COLOURS[index % len(COLOURS)], BACKGROUND, shade)


def _dash(index: int) -> tuple[float, ...]:
    return DASHES[(index + index // len(COLOURS)) % len(DASHES)]


def _lines(text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, TITLE) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > TITLE_LINES:
        lines = [*lines[: TITLE_LINES - 1], " ".join(lines[TITLE_LINES - 1 :])]
    return [shortened(line, TITLE, width) for line in lines]


def _legend(card: ChartCard) -> list[tuple[str, float, int]]:
    """Return name, left edge and row of each entry."""
    if card.type == "pie":
        shares = [max(value or 0.0, 0.0) for value in card.series[0].values]
        whole = sum(shares) or 1.0
        names = [
            f"{point(x)}  {share / whole * 100:.1f}%" for x, share in zip(card.x_values, shares, strict=True)
        ]
    else:
        names = [one.name for one in card.series] if len(card.series) > 1 else []
    entries: list[tuple[str, float, int]] = []
    left, row = MARGIN, 0
    for name in (shortened(name, SMALL, 240) for name in names):
        width = 28 + width_of(name, SMALL) + 20
        if left + width > WIDTH - MARGIN and left > MARGIN:
            left, row = MARGIN, row + 1
        entries.append((name, left, row))
        left += width
    return entries


def _sample(canvas: Canvas, card: ChartCard, index: int, at: Place) -> None:
    x, y = at
    if card.type in ("bar", "pie"):
        canvas.box((x + 8, y - 5), (x + 18, y + 5), colour=_colour(index))
        return
    if card.type != "scatter":
        canvas.line([(x, y), (x + 22, y)], colour=_colour(index), width=2, dash=_dash(index))
    _marker(canvas, index, (x + 11, y), 3.5)


def _marker(canvas: Canvas, index: int, at: Place, r: float) -> None:
    (x, y), colour = at, _colour(index)
    match index % 5:
        case 0:
            canvas.circle(at, r, colour=colour)
        case 1:
            canvas.box((x - r, y - r), (x + r, y + r), colour=colour)
        case 2:
            canvas.polygon([(x, y - 1.2 * r), (x + 1.2 * r, y + r), (x - 1.2 * r, y + r)], colour=colour)
        case 3:
            corners = [(x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)]
            canvas.polygon(corners, colour=colour)
        case _:
            canvas.line([(x - r, y - r), (x + r, y + r)], colour=colour, width=2)
            canvas.line([(x + r, y - r), (x - r, y + r)], colour=colour, width=2)


def _axes_and_series(canvas: Canvas, card: ChartCard, top: float, bottom: float) -> None:
    numbers = [value for one in card.series for value in one.values if value is not None] or [0.0]
    marks = ticks(numbers, from_zero=True)
    left = MARGIN + max(width_of(figure(mark), SMALL) for mark in marks) + 10
    right = WIDTH - MARGIN
    y = Scale(marks[0], marks[-1], bottom, top)
    for mark in marks:
        colour = AXIS if mark == 0 else GRID
        canvas.line([(left, y.at(mark)), (right, y.at(mark))], colour=colour, width=1)
        canvas.text((left - 8, y.at(mark)), figure(mark), size=SMALL, colour=MUTED, anchor="rm")
    if card.type == "scatter":
        _scatter(canvas, card, y, left, right, bottom)
        return
    places = _places(card, left, right)
    _points(canvas, [point(x) for x in card.x_values], places, bottom)
    for index, one in enumerate(card.series):
        if card.type == "bar":
            _bars(canvas, card, index, places, y)
        else:
            _course(canvas, card, index, _runs(places, one.values), y)


def _places(card: ChartCard, left: float, right: float) -> list[float]:
    """Return where each point lies: in the middle of its share for bars, else from edge to edge."""
    count = len(card.x_values)
    if card.type == "bar" or count == 1:
        return [left + (right - left) * (number + 0.5) / count for number in range(count)]
    return [left + 8 + (right - left - 16) * number / (count - 1) for number in range(count)]


def _points(canvas: Canvas, names: Sequence[str], places: Sequence[float], bottom: float) -> None:
    """Write the points' names, only as many as there is room for."""
    widest = min(max(width_of(name, SMALL) for name in names), 110.0)
    apart = (places[-1] - places[0]) / (len(places) - 1) if len(places) > 1 else WIDTH
    every = max(1, -int(-(widest + 12) // max(apart, 0.1)))
    for name, x in list(zip(names, places, strict=True))[::every]:
        text = shortened(name, SMALL, 110)
        half = width_of(text, SMALL) / 2
        x = min(max(x, MARGIN + half), WIDTH - MARGIN + 8 - half)
        canvas.text((x, bottom + 18), text, size=SMALL, colour=MUTED, anchor="ms")


def _bars(canvas: Canvas, card: ChartCard, index: int, places: Sequence[float], y: Scale) -> None:
    room = (places[1] - places[0] if len(places) > 1 else 160.0) * 0.72
    width = min(room / len(card.series), 48.0)
    start = -width * len(card.series) / 2 + width * index
    for x, value in zip(places, card.series[index].values, strict=True):
        if value:
            edge = x + start
            canvas.box(
                (edge + width * 0.04, y.at(0)), (edge + width * 0.96, y.at(value)), colour=_colour(index)
            )


def _runs(places: Sequence[float], values: Sequence[float | None]) -> list[list[tuple[float, float]]]:
    """Return the stretches without gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, value in zip(places, values, strict=True):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((x, value))
    return [run for run in runs if run]


def _course(
    canvas: Canvas, card: ChartCard, index: int, runs: list[list[tuple[float, float]]], y: Scale
) -> None:
    for run in runs:
        line = [(x, y.at(value)) for x, value in run]
        if card.type == "area" and len(line) > 1:
            ground = [(line[-1][0], y.at(0)), (line[0][0], y.at(0))]
            canvas.polygon([*line, *ground], colour=mixed(_colour(index), BACKGROUND, 0.14))
        if len(line) > 1:
            canvas.line(line, colour=_colour(index), width=2, dash=_dash(index))
        if len(card.x_values) <= MOST_DOTS or len(line) == 1:
            for at in line:
                _marker(canvas, index, at, 3.5)


def _scatter(canvas: Canvas, card: ChartCard, y: Scale, left: float, right: float, bottom: float) -> None:
    numbers = [x for x in card.x_values if not isinstance(x, str)]
    marks = ticks(numbers, from_zero=False)
    x_scale = Scale(marks[0], marks[-1], left + 8, right - 8)
    _points(canvas, [point(mark) for mark in marks], [x_scale.at(mark) for mark in marks], bottom)
    for index, one in enumerate(card.series):
        for x, value in zip(numbers, one.values, strict=True):
            if value is not None:
                _marker(canvas, index, (x_scale.at(x), y.at(value)), 4)


def _pie(canvas: Canvas, card: ChartCard, top: float, bottom: float) -> None:
    shares = [max(value or 0.0, 0.0) for value in card.series[0].values]
    whole, start = sum(shares) or 1.0, -90.0
    middle = (WIDTH / 2, (top + bottom) / 2)
    for index, share in enumerate(shares):
        end = start + share / whole * 360
        if share:
            canvas.slice(middle, (bottom - top) / 2 - 4, start, end, colour=_colour(index), edge=BACKGROUND)
        start = end
