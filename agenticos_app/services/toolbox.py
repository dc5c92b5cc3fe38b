"""The Toolbox of one agent: what the registry offers, and how a draft uses it."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from agenticos_app.catalogue import said
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding, Problem
from agenticos_app.schemas.agents import CapabilityRequestRow
from agenticos_app.schemas.capabilities import CapabilityRow, KeyRow, ToolRow
from agenticos_app.schemas.toolbox import (
    CapabilityCard,
    CapabilityGroup,
    KeyPicker,
    Leftover,
    OpenedCapability,
    RequestLine,
    SettingRow,
    ToolLine,
    ToolWords,
)
from agenticos_app.services import setting_forms
from agenticos_app.services.bindings import binding_of, is_as_new, with_setting, without_setting
from agenticos_app.services.setting_forms import fields_of, is_advanced, leaves_open, setting_row, value_of

Rows = Sequence[CapabilityRow]
Problems = Sequence[Problem]


def cards(rows: Rows, spec: AgentSpec, problems: Problems, language: str) -> list[CapabilityCard]:
    """Return a card for every capability, in the registry's order."""
    return [_card(row, binding_of(spec, row.id), _of(problems, row.id), language) for row in rows]


def _card(
    row: CapabilityRow, binding: CapabilityBinding, problems: Mapping[str, Problem], language: str
) -> CapabilityCard:
    key = problems.get("secret_id")
    return CapabilityCard(
        id=row.id,
        name=row.name,
        icon=row.icon,
        does=row.does,
        can=" · ".join(row.can),
        needs=row.needs,
        never=row.never,
        lacking=_withheld(row, language) or (_sentence(key, language) if key and binding.enabled else ""),
        recommended=row.recommended,
        is_on=binding.enabled,
        problems=len(problems) if binding.enabled else 0,
    )


def _withheld(row: CapabilityRow, language: str) -> str:
    """Return which abilities a capability needs and the server keeps back, as a sentence."""
    withheld = [scope.name for scope in row.scopes if not scope.granted]
    return said(language, "toolbox.not_granted", {"scopes": ", ".join(withheld)}) if withheld else ""


def _of(problems: Problems, capability_id: str) -> dict[str, Problem]:
    """Return the first problem of each place in one capability, by the place; empty: the whole of it."""
    prefix, found = f"capabilities.{capability_id}", dict[str, Problem]()
    for one in problems:
        if one.at == prefix or one.at.startswith(f"{prefix}."):
            found.setdefault(one.at[len(prefix) + 1 :], one)
    return found


def _sentence(problem: Problem, language: str) -> str:
    return said(language, f"problem.{problem.code}", problem.details)


def grouped(found: Iterable[CapabilityCard], rows: Rows) -> list[CapabilityGroup]:
    """Return the cards by the category that the registry lists them under."""
    category = {row.id: row.category_name for row in rows}
    return [
        CapabilityGroup(name=name, cards=list(cards))
        for name, cards in groupby(found, key=lambda card: category[card.id])
    ]


def matches(row: CapabilityRow, sought: str) -> bool:
    """Tell whether each word of a search is in what people read of a capability or of its tools."""
    words = [row.name, row.category_name, row.does, *row.can, row.needs, row.never]
    for tool in row.tools:
        words += [tool.label, tool.sentence]
    text = _plain(" ".join(words))
    return all(word in text for word in _plain(sought).split())


def _plain(text: str) -> str:
    """Return the text in small letters without accents: many search without typing them."""
    parts = unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
    return "".join(one for one in parts if not unicodedata.combining(one))


def unknown(rows: Rows, spec: AgentSpec) -> list[str]:
    """Return what the agent binds and this deployment does not have."""
    known = {row.id for row in rows}
    return list(dict.fromkeys(one.id for one in spec.capabilities if one.id not in known))


def opened(row: CapabilityRow, spec: AgentSpec, problems: Problems, language: str) -> OpenedCapability:
    """Return a capability with all that may be set of it.

    `problems` are those that the draft has with this capability switched on.
    """
    binding, found = binding_of(spec, row.id), _of(problems, row.id)
    fields = fields_of(row.config)
    forms: dict[bool, list[SettingRow]] = {False: [], True: []}
    for name, field in fields.items():
        at = f"capabilities.{row.id}.config.{name}"
        problem = _config_problem(found, name, language)
        forms[is_advanced(field)].append(setting_row(field, name, at, binding.config, problem, language))
    return OpenedCapability(
        id=row.id,
        name=row.name,
        icon=row.icon,
        does=row.does,
        can=row.can,
        needs=row.needs,
        never=row.never,
        lacking=_withheld(row, language) or (row.needs if "secret_id" in found else ""),
        is_on=binding.enabled,
        is_changed=not is_as_new(binding),
        settings=forms[False],
        advanced=forms[True],
        tools=[_tool(tool, binding, found, language) for tool in row.tools],
        key=_key(row, binding, found, language),
        leftovers=_leftovers(row, found, language),
    )


def advanced_is_set(row: CapabilityRow, binding: CapabilityBinding) -> bool:
    """Tell whether one of the folded settings has been set."""
    return any(name in binding.config and is_advanced(field) for name, field in fields_of(row.config).items())


def set_to(spec: AgentSpec, row: CapabilityRow, name: str, typed: str) -> AgentSpec:
    """Return the spec with a setting as it was typed; unchanged when there is no such one."""
    field = fields_of(row.config).get(name)
    if field is None:
        return spec
    if leaves_open(field, typed):
        return without_setting(spec, row.id, name)
    return with_setting(spec, row.id, name, value_of(field, typed))


def ticked(spec: AgentSpec, row: CapabilityRow, name: str, typed: str) -> AgentSpec:
    """Return the spec with one value more or less in a setting that has several."""
    field = fields_of(row.config).get(name)
    if field is None:
        return spec
    chosen = binding_of(spec, row.id).config.get(name, field.get("default"))
    return with_setting(spec, row.id, name, setting_forms.ticked(field, chosen, typed))


def _config_problem(found: Mapping[str, Problem], name: str, language: str) -> str:
    place = f"config.{name}"
    for at, problem in found.items():
        if at == place or at.startswith(f"{place}."):
            return said(language, f"error.field.{problem.details['reason']}")
    return ""


def _tool(tool: ToolRow, binding: CapabilityBinding, found: Mapping[str, Problem], language: str) -> ToolLine:
    return ToolLine(
        id=tool.id,
        label=tool.label,
        sentence=tool.sentence,
        acts=tool.acts,
        approval=binding.tool_approval.get(tool.id, "default"),
        name=binding.name_of(tool.id),
        has_words=tool.id in binding.tool_overrides,
        problem=_name_problem(found, tool.id, language),
    )


def _name_problem(found: Mapping[str, Problem], tool_id: str, language: str) -> str:
    problem = found.get(f"tool_overrides.{tool_id}.name")
    return "" if problem is None else _sentence(problem, language)


def words_of(tool: ToolRow, binding: CapabilityBinding, problem: str) -> ToolWords:
    """Return what the model is told of a tool, with the author's part of it."""
    override = binding.tool_overrides.get(tool.id)
    description = (override and override.description) or ""
    return ToolWords(
        id=tool.id,
        name=(override and override.name) or "",
        description=description,
        told_name=binding.name_of(tool.id),
        told=description or tool.text,
        name_problem=problem,
    )


def _key(
    row: CapabilityRow, binding: CapabilityBinding, found: Mapping[str, Problem], language: str
) -> KeyPicker | None:
    """Return the picker where a key is needed as things are set, or is given though it is not."""
    need = row.key if row.key is not None and _is_needed(row.key, row, binding) else None
    if need is None and binding.secret_id is None:
        return None
    problem = found.get("secret_id")
    return KeyPicker(
        is_needed=need is not None,
        purposes=[] if need is None else need.purposes,
        chosen=str(binding.secret_id or ""),
        at=f"capabilities.{row.id}.secret_id",
        problem="" if problem is None else _sentence(problem, language),
    )


def _is_needed(need: KeyRow, row: CapabilityRow, binding: CapabilityBinding) -> bool:
    if not need.field:
        return True
    default = fields_of(row.config)[need.field].get("default")
    return binding.config.get(need.field, default) in need.values


def _leftovers(row: CapabilityRow, found: Mapping[str, Problem], language: str) -> list[Leftover]:
    left: dict[tuple[str, str], Leftover] = {}
    for at, problem in found.items():
        place = at.partition(".")[0]
        if problem.code in ("config_unexpected", "tool_unknown"):
            kind = "tool" if problem.code == "tool_unknown" else "setting"
            name = str(problem.details["tool" if kind == "tool" else "field"])
            whole = f"capabilities.{row.id}.{place}.{name}"
            left.setdefault(
                (kind, name), Leftover(kind=kind, name=name, at=whole, problem=_sentence(problem, language))
            )
    return list(left.values())


def requested(rows: Rows, found: Iterable[CapabilityRequestRow]) -> list[RequestLine]:
    """Return who asks for what, as far as this deployment has it."""
    names = {row.id: row.name for row in rows}
    return [
        RequestLine(
            id=str(one.id),
            capability_id=one.capability_id,
            name=names[one.capability_id],
            person=one.person,
            reason=one.reason,
        )
        for one in found
        if one.capability_id in names
    ]
