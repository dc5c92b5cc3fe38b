"""Spec to agent. The only place that builds one; kept per frozen version."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError
from pydantic_ai import ToolDefinition
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings, merge_model_settings
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset

from agenticos_app.contracts.capability import AnyCapability, Offer, RunDeps, ToolInfo
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.ids import VersionId
from agenticos_app.runner.answer import AnswerSchema, UnusableSchema

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
    settings: ModelSettings | None
    """Of every request, on top of the profile's."""
    answer: AnswerSchema | None
    """What the answer must be; None for prose."""

    def told(self, deps: RunDeps) -> list[InstructionPart]:
        """Return what the model is told in a run: what never changes first, for the provider's cache."""
        at = deps.started_at
        parts = [InstructionPart(self.instructions)] if self.instructions else []
        varying = [f"Now it is {at:%A}, {at:%Y-%m-%d %H:%M} UTC.", *(brief(deps) for brief in self.briefings)]
        parts.extend(InstructionPart(text, dynamic=True) for text in varying if text)
        return parts

    def parameters(
        self, tools: list[ToolDefinition], instructions: list[InstructionPart]
    ) -> ModelRequestParameters:
        """Return what goes with the messages of a request."""
        if self.answer is not None:
            return self.answer.parameters(tools, instructions)
        return ModelRequestParameters(function_tools=tools, instruction_parts=instructions)


class Assembler:
    """Builds agents from the capabilities of this deployment."""

    def __init__(self, capabilities: Mapping[str, AnyCapability]) -> None:
        self._capabilities = capabilities
        self._kept: OrderedDict[VersionId, Assembled] = OrderedDict()

    def agent_for(self, version_id: VersionId | None, spec: AgentSpec) -> Assembled:
        """Return the agent of a frozen version, or of a draft, which has none.

        Raises:
            AssemblyFailed: The spec names an unknown capability, or settings that it does not take.
        """
        if version_id is None:
            return self.build(spec)
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
            settings=_settings(spec, offers),
            answer=_answer(spec),
        )


def _settings(spec: AgentSpec, offers: Sequence[Offer]) -> ModelSettings | None:
    """Return what capabilities and the author set, the author last."""
    settings: ModelSettings | None = None
    for offer in offers:
        settings = merge_model_settings(settings, offer.settings)
    chosen = spec.model_settings.model_dump(exclude_none=True)
    return merge_model_settings(settings, cast("ModelSettings", chosen)) if chosen else settings


def _answer(spec: AgentSpec) -> AnswerSchema | None:
    if spec.output_schema is None:
        return None
    try:
        return AnswerSchema(spec.output_schema)
    except UnusableSchema as error:
        raise AssemblyFailed("output schema") from error
