"""Every key and channel of Redis."""

from uuid import UUID


def run_events(run_id: UUID) -> str:
    """Return the stream of a run's events."""
    return f"aos:run:{run_id}"


def reader_wake(reader_id: UUID) -> str:
    """Return the stream that interrupts a process's blocking read."""
    return f"aos:wake:{reader_id}"


def rate(what: str, who: str, window: int) -> str:
    """Return the counter of one caller in one window of time."""
    return f"aos:rate:{what}:{window}:{who}"


SIGNALS = "aos:signals"
"""The channel of signals."""
