"""The registry of this deployment as the Builder draws it, in one language."""

from pydantic import BaseModel, ConfigDict, Field

from agenticos_app.contracts.capability import Category, Voice
from agenticos_app.kernel.scopes import Scope


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ToolRow(_Frozen):
    """One tool of a capability."""

    id: str = Field(description="Permanent; approvals and overrides are keyed by it")
    label: str
    sentence: str = Field(description="What it does, the first sentence of `text`")
    text: str = Field(description="All that the model is told of it")
    subject: str = Field(description="The argument that its step's line names; empty for none")
    acts: bool = Field(description="Changes something outside the run")


class KeyRow(_Frozen):
    """Which key a capability works with."""

    purposes: list[str] = Field(description="Services whose keys it takes")
    field: str = Field(description="The setting that decides whether it needs one; empty: it always does")
    values: list[str] = Field(description="Values of that setting with which it does")


class ScopeRow(_Frozen):
    """A class of abilities that the deployment grants as a whole."""

    id: Scope
    name: str
    granted: bool


class CapabilityRow(_Frozen):
    """One capability. An agent that binds it without settings has those of `default` in `config`."""

    id: str = Field(description="Permanent; specs bind it by this")
    name: str
    category: Category
    category_name: str
    icon: str = Field(description="Name of a lucide icon")
    does: str
    can: list[str] = Field(description="Two or three examples")
    needs: str
    never: str
    tools: list[ToolRow] = Field(description="Those it may offer; a run may be offered fewer")
    config: dict[str, object] = Field(
        description="JSON Schema of its settings. Each property has title, description and default;"
        " `advanced` marks tuning; `x-enum-labels` and `x-enum-icons` name and mark the values of an `enum`"
    )
    scopes: list[ScopeRow]
    key: KeyRow | None
    voice: Voice = Field(description="What becomes of it in a voice conversation")
    tunes_runs: bool = Field(description="Listed in the folded group of what tunes runs")
    recommended: bool = Field(description="The starter agent has it")
