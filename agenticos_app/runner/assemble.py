"""Spec to agent. The only place that builds one; kept per frozen version."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_ai.messages import InstructionPart
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset

from agenticos_app.contracts.capability import AnyCapability, Offer, RunDeps, ToolInfo
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.ids import VersionId

KEPT_AGENTS = 256


class AssemblyFailed(Exception):
    """The spec does not make an agent on this deployment."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assembled:
    """An agent: what it is told, what it can do. Holds no state of any run."""

    instructions: str
    """The author's own."""
    briefings: tuple[Callable[[RunDeps], str], ...]
    """What capabilities tell the model of a run."""
    toolset: AbstractToolset[RunDeps]
    tools: Mapping[str, ToolInfo]
    max_steps: int

    def told(self, deps: RunDeps) -> list[InstructionPart]:
        """Return what the model is told in a run: what never changes first, for the provider's cache."""
        at = deps.started_at
        parts = [InstructionPart(self.instructions)] if self.instructions else []
        varying = [f"Now it is {at:%A}, {at:%Y-%m-%d %H:%M} UTC.", *(brief(deps) for brief in self.briefings)]
        parts.extend(InstructionPart(text, dynamic=True) for text in varying if text)
        return parts


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
        """Build the agent of a spec.

        Raises:
            AssemblyFailed: See `agent_for`.
        """
        offers: list[Offer] = []
        tools: dict[str, ToolInfo] = {}
        for binding in spec.enabled:
            capability = self._capabilities.get(binding.id)
            if capability is None:
                raise AssemblyFailed(f"unknown capability {binding.id}")
            try:
                config = capability.config.model_validate(binding.config)
            except ValidationError as error:
                raise AssemblyFailed(f"settings of {binding.id}") from error
            offers.append(capability.build(config))
            tools |= {tool.id: tool for tool in capability.tools}
        return Assembled(
            instructions=spec.instructions,
            briefings=tuple(offer.instructions for offer in offers if offer.instructions),
            toolset=CombinedToolset([offer.toolset for offer in offers if offer.toolset]),
            tools=tools,
            max_steps=spec.max_steps,
        )
