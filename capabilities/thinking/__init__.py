"""Thinking: lets the model reason before it answers."""

from agenticos_app.contracts.capability import CapabilityDef, Category
from capabilities.thinking.asking import build
from capabilities.thinking.config import ThinkingConfig

CAPABILITY = CapabilityDef(
    id="thinking",
    category=Category.REASONING,
    icon="brain",
    config=ThinkingConfig,
    tools=(),
    build=build,
)
