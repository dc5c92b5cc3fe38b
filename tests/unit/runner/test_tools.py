"""What a model hears of a call that went wrong, and how often it may try."""

import ast
import asyncio

import pytest
from pydantic_ai import ModelRetry, ToolFailed
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.toolsets import FunctionToolset

from agenticos_app.contracts.capability import RunDeps
from agenticos_app.contracts.money import BudgetExceeded
from agenticos_app.errors import ExternalFailure, Forbidden, LimitReached, NotFound, Overloaded
from agenticos_app.runner.tools import RunTools
from tests.architecture.test_shape import names, sources
from tests.fakes.run_deps import run_deps, run_tools

MORE = "This was the last try."


class Scripted:
    """A tool that raises or returns what it is told to, in order."""

    def __init__(self, *script: object) -> None:
        self._script = list(script)
        toolset = FunctionToolset[RunDeps]()
        toolset.add_function(self._tool, takes_ctx=False, name="tool")
        self.tools: RunTools = run_tools(toolset, run_deps())

    async def _tool(self, number: int = 0) -> str:
        """Do something."""
        next_ = self._script.pop(0)
        if isinstance(next_, Exception):
            raise next_
        return str(next_)

    async def step(self, *calls: ToolCallPart) -> list[tuple[str, str]]:
        await self.tools.offer()
        made = calls or (ToolCallPart("tool", {}),)
        results = await asyncio.gather(*(self.tools.call(call) for call in made))
        return [(one.outcome, one.text) for one in results]


@pytest.mark.req("CAP-FAIL-01", "CAP-FAIL-05", "CAP-FAIL-06")
@pytest.mark.parametrize("trouble", [ModelRetry("Use a number."), "wrong arguments", "no such tool"])
async def test_a_call_may_be_corrected_once_and_the_last_try_returns_its_message(
    trouble: ModelRetry | str,
) -> None:
    scripted = Scripted(trouble, trouble, trouble)
    call = ToolCallPart("tool", {"number": "x"} if trouble == "wrong arguments" else {})
    call = ToolCallPart("other", {}) if trouble == "no such tool" else call
    ((first, hint),) = await scripted.step(call)
    assert (first, "Correct this and call again." in hint) == ("retried", True)
    for _ in range(2):
        ((outcome, told),) = await scripted.step(call)
        assert (outcome, MORE in told) == ("failed", True)
        assert hint.split("\n")[0] in told


async def test_a_call_that_works_again_may_be_corrected_again() -> None:
    scripted = Scripted(ModelRetry("a"), "fine", ModelRetry("b"), ToolFailed("bad news"), ModelRetry("c"))
    assert [(await scripted.step())[0][0] for _ in range(5)] == [
        "retried", "success", "retried", "failed", "retried",
    ]  # fmt: skip


async def test_calls_beside_each_other_are_no_corrections_of_each_other() -> None:
    scripted = Scripted(*[ModelRetry("no")] * 4)
    two = (ToolCallPart("tool", {}), ToolCallPart("tool", {}))
    assert [outcome for outcome, _ in await scripted.step(*two)] == ["retried", "retried"]
    assert [outcome for outcome, _ in await scripted.step(*two)] == ["failed", "failed"]


@pytest.mark.req("CAP-FAIL-02")
@pytest.mark.parametrize(
    "outage",
    [ExternalFailure(service="search"), Overloaded(2), TimeoutError("secret-text"), ConnectionResetError()],
    ids=lambda one: type(one).__name__,
)
async def test_an_outage_is_tried_again_and_never_reads_as_nothing_found(outage: Exception) -> None:
    scripted = Scripted(outage, outage)
    ((first, told),) = await scripted.step()
    assert first == "retried"
    assert "got no answer" in told
    assert "says nothing about what you asked for" in told
    assert "secret-text" not in told
    ((second, told),) = await scripted.step()
    assert (second, MORE in told) == ("failed", True)


@pytest.mark.req("CAP-FAIL-03")
async def test_bad_news_is_a_result() -> None:
    scripted = Scripted("No hits.", ToolFailed("The program was stopped."))
    assert await scripted.step() == [("success", "No hits.")]
    assert await scripted.step() == [("failed", "The program was stopped.")]


@pytest.mark.req("CAP-FAIL-04")
@pytest.mark.parametrize("refusal", [Forbidden(permission="agents:run"), NotFound()])
async def test_a_refusal_is_told_and_invites_no_second_try(refusal: Exception) -> None:
    ((outcome, told),) = await Scripted(refusal).step()
    assert outcome == "failed"
    assert "was refused" in told
    assert "call again" not in told


async def test_a_strangers_error_stays_in_the_log() -> None:
    ((outcome, told),) = await Scripted(RuntimeError("password=hunter2")).step()
    assert (outcome, told) == ("failed", "The tool failed (RuntimeError). Go on without it.")


@pytest.mark.parametrize(
    "limit", [LimitReached(3), BudgetExceeded("agent", 5)], ids=lambda one: type(one).__name__
)
async def test_a_limit_of_the_run_ends_it(limit: Exception) -> None:
    with pytest.raises(type(limit)):
        await Scripted(limit).step()


@pytest.mark.req("CAP-FAIL-07")
def test_one_place_decides() -> None:
    """Whoever catches what tools raise decides too; only the verdict may."""
    raised = {"ToolFailed", "ModelRetry", "UnexpectedModelBehavior"}
    deciding = {
        path
        for path, tree in sources("agenticos_app/runner", "capabilities")
        for handler in ast.walk(tree)
        if isinstance(handler, ast.ExceptHandler) and handler.type and names(handler.type) & raised
    }
    assert deciding == set()
