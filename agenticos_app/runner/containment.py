"""Keeps a failing tool from ending a run: its error becomes a failed result that the model can read."""

from dataclasses import dataclass
from typing import Any

import structlog
from pydantic_ai import ModelRetry, RunContext, ToolDefinition, ToolFailed
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import ValidatedToolArgs, WrapToolExecuteHandler
from pydantic_ai.exceptions import ToolRetryError
from pydantic_ai.messages import ToolCallPart

from agenticos_app.contracts.capability import RunDeps
from agenticos_app.errors import AppError, LimitReached

log = structlog.get_logger()

TOOL_RETRIES = 3
"""How often a model may repeat a call with other arguments before it is told to go on without."""


@dataclass
class Containment(AbstractCapability[RunDeps]):
    """Wraps every tool, whoever wrote it. Only limits and cancellation end the run."""

    async def wrap_tool_execute(
        self,
        ctx: RunContext[RunDeps],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        handler: WrapToolExecuteHandler,
    ) -> Any:  # what the tool returns
        """Turn the last refused try into a failed result instead of the end of the run."""
        try:
            return await handler(args)
        except (ModelRetry, ToolRetryError) as error:
            if not ctx.last_attempt:
                raise
            reason = error.message if isinstance(error, ModelRetry) else "The arguments did not fit."
            raise ToolFailed(f"{reason}\nThis was the last try. Go on without this tool.") from error

    async def on_tool_execute_error(
        self,
        ctx: RunContext[RunDeps],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: ValidatedToolArgs,
        error: Exception,
    ) -> Any:
        """Turn a tool's own exception into a failed result; its text goes to the log alone."""
        if isinstance(error, LimitReached):
            raise error
        if isinstance(error, AppError):
            raise ToolFailed(f"The tool was refused ({error.code}). Go on without it.") from error
        log.error("tool.failed", tool=tool_def.name, run_id=str(ctx.deps.run_id), exc_info=error)
        raise ToolFailed(f"The tool failed ({type(error).__name__}). Go on without it.") from error
