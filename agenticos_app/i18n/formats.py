"""Figures and times in the person's language and time zone, formatted by the browser."""

from datetime import datetime

import reflex as rx
from reflex.vars.sequence import StringVar

from agenticos_app.i18n.texts import data_of, needs, t, text_var

Figure = rx.Var[object] | int | float | None
Point = rx.Var[object] | datetime | str | None


def _format(kind: str, value: object) -> StringVar[str]:
    given: rx.Var[object] = rx.Var.create(value)
    hook = needs("useFormat", hook="const $format = useFormat();")
    return text_var(f"$format.{kind}({given!s})", data_of(given), hook)


def number(value: Figure) -> StringVar[str]:
    """Return a figure with the language's separators; a dash for one that is not known."""
    return _format("number", value)


def compact(value: Figure) -> StringVar[str]:
    """Return a large figure in short, as `1.2k`."""
    return _format("compact", value)


def money(dollars: Figure | rx.Var[str] | rx.Var[str | None]) -> StringVar[str]:
    """Return dollars, a number or a decimal string, with the digits that matter: `$0.0041`."""
    return _format("money", dollars)


def spent(dollars: rx.Var[str | None], *, is_partial: rx.Var[bool]) -> rx.Var[str]:
    """Return what something cost, with `≥` when the true cost may be higher; in words when not known."""
    known = rx.cond(is_partial, t("money.at_least", amount=money(dollars)), money(dollars))
    return rx.cond(dollars, known, t("money.unknown"))


def size(size_bytes: Figure) -> StringVar[str]:
    """Return a number of bytes, as `84 KB`."""
    return _format("size", size_bytes)


def duration(milliseconds: Figure) -> StringVar[str]:
    """Return a span of time, as `340 ms`, `12 s` or `3 min 20 s`."""
    return _format("duration", milliseconds)


def when(at: Point) -> StringVar[str]:
    """Return a point in time as people say it: `12:04`, `Yesterday, 12:04`, `21 Nov, 12:04`, `2 Nov 2025`."""
    return _format("when", at)


def exact(at: Point) -> StringVar[str]:
    """Return a point in time in full, with its zone."""
    return _format("exact", at)


def day(at: Point) -> StringVar[str]:
    """Return a day as a heading: `Today`, `Yesterday`, `Monday`, `21 November`."""
    return _format("day", at)
