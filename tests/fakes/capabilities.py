"""A capability that has everything a capability can have, and a registry with it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from pydantic_ai import RunContext
from pydantic_ai.toolsets import FunctionToolset

from agenticos_app import catalogue
from agenticos_app.contracts.capability import (
    AnyCapability,
    CapabilityDef,
    Category,
    KeyNeed,
    Offer,
    RunDeps,
    ToolInfo,
)
from agenticos_app.contracts.secrets import ApiKey
from agenticos_app.contracts.tool_text import tool_text
from agenticos_app.kernel.scopes import Scope
from agenticos_app.services import registry
from agenticos_app.wiring import CAPABILITIES

WORDS = Path(__file__).parent
ASK = tool_text("Ask for the weather of a place.", "One line; a sentence when nothing is known of the place.")
WARN = tool_text("Warn everybody of a storm.", "A sentence that says who was warned.")


class WeatherConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Literal["free", "paid"] = "free"
    days: int = Field(default=3, ge=1, le=14)


def build(config: WeatherConfig) -> Offer:
    tools = FunctionToolset[RunDeps]()

    @tools.tool(description=ASK)
    async def ask_weather(
        ctx: RunContext[RunDeps], place: Annotated[str, Field(description="Name of a town.")]
    ) -> str:
        key = ctx.deps.credentials.get("weather")
        end = key.api_key.get_secret_value()[-4:] if isinstance(key, ApiKey) else "no key"
        return f"{place}: sun for {config.days} days, asked with {end}"

    @tools.tool_plain(description=WARN)
    async def warn_all() -> str:
        return "warned"

    return Offer(toolset=tools)


WEATHER = cast(
    "AnyCapability",
    CapabilityDef(
        id="weather",
        category=Category.RESEARCH,
        icon="cloud",
        scopes=(Scope.WEB_READ,),
        config=WeatherConfig,
        tools=(
            ToolInfo(id="ask_weather", text=ASK, subject="place"),
            ToolInfo(id="warn_all", text=WARN, acts=True),
        ),
        build=build,
        key=KeyNeed(purposes=("brave",), field="source", values=("paid",)),
    ),
)


@contextmanager
def offering(
    *more: AnyCapability, granted: Sequence[Scope] = tuple(Scope)
) -> Iterator[dict[str, AnyCapability]]:
    """Let this process offer these capabilities too."""
    offered = {**CAPABILITIES, **{one.id: one for one in more}}
    before = registry._registry
    registry.use(registry.Registry(capabilities=offered, granted=frozenset(granted)))
    catalogue.CAPABILITIES.append(WORDS)
    catalogue.texts.cache_clear()
    try:
        yield offered
    finally:
        registry.use(before)
        catalogue.CAPABILITIES.remove(WORDS)
        catalogue.texts.cache_clear()
