"""A capability's tools, called as a run calls them."""

from collections.abc import Callable

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ToolCallPart

from agenticos_app.contracts.capability import CapabilityDef, RunDeps
from tests.fakes.run_deps import run_tools


class Caller:
    """Calls one tool and tells how the call ended and what the model was told."""

    def __init__(self, capability: CapabilityDef[BaseModel], config: BaseModel) -> None:
        self._offer = capability.build(config)
        self.instructions = ""
        self.offered: list[str] = []

    async def __call__(self, deps: RunDeps, tool: str, **arguments: object) -> tuple[str, str]:
        assert self._offer.toolset is not None
        self.instructions = self._offer.instructions(deps) if self._offer.instructions else ""
        tools = run_tools(self._offer.toolset, deps)
        self.offered = [definition.name for definition in await tools.offer()]
        if not tool:
            return "", ""
        result = await tools.call(ToolCallPart(tool, arguments))
        return result.outcome, result.text


@pytest.fixture
def calling() -> Callable[[CapabilityDef[BaseModel], BaseModel], Caller]:
    return Caller
