"""The tool, and how it is put together."""

from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext, ToolFailed
from pydantic_ai.toolsets import FunctionToolset

from agenticos_app.contracts.capability import Offer, RunDeps, SandboxResult
from agenticos_app.kernel.text import clipped
from capabilities.code_execution import text
from capabilities.code_execution.config import CodeExecutionConfig

OUTPUT_LIMIT = 8_000
ERROR_LIMIT = 1_000
SO_FAR_LIMIT = 500


def build(config: CodeExecutionConfig) -> Offer:
    """Return the capability as one agent configured it."""
    tools = FunctionToolset[RunDeps]()

    @tools.tool(description=text.RUN_PYTHON)
    async def run_python(  # pyright: ignore[reportUnusedFunction]
        ctx: RunContext[RunDeps], code: Annotated[str, Field(description=text.ARGUMENT_CODE)]
    ) -> str:
        if not code.strip():
            raise ModelRetry(text.RETRY.format(error=text.EMPTY, hint="").rstrip())
        assert ctx.deps.sandbox is not None, "a deployment with this capability has a sandbox"
        result = await ctx.deps.sandbox.run(
            code, timeout_s=config.timeout_secs, memory_mb=config.max_memory_mb
        )
        return _told(result, config)

    return Offer(toolset=tools)


def _told(result: SandboxResult, config: CodeExecutionConfig) -> str:
    """Return what the model is told.

    Raises:
        ModelRetry: The program was wrong and can be corrected.
        ToolFailed: A limit stopped it.
    """
    if result.stopped == "output":
        return f"{_cut(result.printed)}\n{text.STOPPED_OUTPUT}"
    if result.stopped:
        printed = clipped(result.printed, SO_FAR_LIMIT)
        so_far = text.SO_FAR.format(printed=printed) if printed else ""
        form = text.STOPPED_TIME if result.stopped == "time" else text.STOPPED_MEMORY
        raise ToolFailed(
            form.format(seconds=config.timeout_secs, megabytes=config.max_memory_mb, so_far=so_far)
        )
    if result.error:
        hint = text.HINTS.get(result.error.partition(":")[0], "")
        raise ModelRetry(text.RETRY.format(error=clipped(result.error, ERROR_LIMIT), hint=hint).rstrip())
    value = text.VALUE.format(value=result.value) if result.value else ""
    shown = "\n".join(part for part in (result.printed.rstrip("\n"), value) if part)
    return _cut(shown) or text.NO_OUTPUT


def _cut(shown: str) -> str:
    if len(shown) <= OUTPUT_LIMIT:
        return shown
    note = text.CUT.format(left=len(shown) - OUTPUT_LIMIT)
    kept = OUTPUT_LIMIT - len(note) - 12
    return f"{shown[:kept]}\n{text.CUT.format(left=len(shown) - kept)}"
