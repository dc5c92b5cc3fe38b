"""How two specs differ, in lines that a person can read before publishing."""

import json
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding
from agenticos_app.kernel.money import dollars
from agenticos_app.schemas.agents import SpecChange

LONGEST = 2_000
"""Characters of either side of a difference."""


def differences(before: AgentSpec, after: AgentSpec, names: Mapping[str, str]) -> list[SpecChange]:
    """Return what is different, in the order of the spec; `names` says what ids are called."""
    old, new = dict(_lines(before, names)), dict(_lines(after, names))
    places = [*new, *(place for place in old if place not in new)]
    changes = [*_of_text(before.instructions, after.instructions)]
    changes += [
        SpecChange(at=place, before=_cut(old.get(place, "")), after=_cut(new.get(place, "")))
        for place in places
        if old.get(place, "") != new.get(place, "")
    ]
    return changes


def _lines(spec: AgentSpec, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for variable in spec.variables:
        at = f"variables.{variable.name}"
        yield at, variable.default or "\N{EMPTY SET}"
        yield f"{at}.description", variable.description
    yield "model_profile_id", _named(spec.model_profile_id, names)
    for name, value in spec.model_settings.model_dump(exclude_none=True).items():
        yield f"model_settings.{name}", _shown(value)
    for binding in spec.capabilities:
        yield from _of_binding(binding, names)
    yield "output_schema", "" if spec.output_schema is None else _shown(spec.output_schema)
    yield "monthly_budget_usd", dollars(spec.monthly_budget_micros) or ""
    yield "run_budget_usd", dollars(spec.run_budget_micros) or ""
    yield "max_steps", str(spec.max_steps)


def _of_binding(binding: CapabilityBinding, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    at = f"capabilities.{binding.id}"
    yield at, "on" if binding.enabled else "off"
    for name, value in binding.config.items():
        yield f"{at}.config.{name}", _shown(value)
    yield f"{at}.secret_id", _named(binding.secret_id, names)
    yield f"{at}.approval", "" if binding.approval == "default" else binding.approval
    for tool, approval in binding.tool_approval.items():
        yield f"{at}.tool_approval.{tool}", approval
    for tool, override in binding.tool_overrides.items():
        for name, value in override.model_dump(exclude_none=True).items():
            yield f"{at}.tool_overrides.{tool}.{name}", _shown(value)


def _of_text(before: str, after: str) -> Iterator[SpecChange]:
    """Return the passages of the instructions that differ."""
    old, new = before.splitlines(), after.splitlines()
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            passage = [_cut("\n".join(lines)) for lines in (old[a:b], new[c:d])]
            yield SpecChange(at="instructions", before=passage[0], after=passage[1])


def _named(thing: object, names: Mapping[str, str]) -> str:
    return "" if thing is None else names.get(str(thing), str(thing))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
