"""Spec to agent. The only place that builds one; kept per frozen version."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from pydantic import ValidationError
from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings, merge_model_settings
from pydantic_ai.toolsets import AbstractToolset, CombinedToolset

from agenticos_app.contracts.built_in import SUGGEST
from agenticos_app.contracts.capability import AnyCapability, Offer, RunDeps, ToolInfo
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding, filled, varies
from agenticos_app.kernel.ids import VersionId
from agenticos_app.kernel.scopes import Scope
from agenticos_app.runner.answer import AnswerSchema, UnusableSchema
from agenticos_app.runner.failures import AssemblyFailed
from agenticos_app.runner.setup import setup_text, suggesting

KEPT_AGENTS = 256


@dataclass(frozen=True, kw_only=True, slots=True)
class Assembled:
    """An agent: what it is told, what it can do. Holds no state of any run."""

    spec: AgentSpec
    setup: str
    """What it is told of its own capabilities."""
    briefings: tuple[Callable[[RunDeps], str], ...]
    """What capabilities tell the model of a run."""
    toolset: AbstractToolset[RunDeps]
    tools: Mapping[str, ToolInfo]
    """By the names under which the model calls them."""
    settings: ModelSettings | None
    """What is added to every request; what neither author nor capability sets is not in it."""
    answer: AnswerSchema | None
    """What the answer must be; None for prose."""

    def told(self, deps: RunDeps) -> list[InstructionPart]:
        """Return what the model is told in a run: what never changes first, for the provider's cache."""
        written = InstructionPart(filled(self.spec, deps.variables), dynamic=varies(self.spec))
        briefings = (brief(deps) for brief in self.briefings)
        parts = [InstructionPart(self.setup), *(InstructionPart(text, dynamic=True) for text in briefings)]
        return [part for part in (written, *parts) if part.content]

    def name_of(self, tool_id: str) -> str:
        """Return the name under which the model knows a tool, also one that it has no more."""
        return next((name for name, info in self.tools.items() if info.id == tool_id), tool_id)

    def parameters(
        self, tools: list[ToolDefinition], instructions: list[InstructionPart]
    ) -> ModelRequestParameters:
        """Return what goes with the messages of a request."""
        if self.answer is not None:
            return self.answer.parameters(tools, instructions)
        return ModelRequestParameters(function_tools=tools, instruction_parts=instructions)


class Assembler:
    """Builds agents from the capabilities and scopes of this deployment."""

    def __init__(self, capabilities: Mapping[str, AnyCapability], granted: AbstractSet[Scope]) -> None:
        self._capabilities = capabilities
        self._granted = granted
        self._kept: OrderedDict[VersionId, Assembled] = OrderedDict()

    def agent_for(self, version_id: VersionId | None, spec: AgentSpec) -> Assembled:
        """Return the agent of a frozen version, or of a draft, which has none.

        Raises:
            AssemblyFailed: The spec names an unknown capability, gives one settings that it does not take, or
                needs a scope that is not granted now.
        """
        self._require_scopes(spec)
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
        has = [self._capability(binding) for binding in spec.enabled]
        lacks = [one for one in self._capabilities.values() if one not in has]
        offers = [_offer(one, binding) for one, binding in zip(has, spec.enabled, strict=True)]
        toolsets = [
            _worded(offer.toolset, binding)
            for offer, binding in zip(offers, spec.enabled, strict=True)
            if offer.toolset is not None
        ]
        tools = _tools(has, spec.enabled)
        if lacks:
            toolsets.append(suggesting(lacks))
            _add(tools, SUGGEST.id, SUGGEST)
        return Assembled(
            spec=spec,
            setup=setup_text(has, lacks),
            briefings=tuple(offer.instructions for offer in offers if offer.instructions),
            toolset=CombinedToolset(toolsets),
            tools=tools,
            settings=_settings(spec, offers),
            answer=_answer(spec),
        )

    def _capability(self, binding: CapabilityBinding) -> AnyCapability:
        capability = self._capabilities.get(binding.id)
        if capability is None:
            raise AssemblyFailed("assembly", f"This server has no capability {binding.id}.")
        return capability

    def _require_scopes(self, spec: AgentSpec) -> None:
        for binding in spec.enabled:
            for scope in self._capability(binding).scopes:
                if scope not in self._granted:
                    sentence = f"{binding.id} needs {scope}, which this server does not grant."
                    raise AssemblyFailed("scope_missing", sentence)


def _answer(spec: AgentSpec) -> AnswerSchema | None:
    if spec.output_schema is None:
        return None
    try:
        return AnswerSchema(spec.output_schema)
    except UnusableSchema as error:
        raise AssemblyFailed("assembly", "The schema of the answer cannot be used.") from error


def _offer(capability: AnyCapability, binding: CapabilityBinding) -> Offer:
    try:
        config = capability.config.model_validate(binding.config)
    except ValidationError as error:
        raise AssemblyFailed("assembly", f"The settings of {binding.id} do not fit any more.") from error
    return capability.build(config)


def _tools(has: Sequence[AnyCapability], bindings: Sequence[CapabilityBinding]) -> dict[str, ToolInfo]:
    tools: dict[str, ToolInfo] = {}
    for capability, binding in zip(has, bindings, strict=True):
        for tool in capability.tools:
            _add(tools, binding.name_of(tool.id), tool)
    return tools


def _add(tools: dict[str, ToolInfo], name: str, tool: ToolInfo) -> None:
    if name in tools:
        raise AssemblyFailed("assembly", f"Two tools are called {name}.")
    tools[name] = tool


def _worded(toolset: AbstractToolset[RunDeps], binding: CapabilityBinding) -> AbstractToolset[RunDeps]:
    """Return the tools in the author's words; what is set for a tool that is no more has no effect."""
    descriptions = {tool: one.description for tool, one in binding.tool_overrides.items() if one.description}
    names = {one.name: tool for tool, one in binding.tool_overrides.items() if one.name and one.name != tool}

    def describe(_ctx: RunContext[RunDeps], tools: list[ToolDefinition]) -> list[ToolDefinition]:
        return [replace(one, description=descriptions.get(one.name, one.description)) for one in tools]

    if descriptions:
        toolset = toolset.prepared(describe)
    return toolset.renamed(names) if names else toolset


def _settings(spec: AgentSpec, offers: Sequence[Offer]) -> ModelSettings | None:
    """Return the author's settings and what capabilities add; None when nothing is set."""
    written = spec.model_settings.model_dump(exclude_none=True)
    merged = ModelSettings(**written) if written else None
    for offer in offers:
        merged = merge_model_settings(merged, offer.settings)
    return merged
