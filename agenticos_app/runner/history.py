"""Stored turns as the model's message history."""

from collections.abc import Sequence

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


def messages_of(turns: Sequence[PastTurn]) -> list[ModelMessage]:
    """Return the messages of earlier turns; a turn without any step is left out."""
    messages: list[ModelMessage] = []
    for turn in turns:
        if turn.role == "user":
            messages.append(ModelRequest(parts=[UserPromptPart(str(step)) for step in turn.steps]))
        else:
            messages.extend(_answer(turn.steps))
    return messages


def _answer(steps: Sequence[str | PastCall]) -> list[ModelMessage]:
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
            said.append(ToolCallPart(step.tool, step.arguments, step.reference))
            returned.append(ToolReturnPart(step.tool, step.result, step.reference))
            continue
        if returned:
            close()
        said.append(TextPart(step))
    close()
    return messages
