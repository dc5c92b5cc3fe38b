"""What the practice model knows of a turn: the questions, what was done for them, and what can be done."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextContent,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from integrations.models.practice.language import language_of
from integrations.models.practice.words import Language

LISTED_FILE = re.compile(r'^- "([^"\n]+)" \([^)\n]*?, \d+ lines\)$', re.MULTILINE)
FILES_CAN_COME = "Files can be attached to this conversation"


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a tool."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Done:
    """A call and what came of it."""

    call: Call
    result: str
    went_well: bool


@dataclass(slots=True)
class Turn:
    """The turn as it stands."""

    questions: list[str] = field(default_factory=list[str])
    """What the person asked: one prompt, and what was added while the agent worked."""
    done: list[Done] = field(default_factory=list[Done])
    asked_for: list[Call] = field(default_factory=list[Call])
    """Every call made in this turn, whether a result came or not."""
    earlier: list[str] = field(default_factory=list[str])
    """The person's earlier prompts, newest first."""
    instructions: str = ""
    tools: tuple[str, ...] = ()

    @property
    def files(self) -> list[str]:
        """Names of the attached files that have text."""
        return LISTED_FILE.findall(self.instructions)

    @property
    def language(self) -> Language:
        """The language to answer in."""
        return language_of(*reversed(self.questions), *self.earlier)

    def result_of(self, call: Call) -> Done | None:
        """Return what came of a call."""
        return next((done for done in self.done if done.call == call), None)


def turn_of(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> Turn:
    """Read the newest turn out of a message history."""
    turn = Turn(
        instructions=instructions_of(messages, parameters),
        tools=tuple(tool.name for tool in parameters.function_tools),
    )
    start = _start(messages)
    turn.earlier = [text for message in reversed(messages[:start]) for text in _prompts(message)]
    calls: dict[str, Call] = {}
    for message in messages[start:]:
        turn.questions.extend(_prompts(message))
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                calls[part.tool_call_id] = Call(part.tool_name, part.args_as_dict())
            elif isinstance(part, ToolReturnPart) and part.tool_call_id in calls:
                well = part.outcome == "success"
                said = part.content if isinstance(part.content, str) else part.model_response_str()
                turn.done.append(Done(calls[part.tool_call_id], said, well))
    turn.asked_for = list(calls.values())
    return turn


def instructions_of(messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> str:
    """Return what the agent was told, given beside the messages or with the newest one that has it."""
    if parameters.instruction_parts is not None:
        return "\n\n".join(part.content for part in parameters.instruction_parts)
    told = (one.instructions for one in reversed(messages) if isinstance(one, ModelRequest))
    return next((text for text in told if text), "")


def _start(messages: Sequence[ModelMessage]) -> int:
    """Return the index of the message that opened the turn."""
    opening = [
        index for index, one in enumerate(messages) if _prompts(one) and not _was_added(messages, index)
    ]
    return opening[-1] if opening else 0


def _was_added(messages: Sequence[ModelMessage], index: int) -> bool:
    """Tell whether a prompt was added while the agent worked.

    Such a prompt stands beside results and carries the id of the run that the results are of; a new prompt
    after a turn that was stopped stands beside results of another run.
    """
    message = messages[index]
    if not index or not any(isinstance(part, ToolReturnPart) for part in message.parts):
        return False
    return message.run_id is not None and message.run_id == messages[index - 1].run_id


def _prompts(message: ModelMessage) -> list[str]:
    if isinstance(message, ModelResponse):
        return []
    return [_text_of(part) for part in message.parts if isinstance(part, UserPromptPart)]


def _text_of(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return part.content
    pieces = [
        one if isinstance(one, str) else one.content
        for one in part.content
        if isinstance(one, str | TextContent)
    ]
    return " ".join(pieces)
