"""Ctrl-C and SIGTERM: the first asks everything to end in order, the second ends it at once.

A handler only takes note. Raising in it would be shorter, but an exception that comes up inside of a
callback of the interpreter is printed and lost, and with it the wish to stop.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Generator
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_asked: list[int] = []


class Stopping(Exception):
    """Somebody asked the command to stop."""


@contextlib.contextmanager
def caught() -> Generator[None]:
    """Take note of the signals inside of the block; `checkpoint` then says so."""
    _asked.clear()
    before = [signal.signal(number, _note) for number in _NUMBERS]
    try:
        yield
    finally:
        for number, handler in zip(_NUMBERS, before, strict=True):
            signal.signal(number, handler)
        _asked.clear()


def checkpoint() -> None:
    """Go on, unless somebody asked to stop; called wherever a command waits.

    Raises:
        Stopping: Somebody did.
    """
    if _asked:
        raise Stopping


def in_a_hurry() -> bool:
    """Tell whether somebody asked more than once."""
    return len(_asked) > 1


def _note(number: int, _frame: FrameType | None) -> None:
    _asked.append(number)
