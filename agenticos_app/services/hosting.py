"""The run host of this process, as services see it."""

from typing import Protocol

from agenticos_app.kernel.ids import HostId, RunId
from agenticos_app.services.recording import Ready


class Host(Protocol):
    """Executes runs."""

    id: HostId

    def reserve(self, run_id: RunId) -> bool:
        """Keep a slot for a run that shall begin here; False when there is none."""
        ...

    def release(self, run_id: RunId) -> None:
        """Give the slot back of a run that does not begin after all."""
        ...

    def begin(self, run_id: RunId, ready: Ready | None = None) -> None:
        """Begin a run whose row names this host, with what is known of it already. Returns at once."""
        ...


_host: Host | None = None


def use(host: Host | None) -> None:
    """Make `host` the one of this process; None for a process that executes nothing."""
    global _host
    _host = host


def current() -> Host | None:
    """Return the host of this process."""
    return _host
