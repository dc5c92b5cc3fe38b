"""How requests ask for reasoning."""

from pydantic_ai.settings import ModelSettings

from agenticos_app.contracts.capability import Offer
from capabilities.thinking.config import ThinkingConfig


def build(config: ThinkingConfig) -> Offer:
    """Return the capability as one agent configured it."""
    return Offer(settings=ModelSettings(thinking=config.effort or True))
