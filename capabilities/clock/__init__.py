"""Date and time: tells an agent when it is asked."""

from agenticos_app.contracts.capability import CapabilityDef, Category
from capabilities.clock.config import ClockConfig
from capabilities.clock.telling import build

CAPABILITY = CapabilityDef(
    id="clock",
    category=Category.UTILITY,
    icon="clock",
    config=ClockConfig,
    tools=(),
    build=build,
)
