"""Stored turns as the model's message history."""

from collections.abc import Callable, Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from agenticos_app.contracts.recording import PastCall, PastTurn


def messages_of(turns: Sequence[PastTurn], name_of: Callable[[str], str]) -> list[ModelMessage]:
    """Return the messages of these turns, both sides taking turns; a turn without any step is left out.

    `name_of` gives the name under which the model knows a tool now.
    What a person wrote twice without an answer between becomes one message: some providers take no other.
    """
    messages: list[ModelMessage] = []
    for turn in turns:
        if turn.role != "user":
            messages.extend(_answer(turn.steps, name_of))
            continue
        written = [UserPromptPart(str(step)) for step in turn.steps]
        last = messages[-1] if messages else None
        if isinstance(last, ModelRequest):
            messages[-1] = ModelRequest(parts=[*last.parts, *written])
        else:
            messages.append(ModelRequest(parts=written))
    return messages


def _answer(steps: Sequence[str | PastCall], name_of: Callable[[str], str]) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    said: list[ModelResponsePart] = []
    returned: list[ToolReturnPart] = []

    def close() -> None:
        if said:
            messages.append(ModelResponse(parts=list(said)))
        if returned:
            messages.append(ModelRequest(parts=list(returned)))
        said.clear()
        returned.clear()

    for step in steps:
        if isinstance(step, PastCall):
            name = name_of(step.tool)
            said.append(ToolCallPart(name, step.arguments, step.reference))
            returned.append(ToolReturnPart(name, step.result, step.reference))
            continue
        if returned:
            close()
        said.append(TextPart(step))
    close()
    return messages
