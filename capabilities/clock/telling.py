"""What a run is told, and how it is put together."""

from zoneinfo import ZoneInfo

from agenticos_app.contracts.capability import Offer, RunDeps
from capabilities.clock import text
from capabilities.clock.config import ClockConfig


def build(config: ClockConfig) -> Offer:
    """Return the capability as one agent configured it."""
    zone = ZoneInfo(config.timezone)

    def now(deps: RunDeps) -> str:
        at = deps.started_at.astimezone(zone)
        return text.NOW.format(
            weekday=text.WEEKDAYS[at.weekday()], time=f"{at:%Y-%m-%d %H:%M}", zone=config.timezone
        )

    return Offer(instructions=now)
