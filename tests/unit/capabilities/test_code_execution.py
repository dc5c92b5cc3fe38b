"""Calculations."""

from collections.abc import AsyncIterator, Callable

import pytest
from pydantic import ValidationError

from agenticos_app.contracts.capability import SandboxResult
from capabilities.code_execution import CAPABILITY
from capabilities.code_execution.config import CodeExecutionConfig
from integrations.sandbox.monty import MontySandbox
from tests.fakes.run_deps import ScriptedSandbox, run_deps
from tests.unit.capabilities.conftest import Caller

Calling = Callable[..., Caller]


@pytest.fixture
def call(calling: Calling) -> Caller:
    return calling(CAPABILITY, CodeExecutionConfig())


@pytest.fixture
async def sandbox() -> AsyncIterator[MontySandbox]:
    made = MontySandbox()
    yield made
    await made.close()


@pytest.mark.req("CAP-CODE-01")
async def test_a_program_is_computed(call: Caller, sandbox: MontySandbox):
    deps = run_deps(sandbox=sandbox)
    assert await call(deps, "run_python", code="print(0.17 * 2340)") == ("success", "397.8")
    assert await call(deps, "run_python", code="print('so')\n6 * 7") == ("success", "so\nValue: 42")


@pytest.mark.req("CAP-CODE-06")
async def test_nothing_is_kept_between_two_calls(call: Caller, sandbox: MontySandbox):
    deps = run_deps(sandbox=sandbox)
    assert await call(deps, "run_python", code="kept = 42\nkept") == ("success", "Value: 42")
    outcome, told = await call(deps, "run_python", code="kept")
    assert (outcome, "NameError" in told) == ("retried", True)


async def test_a_program_that_shows_nothing_is_told_how_to(call: Caller, sandbox: MontySandbox):
    outcome, told = await call(run_deps(sandbox=sandbox), "run_python", code="x = 5")
    assert outcome == "success"
    assert "Print the result" in told


@pytest.mark.req("CAP-CODE-02", "CAP-CODE-06", "CAP-CODE-08", "CAP-FAIL-01")
@pytest.mark.parametrize(
    ("code", "reason", "hint"),
    [
        ("total = price * 2", "NameError: name 'price' is not defined", "nothing is kept from earlier calls"),
        ("import socket", "No module named 'socket'", "Import only the modules"),
        ("import numpy", "No module named 'numpy'", "Import only the modules"),
        ("class A(list): pass", "class inheritance", "Only a subset of Python"),
        ("open('x')", "Permission denied", "put the data into the program"),
        ("1 / 0", "ZeroDivisionError: division by zero", "run_python(code="),
        ("  ", "The program is empty.", "run_python(code="),
    ],
)
async def test_an_error_of_the_program_is_a_retry_that_shows_a_correct_call(
    call: Caller, sandbox: MontySandbox, code: str, reason: str, hint: str
):
    outcome, told = await call(run_deps(sandbox=sandbox), "run_python", code=code)
    assert outcome == "retried"
    assert reason in told
    assert hint in told
    assert "run_python(code=" in told


@pytest.mark.req("CAP-CODE-03")
async def test_a_program_over_its_time_is_stopped_and_the_result_says_so(
    calling: Calling, sandbox: MontySandbox
):
    call = calling(CAPABILITY, CodeExecutionConfig(timeout_secs=0.2))
    outcome, told = await call(
        run_deps(sandbox=sandbox), "run_python", code="print('begun')\nwhile True: pass"
    )
    assert outcome == "failed"
    assert "stopped after 0.2 seconds" in told


@pytest.mark.req("CAP-CODE-04")
async def test_a_program_over_its_memory_is_stopped_and_the_result_says_so(
    calling: Calling, sandbox: MontySandbox
):
    call = calling(CAPABILITY, CodeExecutionConfig(max_memory_mb=16))
    outcome, told = await call(run_deps(sandbox=sandbox), "run_python", code="print('begun')\n'a' * 10**10")
    assert outcome == "failed"
    assert "more than 16 MB" in told
    assert "Printed until then: begun" in told


@pytest.mark.req("CAP-CODE-07")
async def test_long_output_is_cut_and_the_cut_is_stated(call: Caller):
    sandbox = ScriptedSandbox(SandboxResult(printed="x" * 8000, value="'end'"))
    outcome, told = await call(run_deps(sandbox=sandbox), "run_python", code="any")
    assert outcome == "success"
    assert len(told) <= 8000
    kept = told.count("x")
    assert told.endswith(f"[{8000 + len(chr(10) + 'Value: ') + 5 - kept} more characters not shown]")
    exact = ScriptedSandbox(SandboxResult(printed="x" * 8000))
    assert await call(run_deps(sandbox=exact), "run_python", code="any") == ("success", "x" * 8000)


async def test_a_program_that_prints_without_end_is_stopped_and_the_result_says_so(
    call: Caller, sandbox: MontySandbox
):
    outcome, told = await call(run_deps(sandbox=sandbox), "run_python", code="while True: print('x' * 100)")
    assert outcome == "success"
    assert "printed too much" in told
    assert len(told) < 8200


@pytest.mark.req("CAP-CODE-05")
async def test_the_limits_of_the_agent_reach_the_sandbox(calling: Calling):
    sandbox = ScriptedSandbox()
    call = calling(CAPABILITY, CodeExecutionConfig(timeout_secs=2.5, max_memory_mb=512))
    await call(run_deps(sandbox=sandbox), "run_python", code="print(1)")
    assert sandbox.limits == [(2.5, 512)]


@pytest.mark.req("CAP-CODE-03", "CAP-CODE-04", "CAP-CODE-05")
@pytest.mark.parametrize(
    "wrong",
    [
        {"timeout_secs": 0},
        {"timeout_secs": 121},
        {"max_memory_mb": 15},
        {"max_memory_mb": 4097},
        {"network": True},
    ],
)
def test_limits_outside_their_bounds_are_refused(wrong: dict[str, object]):
    with pytest.raises(ValidationError):
        CodeExecutionConfig.model_validate(wrong)


@pytest.mark.req("CAP-CODE-03", "CAP-CODE-04")
def test_the_default_limits_are_ten_seconds_and_256_megabytes():
    config = CodeExecutionConfig()
    assert (config.timeout_secs, config.max_memory_mb) == (10, 256)
