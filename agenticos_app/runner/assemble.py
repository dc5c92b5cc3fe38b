"""Spec to agent. The only place that builds one; kept per frozen version."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_ai import Agent, AgentRetries, RunContext
from pydantic_ai.capabilities import AbstractCapability

from agenticos_app.contracts.capability import AnyCapability, RunDeps, ToolInfo
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.ids import VersionId
from agenticos_app.runner.containment import TOOL_RETRIES, Containment

KEPT_AGENTS = 256


class AssemblyFailed(Exception):
    """The spec does not make an agent on this deployment."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """An agent and what its steps are called."""

    agent: Agent[RunDeps, str]
    tools: Mapping[str, ToolInfo]
    max_steps: int


def _today(ctx: RunContext[RunDeps]) -> str:
    """Say when it is: the run's start, in UTC."""
    at = ctx.deps.started_at
    return f"Now it is {at:%A}, {at:%Y-%m-%d %H:%M} UTC."


class Assembler:
    """Builds agents from the capabilities of this deployment."""

    def __init__(self, capabilities: Mapping[str, AnyCapability]) -> None:
        self._capabilities = capabilities
        self._kept: OrderedDict[VersionId, Assembled] = OrderedDict()

    def agent_for(self, version_id: VersionId, spec: AgentSpec) -> Assembled:
        """Return the agent of a frozen version.

        Raises:
            AssemblyFailed: The spec names an unknown capability, or settings that it does not take.
        """
        kept = self._kept.pop(version_id, None) or self.build(spec)
        self._kept[version_id] = kept
        if len(self._kept) > KEPT_AGENTS:
            self._kept.popitem(last=False)
        return kept

    def build(self, spec: AgentSpec) -> Assembled:
        """Build an agent that holds no state of any run.

        Raises:
            AssemblyFailed: See `agent_for`.
        """
        built: list[AbstractCapability[RunDeps]] = [Containment()]
        tools: dict[str, ToolInfo] = {}
        for binding in spec.capabilities:
            capability = self._capabilities.get(binding.id)
            if capability is None:
                raise AssemblyFailed(f"unknown capability {binding.id}")
            try:
                config = capability.config.model_validate(binding.config)
            except ValidationError as error:
                raise AssemblyFailed(f"settings of {binding.id}") from error
            built.append(capability.build(config))
            tools |= {tool.id: tool for tool in capability.tools}
        agent = Agent(
            None,
            output_type=str,
            deps_type=RunDeps,
            instructions=[text for text in (spec.instructions,) if text] + [_today],
            capabilities=built,
            retries=AgentRetries(tools=TOOL_RETRIES, output=2),
            defer_model_check=True,
        )
        return Assembled(agent=agent, tools=tools, max_steps=spec.max_steps)
