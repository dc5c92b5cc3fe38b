"""Ctrl-C and SIGTERM: the first asks everything to end in order, the second ends it at once."""

import contextlib
import signal
from collections.abc import Generator
from types import FrameType


class Stopping(BaseException):
    """Somebody asked the command to stop."""


class Signals:
    """How often somebody asked; the first time raises `Stopping` wherever the command is."""

    def __init__(self) -> None:
        self.asked = 0

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        self.asked += 1
        if self.asked == 1:
            raise Stopping

    @contextlib.contextmanager
    def caught(self) -> Generator[None]:
        """Handle the signals inside of the block, as before after it."""
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [signal.signal(number, self._handle) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)
