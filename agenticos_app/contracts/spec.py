"""An agent is data: the spec that an author writes and a version freezes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agenticos_app.kernel.ids import ModelProfileId, SecretId

FORMAT = 2
"""Number of the format that is written now; what is older is upgraded when it is read."""

HARD_STEP_LIMIT = 100
"""Model requests of one run when the spec sets no lower limit."""

LONGEST_OUTPUT_SCHEMA = 16_384
"""Bytes of JSON."""

Approval = Literal["default", "required", "never"]
"""Whether somebody is asked before a call; `default` asks nobody."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolOverride(_Strict):
    """What the model is told of one tool in place of our own words."""

    name: str | None = Field(default=None, max_length=64)
    description: str | None = Field(default=None, max_length=8_000)


class CapabilityBinding(_Strict):
    """One agent's use of one capability. Tools are named by their permanent ids."""

    id: str = Field(min_length=1, max_length=64)
    enabled: bool = Field(default=True, description="False keeps the settings and contributes nothing.")
    config: dict[str, object] = Field(
        default_factory=dict, description="Validated by the capability's model."
    )
    secret_id: SecretId | None = Field(
        default=None, description="The secret that meets the capability's need of a key."
    )
    approval: Approval = "default"
    tool_approval: dict[str, Approval] = Field(default_factory=dict)
    tool_overrides: dict[str, ToolOverride] = Field(default_factory=dict)

    def name_of(self, tool_id: str) -> str:
        """Return the name under which the model knows a tool."""
        override = self.tool_overrides.get(tool_id)
        return (override and override.name) or tool_id


class Variable(_Strict):
    """A value that the instructions name as `{{name}}` and that the asker's door may fill."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    description: str = Field(default="", max_length=200)
    default: str = Field(default="", max_length=2_000)


class ModelSettings(_Strict):
    """How this agent asks its model. What is not set is the profile's, and left out where that has none."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    parallel_tool_calls: bool | None = None


class AgentSpec(_Strict):
    """What an agent is. Stored whole in each version; upgraded by `format` when it is read."""

    format: Literal[2] = FORMAT
    instructions: str = Field(default="", max_length=100_000)
    variables: tuple[Variable, ...] = Field(default=(), max_length=50)
    model_profile_id: ModelProfileId | None = Field(
        default=None, description="Must be chosen before the first publish."
    )
    model_settings: ModelSettings = ModelSettings()
    capabilities: tuple[CapabilityBinding, ...] = Field(default=(), max_length=100)
    output_schema: dict[str, object] | None = Field(
        default=None, description="JSON Schema of an object that the answer must be."
    )
    monthly_budget_micros: int | None = Field(
        default=None, ge=0, description="Millionths of a dollar that the agent may spend in a calendar month"
    )
    run_budget_micros: int | None = Field(
        default=None, ge=0, description="Millionths of a dollar that one run may spend"
    )
    max_steps: int = Field(default=HARD_STEP_LIMIT, ge=1, le=HARD_STEP_LIMIT)

    @property
    def enabled(self) -> tuple[CapabilityBinding, ...]:
        """Return the capabilities that are switched on."""
        return tuple(binding for binding in self.capabilities if binding.enabled)


SYSTEM_VARIABLES = ("date", "time", "agent_name", "organization_name")
"""What instructions may name undeclared; date (`2030-01-31`) and time (`09:30`) are the run's, in UTC."""

_NAMED = re.compile(r"{{\s*([A-Za-z_]\w*)\s*}}")


def names_of(instructions: str) -> list[str]:
    """Return the variables that instructions name, once each."""
    return list(dict.fromkeys(_NAMED.findall(instructions)))


def undeclared(spec: AgentSpec) -> list[str]:
    """Return the variables that the instructions name and nobody declares."""
    known = {*SYSTEM_VARIABLES, *(variable.name for variable in spec.variables)}
    return [name for name in names_of(spec.instructions) if name not in known]


def varies(spec: AgentSpec) -> bool:
    """Tell whether the instructions are other ones in each run."""
    return not {"date", "time"}.isdisjoint(names_of(spec.instructions))


def filled(spec: AgentSpec, system: Mapping[str, str]) -> str:
    """Return the instructions with the values of their variables; unknown ones stay as they are written."""
    values = {**{variable.name: variable.default for variable in spec.variables}, **system}
    return _NAMED.sub(lambda found: values.get(found[1], found[0]), spec.instructions)


class NewerFormat(ValueError):
    """The document was written by a later release."""


def read_spec(document: Mapping[str, object]) -> AgentSpec:
    """Return a stored spec of any format up to today's.

    Raises:
        NewerFormat: It was written by a later release.
        ValueError: It is not a spec.
    """
    written = document.get("format", 1)
    if isinstance(written, int) and written > FORMAT:
        raise NewerFormat(f"format {written}")
    return AgentSpec.model_validate({**document, "format": FORMAT})  # 2 added fields with defaults alone


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One reason why a spec cannot be published."""

    at: str
    """Where it is, as `capabilities.charts.config.width`; empty when no form can mark it."""
    code: str
    """i18n key `problem.*`."""
    details: Mapping[str, object] = field(default_factory=dict[str, object])
    """Values that the sentence is filled with."""
