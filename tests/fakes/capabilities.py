"""Capabilities that have everything a capability can have, and a registry with them."""

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


class GalleryConfig(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(default="Plan", max_length=40)
    note: str | None = Field(default=None, json_schema_extra={"format": "multiline"})
    count: int = Field(default=3, ge=1, le=14)
    ratio: float | None = Field(default=None, gt=0, le=1)
    strict: bool = False
    maybe: bool | None = None
    mode: Literal["fast", "careful"] = Field(
        default="fast", json_schema_extra={"x-enum-icons": {"fast": "zap", "careful": "shield"}}
    )
    tone: Literal["plain", "warm", "formal", "short"] | None = "warm"
    zone: str = Field(default="UTC", json_schema_extra={"format": "timezone"})
    words: list[str] = Field(default=[], max_length=3)
    parts: list[Literal["head", "body", "tail"]] = ["head"]
    code: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    limit: int = Field(default=10, ge=0, json_schema_extra={"advanced": True})
    prompt: str = Field(default="", json_schema_extra={"advanced": True, "format": "multiline"})


GALLERY = cast(
    "AnyCapability",
    CapabilityDef(
        id="gallery",
        category=Category.TOOLS,
        icon="shapes",
        config=GalleryConfig,
        tools=(),
        build=lambda _: Offer(),
        tunes_runs=True,
    ),
)
"""One setting of each kind that a form knows; tunes runs."""


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
