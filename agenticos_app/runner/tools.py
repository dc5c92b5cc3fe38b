"""The tools of one run: what is offered to the model, what a call returns.

A failing tool never ends a run: its error becomes a failed result that the model can read. Only limits and
cancellation go through.
"""

from dataclasses import replace
from typing import Any

import structlog
from pydantic import ValidationError
from pydantic_ai import ModelRetry, RunContext, ToolDefinition
from pydantic_ai.messages import ToolCallPart, ToolReturnPart
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from agenticos_app.contracts.capability import RunDeps, Shown
from agenticos_app.runner.verdict import CORRECTABLE, EXPECTED, CallResult, verdict

log = structlog.get_logger()

SHOWN_PROBLEMS = 8


class RunTools:
    """Offers and calls the tools of one run."""

    def __init__(self, toolset: AbstractToolset[RunDeps], ctx: RunContext[RunDeps]) -> None:
        self._toolset = toolset
        self._ctx = ctx
        self._offered: dict[str, ToolsetTool[RunDeps]] = {}
        self._warned: set[str] = set()
        """Tools that were called in vain in an earlier step and have not worked since."""
        self._warned_now: set[str] = set()

    async def offer(self) -> list[ToolDefinition]:
        """Return what the model may call in its next step. Calls of one step do not correct each other."""
        self._warned |= self._warned_now
        self._warned_now.clear()
        self._offered = await self._toolset.get_tools(self._ctx)
        return [tool.tool_def for tool in self._offered.values()]

    def is_sequential(self, name: str) -> bool:
        """Tell whether a call must have the run to itself."""
        tool = self._offered.get(name)
        return tool is not None and tool.tool_def.sequential

    async def call(self, call: ToolCallPart) -> CallResult:
        """Call a tool as the model asked.

        Raises:
            LimitReached, BudgetExceeded: A limit that ends the run.
        """
        name = call.tool_name
        try:
            value = await self._called(call)
        except Exception as error:
            result = verdict(error, is_last=name in self._warned)
            if isinstance(error, CORRECTABLE):
                self._warned_now.add(name)
            else:
                self._warned.discard(name)
            if not isinstance(error, EXPECTED):
                log.exception("tool.failed", tool=name, run_id=str(self._ctx.deps.run_id))
            return result
        self._warned.discard(name)
        if isinstance(value, Shown):
            return CallResult(text=value.text, outcome="success", card=value.card)
        return CallResult(
            text=ToolReturnPart(name, value, call.tool_call_id).model_response_str(), outcome="success"
        )

    async def _called(self, call: ToolCallPart) -> Any:  # what the tool returns
        tool = self._offered.get(call.tool_name)
        if tool is None:
            raise ModelRetry(f"There is no such tool. There are: {', '.join(self._offered) or 'none'}.")
        ctx = replace(
            self._ctx,
            tool_name=call.tool_name,
            tool_call_id=call.tool_call_id,
            retry=int(call.tool_name in self._warned),
            max_retries=1,
        )
        return await self._toolset.call_tool(call.tool_name, _validated(tool, call), ctx, tool)


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
        raise ModelRetry("The arguments did not fit. " + "; ".join(problems[:SHOWN_PROBLEMS])) from error
