"""The run host of this process, as services see it."""

from typing import Protocol

from agenticos_app.kernel.ids import HostId, RunId

LEASE_S = 30
"""A run whose host has not renewed its lease for so long is taken for lost."""


class Host(Protocol):
    """Executes runs."""

    id: HostId

    def has_room(self) -> bool:
        """Tell whether a run could begin here at once."""
        ...

    def begin(self, run_id: RunId) -> None:
        """Begin a run whose row names this host. Returns at once."""
        ...


_host: Host | None = None


def use(host: Host | None) -> None:
    """Make `host` the one of this process; None for a process that executes nothing."""
    global _host
    _host = host


def current() -> Host | None:
    """Return the host of this process."""
    return _host
