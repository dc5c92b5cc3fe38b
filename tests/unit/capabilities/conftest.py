"""A capability's tools, called as an agent calls them."""

from collections.abc import Callable

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agenticos_app.contracts.capability import CapabilityDef, RunDeps


class Caller:
    """Calls one tool and tells how the call ended and what the model was told."""

    def __init__(self, capability: CapabilityDef[BaseModel], config: BaseModel) -> None:
        self._capability = capability.build(config)
        self.instructions = ""
        self.offered: list[str] = []

    async def __call__(self, deps: RunDeps, tool: str, **arguments: object) -> tuple[str, str]:
        told: list[ToolReturnPart] = []

        def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            self.instructions = info.instructions or ""
            self.offered = [one.name for one in info.function_tools]
            told.extend(part for part in messages[-1].parts if isinstance(part, ToolReturnPart))
            return ModelResponse(
                parts=[TextPart("done") if told or not tool else ToolCallPart(tool, arguments)]
            )

        agent = Agent(FunctionModel(model), deps_type=RunDeps, capabilities=[self._capability])
        await agent.run("go", deps=deps)
        return (told[0].outcome, str(told[0].content)) if told else ("", "")


@pytest.fixture
def calling() -> Callable[[CapabilityDef[BaseModel], BaseModel], Caller]:
    return Caller
