"""What a command says to the person at the terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator


class Refusal(Exception):
    """What went wrong and how to get on, in one sentence."""


def say(line: str) -> None:
    """Print one line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextlib.contextmanager
def step(name: str) -> Generator[None]:
    """Show that something is being done, and how long it took."""
    sys.stdout.write(f"  {name} ... ")
    sys.stdout.flush()
    began = time.monotonic()
    try:
        yield
    except BaseException:
        say("stopped")
        raise
    say(f"{time.monotonic() - began:.1f} s")
