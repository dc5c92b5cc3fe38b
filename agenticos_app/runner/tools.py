"""The tools of one run: what is offered to the model, what a call returns.

A failing tool never ends a run: its error becomes a failed result that the model can read. Only limits and
cancellation go through.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog
from pydantic import ValidationError
from pydantic_ai import ModelRetry, RunContext, ToolDefinition, ToolFailed
from pydantic_ai.messages import ToolCallPart, ToolReturnPart
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from agenticos_app.contracts.capability import RunDeps, Shown
from agenticos_app.contracts.cards import Card
from agenticos_app.errors import AppError, LimitReached, Overloaded

log = structlog.get_logger()

TRIES = 4
"""How often a model may call a tool with arguments that do not work before it is told to go on without it."""

SHOWN_PROBLEMS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class CallResult:
    """What one call came to."""

    text: str
    outcome: Literal["success", "retried", "failed"]
    """`retried`: the model may call again with other arguments."""
    card: Card | None = None


class _Refused(Exception):
    """Other arguments could work; carries what the model is told."""


class RunTools:
    """Offers and calls the tools of one run."""

    def __init__(self, toolset: AbstractToolset[RunDeps], ctx: RunContext[RunDeps]) -> None:
        self._toolset = toolset
        self._ctx = ctx
        self._offered: dict[str, ToolsetTool[RunDeps]] = {}
        self._refused: Counter[str] = Counter()

    async def offer(self) -> list[ToolDefinition]:
        """Return what the model may call in its next step."""
        self._offered = await self._toolset.get_tools(self._ctx)
        return [tool.tool_def for tool in self._offered.values()]

    def is_sequential(self, name: str) -> bool:
        """Tell whether a call must have the run to itself."""
        tool = self._offered.get(name)
        return tool is not None and tool.tool_def.sequential

    async def call(self, call: ToolCallPart) -> CallResult:
        """Call a tool as the model asked.

        Raises:
            LimitReached: A limit that ends the run.
        """
        name = call.tool_name
        try:
            value = await self._called(call)
        except _Refused as refusal:
            self._refused[name] += 1
            last = self._refused[name] >= TRIES
            hint = (
                "This was the last try. Go on without this tool." if last else "Correct this and call again."
            )
            return CallResult(text=f"{refusal}\n{hint}", outcome="failed" if last else "retried")
        except ToolFailed as failure:
            return CallResult(text=failure.message, outcome="failed")
        except AppError as error:
            if isinstance(error, LimitReached) and not isinstance(error, Overloaded):
                raise
            return CallResult(
                text=f"The tool was refused ({error.code}). Go on without it.", outcome="failed"
            )
        except Exception as error:  # its text goes to the log alone
            log.exception("tool.failed", tool=name, run_id=str(self._ctx.deps.run_id))
            return CallResult(
                text=f"The tool failed ({type(error).__name__}). Go on without it.", outcome="failed"
            )
        self._refused.pop(name, None)
        if isinstance(value, Shown):
            return CallResult(text=value.text, outcome="success", card=value.card)
        return CallResult(
            text=ToolReturnPart(name, value, call.tool_call_id).model_response_str(), outcome="success"
        )

    async def _called(self, call: ToolCallPart) -> Any:  # what the tool returns
        tool = self._offered.get(call.tool_name)
        if tool is None:
            raise _Refused(f"There is no such tool. There are: {', '.join(self._offered) or 'none'}.")
        ctx = replace(
            self._ctx,
            tool_name=call.tool_name,
            tool_call_id=call.tool_call_id,
            retry=self._refused[call.tool_name],
            max_retries=TRIES - 1,
        )
        try:
            return await self._toolset.call_tool(call.tool_name, _validated(tool, call), ctx, tool)
        except ModelRetry as retry:
            raise _Refused(retry.message) from retry


def _validated(tool: ToolsetTool[RunDeps], call: ToolCallPart) -> dict[str, Any]:
    given = call.args
    try:
        if isinstance(given, str):
            return tool.args_validator.validate_json(given or "{}")
        return tool.args_validator.validate_python(given or {})
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, problem['loc'])) or 'arguments'}: {problem['msg']}"
            for problem in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        raise _Refused("The arguments did not fit. " + "; ".join(problems[:SHOWN_PROBLEMS])) from error
