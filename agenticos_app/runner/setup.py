"""What every agent is told of itself, and the tool with which it points at what it lacks."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry
from pydantic_ai.toolsets import FunctionToolset

from agenticos_app.catalogue import SOURCE, said
from agenticos_app.contracts.built_in import SUGGEST
from agenticos_app.contracts.capability import AnyCapability, RunDeps, Shown
from agenticos_app.contracts.cards import CapabilityCard

LONGEST_REASON = 500

_HEAD = "# Your setup"
_HAS = "Capabilities that you have:"
_LACKS = "Capabilities that exist here and that you do not have (id, name, what it does):"
_NOTHING = "- none"
_RULE = (
    "Describe as your abilities only what you have. When somebody asks for what you do not have, say that "
    "you cannot do it now and what would have to be enabled for it{how}; never act as if you had it."
)
_HOW = f", and call {SUGGEST.id} with its id"
_ARGUMENT_CAPABILITY = "Id of the capability that is missing, one of those that your setup lists."
_ARGUMENT_REASON = (
    f"Why the question needs it, one sentence for the person, at most {LONGEST_REASON} characters."
)
_SHOWN = (
    "The person was shown a card for {name}. It is not enabled now: say in a sentence what you cannot do "
    "without it, and answer the rest."
)
_UNKNOWN = 'There is no missing capability {given}. Call it as {tool}(capability="{example}", reason="...").'


def setup_text(has: Sequence[AnyCapability], lacks: Sequence[AnyCapability]) -> str:
    """Return what the instructions say of an agent's capabilities."""
    lines = [_HEAD, _HAS, *([f"- {_name(one)}: {_does(one)}" for one in has] or [_NOTHING])]
    if lacks:
        lines += [_LACKS, *(f"- {one.id}, {_name(one)}: {_does(one)}" for one in lacks)]
    return "\n".join([*lines, _RULE.format(how=_HOW if lacks else "")])


def suggesting(lacks: Sequence[AnyCapability]) -> FunctionToolset[RunDeps]:
    """Return the tool that shows a person which of these capabilities a question needs."""
    known = {one.id: one for one in lacks}
    tools = FunctionToolset[RunDeps]()
    choices = Field(description=_ARGUMENT_CAPABILITY, json_schema_extra={"enum": list(known)})
    reasons = Field(description=_ARGUMENT_REASON, max_length=LONGEST_REASON)

    @tools.tool_plain(description=SUGGEST.text)
    async def suggest_capability(  # pyright: ignore[reportUnusedFunction]
        capability: Annotated[str, choices], reason: Annotated[str, reasons]
    ) -> Shown:
        if capability not in known:
            raise ModelRetry(
                _UNKNOWN.format(given=capability[:64], tool=SUGGEST.id, example=next(iter(known)))
            )
        shown = _SHOWN.format(name=_name(known[capability]))
        return Shown(text=shown, card=CapabilityCard(capability=capability, reason=reason))

    return tools


def _name(one: AnyCapability) -> str:
    return said(SOURCE, f"capability.{one.id}.name")


def _does(one: AnyCapability) -> str:
    return said(SOURCE, f"capability.{one.id}.does")
