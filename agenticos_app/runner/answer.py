"""An answer that is data: asked of the model by its schema, and checked before the run ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import jsonschema_rs
from pydantic_ai import ToolDefinition
from pydantic_ai.messages import (
    InstructionPart,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition

TOOL = "final_answer"
"""The tool that gives the answer to models that have no other way to be held to a schema."""

DESCRIPTION = "Give the final answer. It ends your work, so call it alone and when everything else is done."
NOT_MADE = "This call was not made, because the answer came with it."
CORRECT = "The answer did not fit its schema: {problems}\nGive the whole answer again, corrected."
NOT_DATA = "it is no JSON object"
SHOWN_PROBLEMS = 8


class AnswerInvalid(Exception):
    """The model's answer did not fit the schema, and its correction did not either."""


class UnusableSchema(ValueError):
    """It is no JSON Schema, or it refers to another document."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """An answer that the model gave."""

    value: dict[str, object] | None
    """None when it does not fit."""
    was_prose: bool
    """It was streamed as text."""
    correction: ModelRequest
    """What the model is told when it does not fit."""


class AnswerSchema:
    """What the answer of one agent must be."""

    def __init__(self, schema: Mapping[str, object]) -> None:
        """Compile the schema; nothing is fetched that it refers to.

        Raises:
            UnusableSchema: See there.
        """
        self._schema: dict[str, Any] = {"type": "object", **schema}
        try:
            self._validator = jsonschema_rs.validator_for(
                self._schema, offline=True, pattern_options=jsonschema_rs.RegexOptions()
            )
        except (jsonschema_rs.ReferencingError, ValueError) as error:
            raise UnusableSchema from error

    def parameters(
        self, tools: list[ToolDefinition], instructions: list[InstructionPart]
    ) -> ModelRequestParameters:
        """Return the parameters of a request whose answer must fit, in the way that the model is best at."""
        answer = ToolDefinition(
            name=TOOL, description=DESCRIPTION, parameters_json_schema=self._schema, kind="output"
        )
        return ModelRequestParameters(
            function_tools=tools,
            output_mode="auto",
            output_tools=[answer],
            output_object=OutputObjectDefinition(json_schema=self._schema, name=TOOL),
            allow_text_output=False,
            instruction_parts=instructions,
        )

    def attempt(self, response: ModelResponse) -> Attempt | None:
        """Return the answer that a response gives; None when the model wants something else first."""
        call = next((call for call in response.tool_calls if call.tool_name == TOOL), None)
        if call is not None:
            value, problems = self._checked(_arguments(call))
            return Attempt(value=value, was_prose=False, correction=_to_call(call, response, problems))
        if response.tool_calls or not response.text:
            return None
        value, problems = self._checked(_document(response.text))
        told = UserPromptPart(CORRECT.format(problems=problems))
        return Attempt(value=value, was_prose=True, correction=ModelRequest(parts=[told]))

    def _checked(self, given: object) -> tuple[dict[str, object] | None, str]:
        if not isinstance(given, dict):
            return None, NOT_DATA
        errors = self._validator.iter_errors(given)
        problems = [
            f"{'.'.join(map(str, error.instance_path)) or 'answer'}: {error.message[:200]}"
            for error in errors
        ]
        if problems:
            return None, "; ".join(problems[:SHOWN_PROBLEMS])
        return cast("dict[str, object]", given), ""


def _to_call(call: ToolCallPart, response: ModelResponse, problems: str) -> ModelRequest:
    return ModelRequest(
        parts=[
            ToolReturnPart(
                one.tool_name,
                CORRECT.format(problems=problems) if one is call else NOT_MADE,
                one.tool_call_id,
                outcome="retried",
            )
            for one in response.tool_calls
        ]
    )


def _arguments(call: ToolCallPart) -> object:
    try:
        return call.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None


def _document(text: str) -> object:
    """Return what a text says as JSON, a fence around it or not; None when it is none."""
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        return cast("object", json.loads(bare))
    except ValueError:
        return None
