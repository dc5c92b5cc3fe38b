"""How an author changes an agent's use of one capability: a spec in, a spec out.

What is changed of a capability that the agent does not have is kept for the day that it is switched on.
"""

from agenticos_app.contracts.spec import AgentSpec, Approval, CapabilityBinding, ToolOverride
from agenticos_app.kernel.ids import SecretId
from agenticos_app.services.templates import STARTER


def binding_of(spec: AgentSpec, capability_id: str) -> CapabilityBinding:
    """Return the agent's use of a capability; one that it never had is bound as a new agent's, and off."""
    found = (one for one in spec.capabilities if one.id == capability_id)
    return next(found, _as_new(capability_id).model_copy(update={"enabled": False}))


def _as_new(capability_id: str) -> CapabilityBinding:
    as_starter = (one for one in STARTER.spec.capabilities if one.id == capability_id)
    return next(as_starter, CapabilityBinding(id=capability_id))


def switched(spec: AgentSpec, capability_id: str, *, on: bool) -> AgentSpec:
    """Return the spec with the capability on or off; its settings stay."""
    return _with(spec, capability_id, enabled=on)


def removed(spec: AgentSpec, capability_id: str) -> AgentSpec:
    """Return the spec without the capability and what was set for it."""
    kept = tuple(one for one in spec.capabilities if one.id != capability_id)
    return spec.model_copy(update={"capabilities": kept})


def with_setting(spec: AgentSpec, capability_id: str, name: str, value: object) -> AgentSpec:
    """Return the spec with another value of one setting."""
    return _with(spec, capability_id, config={**binding_of(spec, capability_id).config, name: value})


def without_setting(spec: AgentSpec, capability_id: str, name: str) -> AgentSpec:
    """Return the spec with one setting left to its default."""
    config = binding_of(spec, capability_id).config
    return _with(spec, capability_id, config={one: value for one, value in config.items() if one != name})


def reset(spec: AgentSpec, capability_id: str) -> AgentSpec:
    """Return the spec with the settings that a new agent has; key, approvals and words of tools stay."""
    return _with(spec, capability_id, config=_as_new(capability_id).config)


def is_as_new(binding: CapabilityBinding) -> bool:
    """Tell whether the settings are those that a new agent has."""
    return binding.config == _as_new(binding.id).config


def with_key(spec: AgentSpec, capability_id: str, secret_id: SecretId | None) -> AgentSpec:
    """Return the spec with another key for the capability, or none."""
    return _with(spec, capability_id, secret_id=secret_id)


def with_approval(spec: AgentSpec, capability_id: str, tool_id: str, approval: Approval) -> AgentSpec:
    """Return the spec with another approval of one tool."""
    kept = binding_of(spec, capability_id).tool_approval
    others: dict[str, Approval] = {one: held for one, held in kept.items() if one != tool_id}
    changed = others if approval == "default" else {**others, tool_id: approval}
    return _with(spec, capability_id, tool_approval=changed)


def with_words(
    spec: AgentSpec,
    capability_id: str,
    tool_id: str,
    *,
    name: str | None = None,
    description: str | None = None,
) -> AgentSpec:
    """Return the spec with other words for one tool. None keeps what is there; empty: the tool's own.

    Raises:
        ValidationError: A name is longer than 64 characters, or a description than 8,000.
    """
    kept = binding_of(spec, capability_id).tool_overrides
    held = kept.get(tool_id, ToolOverride())
    words = ToolOverride(
        name=(held.name if name is None else name) or None,
        description=(held.description if description is None else description) or None,
    )
    others = {one: override for one, override in kept.items() if one != tool_id}
    changed = others if words == ToolOverride() else {**others, tool_id: words}
    return _with(spec, capability_id, tool_overrides=changed)


def without_tool(spec: AgentSpec, capability_id: str, tool_id: str) -> AgentSpec:
    """Return the spec without what is set for a tool."""
    return with_words(
        with_approval(spec, capability_id, tool_id, "default"),
        capability_id,
        tool_id,
        name="",
        description="",
    )


def _with(spec: AgentSpec, capability_id: str, **changes: object) -> AgentSpec:
    """Put a changed binding in the place of the first of its id; what is bound twice is bound once then."""
    changed = binding_of(spec, capability_id).model_copy(update=changes)
    if all(one.id != capability_id for one in spec.capabilities):
        return spec.model_copy(update={"capabilities": (*spec.capabilities, changed)})
    first = next(at for at, one in enumerate(spec.capabilities) if one.id == capability_id)
    kept = tuple(
        changed if at == first else one
        for at, one in enumerate(spec.capabilities)
        if at == first or one.id != capability_id
    )
    return spec.model_copy(update={"capabilities": kept})
