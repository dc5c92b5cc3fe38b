"""Figures on an axis: which are marked, where they lie, how they are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

TICKS = 5


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of numbers laid on a stretch of pixels."""

    low: float
    high: float
    first: float
    last: float

    def at(self, value: float) -> float:
        """Return where a number lies."""
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)


def ticks(values: Sequence[float], *, from_zero: bool) -> list[float]:
    """Return round numbers that enclose all values; with `from_zero` also 0."""
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        low, high = low - (abs(low) or 1) * (not from_zero), high + (abs(high) or 1)
    step = _round(max((high - low) / TICKS, 5e-324))
    first, last = floor(low / step), ceil(high / step)
    return [number * step for number in range(first, last + 1)]


def _round(step: float) -> float:
    power = 10.0 ** floor(log10(step))
    if not power:
        return step
    return next((power * factor for factor in (1, 2, 2.5, 5) if power * factor >= step), power * 10)


def figure(value: float) -> str:
    """Return a number with the digits that matter: `1,250`, `0.25`, `3.2M`."""
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if size <= abs(value) < 1e15:
            return f"{value / size:.4g}{unit}"
    if value and not 1e-4 <= abs(value) < 1e15:
        return f"{value:.3g}"
    shown = f"{value:,.4f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def point(value: str | float) -> str:
    """Return a point of the axis; numbers are often years, so without separators."""
    return value if isinstance(value, str) else f"{value:.10g}"
