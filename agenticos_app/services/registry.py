"""The capabilities of this deployment: what the Builder shows of them, what is wrong with a use of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from agenticos_app.catalogue import listed, said
from agenticos_app.contracts.built_in import BUILT_IN
from agenticos_app.contracts.capability import AnyCapability, Category, KeyNeed
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding, Problem, undeclared
from agenticos_app.contracts.tool_text import first_sentence
from agenticos_app.kernel.scopes import Scope
from agenticos_app.schemas.capabilities import CapabilityRow, KeyRow, ScopeRow, ToolRow
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services.config_forms import form_of
from agenticos_app.services.templates import STARTER

CALLABLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A name that every provider lets a model call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Registry:
    """What this deployment offers."""

    capabilities: Mapping[str, AnyCapability]
    granted: frozenset[Scope]


_registry: Registry | None = None


def use(registry: Registry | None) -> None:
    """Make `registry` this process's; set by the composition root."""
    global _registry
    _registry = registry


def current() -> Registry:
    """Return the registry of this deployment."""
    assert _registry is not None, "start the platform first"
    return _registry


def catalogue(language: str) -> list[CapabilityRow]:
    """Return every capability in a language, by category and name."""
    recommended = {binding.id for binding in STARTER.spec.enabled}
    order = list(Category)
    rows = [_row(one, language, one.id in recommended) for one in current().capabilities.values()]
    return sorted(rows, key=lambda row: (order.index(row.category), row.name.casefold()))


def needs_key(binding: CapabilityBinding) -> KeyNeed | None:
    """Return which key a binding works with as it is set; None when it works with none."""
    capability = current().capabilities.get(binding.id)
    if capability is None or capability.key is None:
        return None
    need = capability.key
    if not need.field:
        return need
    try:
        config = capability.config.model_validate(binding.config)
    except ValidationError:
        return None
    return need if getattr(config, need.field) in need.values else None


def check(spec: AgentSpec) -> list[Problem]:
    """Return all reasons why a spec cannot be published that lie in its capabilities and variables.

    Whether a key exists and fits is the business of who publishes: see `needs_key`.
    """
    found = [*_of_variables(spec), *_of_bindings(spec)]
    for binding in spec.enabled:
        capability = current().capabilities.get(binding.id)
        if capability is not None:
            found += _of_scopes(capability)
            found += _of_config(capability, binding)
            found += _of_key(capability, binding)
            found += _of_tools(capability, binding)
    return [*found, *_of_names(spec)]


def _row(one: AnyCapability, language: str, is_recommended: bool) -> CapabilityRow:
    return CapabilityRow(
        id=one.id,
        name=said(language, f"capability.{one.id}.name"),
        category=one.category,
        category_name=said(language, f"registry.category.{one.category}"),
        icon=one.icon,
        does=said(language, f"capability.{one.id}.does"),
        can=list(listed(language, f"capability.{one.id}.can")),
        needs=said(language, f"capability.{one.id}.needs"),
        never=said(language, f"capability.{one.id}.never"),
        tools=[
            ToolRow(
                id=tool.id,
                label=said(language, f"capability.{one.id}.tools.{tool.id}.label"),
                sentence=first_sentence(tool.text),
                text=tool.text,
                subject=tool.subject,
                acts=tool.acts,
            )
            for tool in one.tools
        ],
        config=form_of(one, language),
        scopes=[
            ScopeRow(
                id=scope, name=said(language, f"registry.scope.{scope.name.lower()}"), granted=_grants(scope)
            )
            for scope in one.scopes
        ],
        key=_key_row(one.key),
        voice=one.voice,
        tunes_runs=one.tunes_runs,
        recommended=is_recommended,
    )


def _key_row(need: KeyNeed | None) -> KeyRow | None:
    return need and KeyRow(purposes=list(need.purposes), field=need.field, values=list(need.values))


def _grants(scope: Scope) -> bool:
    return scope in current().granted


def _of_variables(spec: AgentSpec) -> Iterator[Problem]:
    for name in undeclared(spec):
        yield Problem(at="instructions", code="variable_unknown", details={"name": name})


def _of_bindings(spec: AgentSpec) -> Iterator[Problem]:
    seen: set[str] = set()
    for binding in spec.capabilities:
        if binding.id in seen:
            yield _problem(binding.id, "", "capability_twice")
        elif binding.id not in current().capabilities:
            yield _problem(binding.id, "", "capability_unknown")
        seen.add(binding.id)


def _of_scopes(capability: AnyCapability) -> Iterator[Problem]:
    for scope in capability.scopes:
        if not _grants(scope):
            yield _problem(capability.id, "", "scope_missing", scope=scope.value)


def _of_config(capability: AnyCapability, binding: CapabilityBinding) -> Iterator[Problem]:
    try:
        capability.config.model_validate(binding.config)
    except ValidationError as error:
        for one in problems_of(error):
            field = one["field"]
            named = field.partition(".")[0]
            code = "config" if named in capability.config.model_fields else "config_unexpected"
            yield _problem(binding.id, f".config.{field}", code, field=named, reason=one["message"])


def _of_key(capability: AnyCapability, binding: CapabilityBinding) -> Iterator[Problem]:
    is_needed = needs_key(binding) is not None
    if is_needed and binding.secret_id is None:
        yield _problem(capability.id, ".secret_id", "key_missing")
    elif not is_needed and binding.secret_id is not None:
        yield _problem(capability.id, ".secret_id", "key_unused")


def _of_tools(capability: AnyCapability, binding: CapabilityBinding) -> Iterator[Problem]:
    known = {tool.id for tool in capability.tools}
    for place, named in (
        ("tool_approval", binding.tool_approval),
        ("tool_overrides", binding.tool_overrides),
    ):
        for tool in named:
            if tool not in known:
                yield _problem(binding.id, f".{place}.{tool}", "tool_unknown", tool=tool)
    for tool, override in binding.tool_overrides.items():
        if override.name is not None and not CALLABLE.fullmatch(override.name):
            at = f".tool_overrides.{tool}.name"
            yield _problem(binding.id, at, "tool_name", tool=tool, name=override.name)


def _of_names(spec: AgentSpec) -> Iterator[Problem]:
    taken = {tool.id for tool in BUILT_IN}
    for binding in {binding.id: binding for binding in spec.enabled}.values():
        capability = current().capabilities.get(binding.id)
        for tool in capability.tools if capability else ():
            name = binding.name_of(tool.id)
            if name in taken:
                yield _problem(
                    binding.id, f".tool_overrides.{tool.id}.name", "tool_name_twice", tool=tool.id, name=name
                )
            taken.add(name)


def _problem(capability: str, at: str, code: str, **details: object) -> Problem:
    return Problem(
        at=f"capabilities.{capability}{at}", code=code, details={"capability": capability, **details}
    )
