"""Whether this process is about to stop: long answers end then, and their readers come back elsewhere."""

import asyncio

_leaving = asyncio.Event()


def start() -> None:
    """Serve; a new process, or a new loop in a test, begins with nobody leaving."""
    global _leaving
    _leaving = asyncio.Event()


def leave() -> None:
    """End all long answers."""
    _leaving.set()


def is_set() -> bool:
    """Tell whether the process is about to stop."""
    return _leaving.is_set()


async def wait() -> None:
    """Return when it is."""
    await _leaving.wait()
