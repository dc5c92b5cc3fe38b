"""Agents as lists, cards and the Builder show them, and what is asked of them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.text import has_unseen

AgentStatus = Literal["draft", "published", "archived"]
"""`draft` was never published and cannot run; `archived` keeps its history and takes no new run."""
AgentVisibility = Literal["private", "org"]
Audience = Literal["everyone", "people", "me"]
"""Who can use it: the organization, its owner with the people it is shared with, its owner alone."""
How = Literal["created", "typing", "import", "rollback", "card"]
"""Which way a draft was changed last."""
ModelProblem = Literal["", "none", "gone", "no_key"]
"""What is wrong with the agent's model: none is chosen, the chosen one is gone, it has no key."""

MOST_CATEGORIES = 10
MOST_TAGS = 20


def _visible(text: str) -> str:
    if has_unseen(text):
        raise ValueError("unseen")
    return text


AgentName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128), AfterValidator(_visible)
]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=32), AfterValidator(_visible)
]
Categories = Annotated[list[Label], Field(max_length=MOST_CATEGORIES)]
Tags = Annotated[list[Label], Field(max_length=MOST_TAGS)]
Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
EnvironmentName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
VersionNumber = Annotated[int, Field(ge=1, le=2_147_483_647)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class AgentRow(_Frozen):
    """One agent, as pickers show it."""

    id: UUID
    name: str
    description: str
    live_version: int = Field(description="Published version in use; 0 before the first publish")
    may_run: bool
    changed_at: datetime


class AgentCard(_Frozen):
    """One agent of the catalogue."""

    id: UUID
    name: str
    slug: str = Field(description="Made of the first name and never changed")
    description: str
    status: AgentStatus
    live_version: int = Field(description="Version of the default environment; 0 before the first publish")
    latest_version: int = Field(description="0 before the first publish")
    draft_differs: bool = Field(description="The draft is not what was published last, or never was")
    visibility: str
    audience: Audience
    owner_user_id: UUID | None
    owner_name: str = Field(description="Empty when the account is gone")
    is_mine: bool
    avatar_version: str = Field(description="Changes with the picture; empty: there is none")
    categories: list[str]
    tags: list[str]
    model_label: str = Field(description="Of the live version, of the draft before the first publish")
    model_problem: ModelProblem
    context_length: int | None = Field(description="Tokens of that model; null: not known")
    monthly_budget_usd: str | None = Field(description="Cap of the live version, decimal; null: none")
    can_run: bool
    can_edit: bool
    can_publish: bool
    changed_at: datetime


class LabelCount(_Frozen):
    """A label and how many agents have it."""

    label: str
    agents: int


class AgentLabels(_Frozen):
    """The labels of the agents that the caller may see, most used first."""

    categories: list[LabelCount]
    tags: list[LabelCount]


class AgentCreate(BaseModel):
    """A new agent. It starts as a draft with what the template has."""

    name: AgentName
    description: Description = ""
    visibility: AgentVisibility = Field(default="org", description="`org`: everyone; `private`: its owner")
    user_ids: list[UUID] = Field(
        default_factory=list[UUID], max_length=100, description="Members who may use a private agent"
    )
    template: str = Field(
        default="", max_length=64, description="An id of `GET /agents/templates`; empty: the starter's"
    )


class AgentImport(BaseModel):
    """A new agent out of a file."""

    name: AgentName
    description: Description = ""
    visibility: AgentVisibility = "org"
    document: str = Field(max_length=1_000_000, description="What an export holds, YAML")


class AgentChange(BaseModel):
    """What is different; absent fields stay. None of it is published: it is so at once."""

    name: AgentName | None = None
    description: Description | None = None
    visibility: AgentVisibility | None = None
    categories: Categories | None = None
    tags: Tags | None = None


class Draft(_Frozen):
    """An agent's draft."""

    agent_id: UUID
    revision: int = Field(description="Send it back with a change")
    spec: AgentSpec
    changed_at: datetime
    changed_by: str = Field(description="Empty when the account is gone")
    how: How
    differs: bool = Field(description="It is not what was published last, or nothing was")


class DraftChange(BaseModel):
    """A draft in place of the one that the caller has seen."""

    revision: int = Field(ge=1, le=2_147_483_647, description="The one that was read")
    spec: AgentSpec


class DraftImport(BaseModel):
    """A file in place of the draft."""

    revision: int = Field(ge=1, le=2_147_483_647, description="The one that was read")
    document: str = Field(max_length=1_000_000, description="What an export holds, YAML")


class ProblemRow(_Frozen):
    """One reason why a draft cannot be published."""

    at: str = Field(description="Such as `capabilities.charts.config.width`; empty: no form can mark it")
    code: str
    details: dict[str, object]
    text: str = Field(description="What it is and what to do, in the reader's language")


class FieldProblemRow(_Frozen):
    """One field that a form can mark."""

    field: str
    message: str = Field(description="The code of the problem")


class Validation(_Frozen):
    """What stands in the way of publishing; nothing when both lists are empty."""

    problems: list[ProblemRow]
    fields: list[FieldProblemRow]


class Publish(BaseModel):
    """Freeze the draft as the next version."""

    note: Note = ""
    revision: int | None = Field(
        default=None, ge=1, le=2_147_483_647, description="Only this draft; null: whatever it is"
    )


class Rollback(BaseModel):
    """Publish an older version again."""

    version: VersionNumber
    note: Note = Field(default="", description="Empty: `rollback to v3`")


class VersionRow(_Frozen):
    """One published version."""

    id: UUID
    number: int
    note: str
    published_by: str = Field(description="Empty when the account is gone")
    published_at: datetime
    environments: list[str] = Field(description="Names of those that point to it")
    is_live: bool = Field(description="The default environment points to it")
    is_latest: bool


class VersionDetail(VersionRow):
    """One published version with all that it says."""

    spec: AgentSpec


class SpecChange(_Frozen):
    """One difference between two specs."""

    at: str = Field(description="Such as `capabilities.charts.config.width`")
    before: str = Field(description="Empty: it was not there")
    after: str = Field(description="Empty: it is not there")


class SpecChanges(_Frozen):
    """How two specs of an agent differ."""

    since: int = Field(description="The version compared with; 0: an empty one")
    until: int = Field(description="The version that is compared; 0: the draft")
    changes: list[SpecChange]


class EnvironmentRow(_Frozen):
    """A named pointer to a version."""

    id: UUID
    name: str
    version: int
    is_default: bool = Field(description="Doors that name no environment run this one")
    tracks_latest: bool = Field(description="Publishing moves it")
    behind_by: int = Field(description="Versions published after the one that it points to")
    tracing_secret_id: UUID | None = Field(description="Null also when the caller may not see it")
    tracing_service: str


class EnvironmentCreate(BaseModel):
    """A new environment."""

    name: EnvironmentName
    version: VersionNumber | None = Field(default=None, description="Null: the latest")
    tracks_latest: bool = False
    tracing_secret_id: UUID | None = Field(default=None, description="A token of the vault for Logfire")
    tracing_service: str = Field(default="", max_length=128)


class EnvironmentChange(BaseModel):
    """What is different; absent fields stay."""

    name: EnvironmentName | None = None
    tracks_latest: bool | None = None
    tracing_secret_id: UUID | None = None
    tracing_service: str | None = Field(default=None, max_length=128)


class Promotion(BaseModel):
    """The version that an environment shall point to."""

    version: VersionNumber


class TemplateRow(_Frozen):
    """An agent to begin with."""

    id: str
    industry: str
    industry_name: str
    name: str
    description: str
    capabilities: list[str]


class CapabilityEnabled(_Frozen):
    """What became of switching a capability on."""

    published_version: int = Field(description="0: it waits in the draft for the Builder")
    draft_revision: int


class CapabilityStanding(_Frozen):
    """How a capability stands with an agent, for one person."""

    agent_id: UUID
    state: Literal["missing", "draft", "live"] = Field(description="`draft`: on there, and not published yet")
    can_edit: bool


class CapabilityAsk(BaseModel):
    """What somebody asks the agent's owner for."""

    capability_id: str = Field(min_length=1, max_length=64)
    reason: str = Field(default="", max_length=500)


class CapabilityRequestRow(_Frozen):
    """A capability that somebody asks for."""

    id: UUID
    capability_id: str
    person: str
    reason: str
    asked_at: datetime


class AgentDeleted(_Frozen):
    """What went with the agent."""

    versions: int
    environments: int
    runs: int
