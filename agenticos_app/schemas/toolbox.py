"""The Toolbox of one agent as the Builder draws it, in one language."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agenticos_app.contracts.spec import Approval

Control = Literal["line", "lines", "number", "switch", "segment", "select", "entries", "ticks", "timezone"]
"""What a setting is changed with: `entries` is one text a line, `ticks` several of a choice."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class CapabilityCard(_Frozen):
    """One capability in the list."""

    id: str
    name: str
    icon: str
    does: str
    can: str
    needs: str
    never: str
    lacking: str = Field(description="What it needs and does not have; empty when nothing is in the way")
    recommended: bool
    is_on: bool
    problems: int = Field(description="Reasons why the agent cannot be published that lie in it")


class CapabilityGroup(_Frozen):
    """The capabilities of one category."""

    name: str
    cards: list[CapabilityCard]


class OptionRow(_Frozen):
    """One value of a choice."""

    value: str
    label: str
    icon: str = Field(description="Name of a lucide icon; empty for none")
    chosen: bool


class SettingRow(_Frozen):
    """One field of a form."""

    name: str
    at: str = Field(description="Where problems name it, such as `capabilities.charts.config.width`")
    label: str
    hint: str
    control: Control
    value: str = Field(description="As it is typed; `true` of a switch that is on; empty: left open")
    default: str = Field(description="What holds when it is left open")
    options: list[OptionRow]
    longest: int = Field(description="Characters that can be typed")
    is_whole: bool = Field(description="Of a number: without a fraction")
    problem: str


class ToolLine(_Frozen):
    """One tool of the opened capability."""

    id: str
    label: str
    sentence: str
    acts: bool
    approval: Approval
    name: str = Field(description="The name that the model sees")
    has_words: bool = Field(description="Name or description are the author's")
    problem: str


class ToolWords(_Frozen):
    """What the model is told of one tool."""

    id: str
    name: str = Field(description="The author's; empty: the tool's own")
    description: str = Field(description="The author's; empty: the tool's own")
    told_name: str
    told: str = Field(description="All that the model reads before it calls it")
    name_problem: str


class KeyPicker(_Frozen):
    """Which key the opened capability works with."""

    is_needed: bool
    purposes: list[str]
    chosen: str = Field(description="Id of a secret; empty for none")
    at: str
    problem: str


class Leftover(_Frozen):
    """Something that is set for the opened capability and that it does not know."""

    kind: Literal["setting", "tool"]
    name: str
    at: str
    problem: str


class OpenedCapability(_Frozen):
    """One capability with all that may be set of it."""

    id: str
    name: str
    icon: str
    does: str
    can: list[str]
    needs: str
    never: str
    lacking: str
    is_on: bool
    is_changed: bool = Field(description="Its settings are not those that a new agent has")
    settings: list[SettingRow]
    advanced: list[SettingRow]
    tools: list[ToolLine]
    key: KeyPicker | None
    leftovers: list[Leftover]


class RequestLine(_Frozen):
    """Somebody asks for a capability."""

    id: str
    capability_id: str
    name: str
    person: str
    reason: str
