"""What a capability is to the platform."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from pydantic import BaseModel

from agenticos_app.contracts.cards import Card
from agenticos_app.contracts.secrets import Payload
from agenticos_app.kernel.ids import ConversationId, FileId, OrganizationId, RunId
from agenticos_app.kernel.scopes import Scope

if TYPE_CHECKING:  # half a second of a start, which only who runs models needs
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.toolsets import AbstractToolset

ConfigT = TypeVar("ConfigT", bound=BaseModel)


@dataclass(frozen=True, kw_only=True, slots=True)
class AttachedFile:
    """A file of the conversation whose text was read when it arrived."""

    id: FileId
    name: str
    size_bytes: int
    lines: int
    """Lines of its text; 0 when it has none."""


class FileTexts(Protocol):
    """Reads the text of the files of one conversation, outside of the database transaction."""

    async def text_of(self, file_id: FileId) -> str:
        """Return the whole text.

        Raises:
            NotFound: The file is not one of this conversation, or is gone.
        """
        ...


class CodeSandbox(Protocol):
    """Runs a small program apart from the server's process."""

    async def run(self, code: str, *, timeout_s: float, memory_mb: int) -> "SandboxResult":
        """Run the program and return what it printed and its last value.

        Raises:
            ExternalFailure: The sandbox itself is not available.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class SandboxResult:
    """What one program did."""

    printed: str = ""
    value: str = ""
    """`repr` of the last expression; empty when it is None."""
    error: str = ""
    """The program's own error, as one line; empty when it ended well."""
    stopped: str = ""
    """`time`, `memory` or `output` (it printed too much) when a limit ended it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunDeps:
    """What one run hands to its tools. Built before the run; tools never reach past it."""

    organization_id: OrganizationId
    run_id: RunId
    conversation_id: ConversationId | None
    started_at: datetime
    files: Sequence[AttachedFile] = ()
    file_texts: FileTexts | None = None
    sandbox: CodeSandbox | None = None
    credentials: Mapping[str, Payload] = field(default_factory=dict[str, Payload], repr=False)
    """Opened secrets by the id of the capability that they were given to."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values of the system variables that the instructions name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """What a tool returns that also has something to show to the person."""

    text: str
    """What the model reads."""
    card: Card


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolInfo:
    """One tool, as the Builder lists it."""

    id: str
    """Permanent: approvals and the audit log are keyed by it; also the name that the model calls."""
    text: str
    """Read by the model before a call and by the person who grants it."""
    subject: str = ""
    """The argument that a step's line names (`Searched for {subject}`); empty for none."""
    acts: bool = False
    """Changes something outside the run, so it can be put behind an approval."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """What a capability brings to one agent."""

    toolset: "AbstractToolset[RunDeps] | None" = None
    """Its tools; which of them are offered may depend on the run (`toolset.filtered`)."""
    instructions: Callable[[RunDeps], str] | None = None
    """What it tells the model at the start of a run; empty for nothing."""
    settings: "ModelSettings | None" = None
    """What it adds to every request."""


class Category(StrEnum):
    """Where the Builder lists a capability."""

    KNOWLEDGE = "knowledge"
    RESEARCH = "research"
    ANALYSIS = "analysis"
    REASONING = "reasoning"
    UTILITY = "utility"
    CHANNELS = "channels"
    TOOLS = "tools"


class Voice(StrEnum):
    """What becomes of a capability in a voice conversation."""

    LIVE = "live"
    """Works on the conversation's own model."""
    HAND_OFF = "hand_off"
    """Works in the agent's text model, to which the conversation hands the task."""
    NEVER = "never"


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyNeed:
    """A secret that a capability works with."""

    purposes: tuple[str, ...]
    """Which services' secrets it takes, ids of `contracts.secrets.PURPOSES`."""
    field: str = ""
    """A setting that decides whether a key is needed; empty: always."""
    values: tuple[str, ...] = ()
    """Values of that setting with which one is needed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CapabilityDef(Generic[ConfigT]):
    """A capability in the catalogue. What people read of it is in its folder's `en.json` and `pl.json`."""

    id: str
    """Permanent: published agents store it."""
    category: Category
    icon: str
    """Name of a lucide icon."""
    config: type[ConfigT]
    """Tuning that most authors leave alone has `json_schema_extra={"advanced": True}`."""
    build: Callable[[ConfigT], Offer]
    """Called once per frozen version, so it must keep no state of a run."""
    tools: tuple[ToolInfo, ...]
    scopes: tuple[Scope, ...] = ()
    key: KeyNeed | None = None
    voice: Voice = Voice.LIVE
    tunes_runs: bool = False
    """Listed in the folded group "Advanced"."""


AnyCapability = CapabilityDef[BaseModel]
