"""A drawing surface with smooth edges: everything is drawn large and made small at the end."""

from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from math import hypot
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

PIXELS = 2
"""Of the image, for each unit of length."""
_SMOOTH = 2
_SCALE = PIXELS * _SMOOTH
_FONT = Path(__file__).with_name("inter.ttf")

Place = tuple[float, float]


@lru_cache(maxsize=16)
def _font(size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONT, size)


def width_of(text: str, size: float) -> float:
    """Return the width of a line of text."""
    return _font(size).getlength(text)


def shortened(text: str, size: float, width: float) -> str:
    """Return a line of text cut so that it fits."""
    if width_of(text, size) <= width:
        return text
    while text and width_of(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


class Canvas:
    """An image under way. Lengths are in units that are independent of its pixels."""

    def __init__(self, width: float, height: float, background: str) -> None:
        self._image = Image.new("RGB", (int(width * _SCALE), int(height * _SCALE)), background)
        self._draw = ImageDraw.Draw(self._image)

    def text(self, at: Place, text: str, *, size: float, colour: str, anchor: str = "ls") -> None:
        """Write a line; the anchor is Pillow's: left, middle or right, then top, middle or baseline."""
        self._draw.text(_scaled(at), text, fill=colour, font=_font(size * _SCALE), anchor=anchor)

    def line(self, places: Sequence[Place], *, colour: str, width: float, dash: Sequence[float] = ()) -> None:
        """Draw a line through places, of strokes and gaps in turn."""
        for stroke in _strokes(places, dash) if dash else [places]:
            scaled = [_scaled(at) for at in stroke]
            self._draw.line(scaled, fill=colour, width=round(width * _SCALE), joint="curve")

    def polygon(self, places: Sequence[Place], *, colour: str) -> None:
        """Fill a shape."""
        self._draw.polygon([_scaled(at) for at in places], fill=colour)

    def box(self, start: Place, end: Place, *, colour: str) -> None:
        """Fill a rectangle, given by two opposite corners."""
        (x, y), (u, v) = _scaled(start), _scaled(end)
        self._draw.rectangle((min(x, u), min(y, v), max(x, u), max(y, v)), fill=colour)

    def circle(self, at: Place, radius: float, *, colour: str) -> None:
        """Fill a circle."""
        x, y = at
        self._draw.ellipse(
            (*_scaled((x - radius, y - radius)), *_scaled((x + radius, y + radius))), fill=colour
        )

    def slice(self, at: Place, radius: float, start: float, end: float, *, colour: str, edge: str) -> None:
        """Fill a slice of a pie; degrees, clockwise from three o'clock."""
        x, y = at
        around = (*_scaled((x - radius, y - radius)), *_scaled((x + radius, y + radius)))
        self._draw.pieslice(around, start, end, fill=colour, outline=edge, width=_SCALE)

    def png(self) -> bytes:
        """Return the image."""
        out = BytesIO()
        self._image.reduce(_SMOOTH).save(out, "PNG", optimize=True)
        return out.getvalue()


def mixed(colour: str, background: str, share: float) -> str:
    """Return a colour laid over a background, `share` of it."""
    over, under = (bytes.fromhex(one[1:]) for one in (colour, background))
    return "#" + bytes(round(a * share + b * (1 - share)) for a, b in zip(over, under, strict=True)).hex()


def _scaled(at: Place) -> Place:
    return at[0] * _SCALE, at[1] * _SCALE


def _strokes(places: Sequence[Place], dash: Sequence[float]) -> list[list[Place]]:
    """Cut a line into the strokes of a dash pattern."""
    strokes: list[list[Place]] = [[places[0]]]
    number, left = 0, dash[0]
    for start, end in pairwise(places):
        length, gone = hypot(end[0] - start[0], end[1] - start[1]), 0.0
        while length - gone > left:
            gone += left
            share = gone / length
            at = (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
            strokes[-1].append(at)
            strokes.append([at])
            number, left = number + 1, dash[(number + 1) % len(dash)]
        left -= length - gone
        strokes[-1].append(end)
    return [stroke for index, stroke in enumerate(strokes) if index % 2 == 0 and len(stroke) > 1]
