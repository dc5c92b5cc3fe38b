"""Programs in the sandbox."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from agenticos_app.contracts.capability import SandboxResult
from integrations.sandbox.monty import PRINT_LIMIT, VALUE_LIMIT, MontySandbox


@pytest.fixture
async def sandbox() -> AsyncIterator[MontySandbox]:
    made = MontySandbox()
    yield made
    await made.close()


async def run(
    sandbox: MontySandbox, code: str, *, timeout_s: float = 1, memory_mb: int = 64
) -> SandboxResult:
    return await sandbox.run(code, timeout_s=timeout_s, memory_mb=memory_mb)


@pytest.mark.parametrize(
    ("code", "printed", "value"),
    [
        ("6 * 7", "", "42"),
        ("print(1)\nprint('ż')", "1\nż\n", ""),
        ("total = sum([1, 2])\nprint('so')\ntotal", "so\n", "3"),
        ("x = 5", "", ""),
        ("1, 2", "", "(1, 2)"),
        ("x = 3\nif x:\n  y = 1\nelse:\n  y = 2", "", ""),
        ("s = '''\nabc\ndef'''\ns", "", "'\\nabc\\ndef'"),
        ("s = '''\nabc\ndef'''", "", ""),
        ("for i in range(2):\n    print(i)\n", "0\n1\n", ""),
        ("import math\nround(math.pi, 3)  # three places\n# end\n", "", "3.142"),
        ("# nothing", "", ""),
        ("None", "", ""),
        ("import time\ntime.sleep(60)\n'awake'", "", "'awake'"),
    ],
)
async def test_a_program_shows_what_it_printed_and_its_last_value(
    sandbox: MontySandbox, code: str, printed: str, value: str
):
    assert await run(sandbox, code) == SandboxResult(printed=printed, value=value)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("undefined", "NameError: name 'undefined' is not defined"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import numpy", "ModuleNotFoundError: No module named 'numpy'"),
        ("raise ValueError('a\\nb')", "ValueError: a b"),
        ("raise MemoryError('own')", "MemoryError: own"),
        ("raise TimeoutError('own')", "TimeoutError: own"),
        ("open('/etc/passwd')", "PermissionError: Permission denied: '/etc/passwd'"),
    ],
)
async def test_the_programs_own_error_is_one_line(sandbox: MontySandbox, code: str, error: str):
    assert (await run(sandbox, code)).error == error


async def test_a_syntax_error_is_an_error_of_the_program(sandbox: MontySandbox):
    assert (await run(sandbox, "def f(:")).error.startswith("SyntaxError: ")
    assert (await run(sandbox, "x" * 300_000)).error.startswith("ValueError: the program is longer")


async def test_network_and_files_cannot_be_reached(sandbox: MontySandbox):
    for module in ("socket", "subprocess", "urllib", "io"):
        assert (await run(sandbox, f"import {module}")).error.startswith("ModuleNotFoundError")
    assert (await run(sandbox, "import os\nos.listdir('/')")).error.startswith("PermissionError")
    assert (await run(sandbox, "import os\nos.environ['HOME']")).error


async def test_an_endless_program_is_stopped_in_time(sandbox: MontySandbox):
    started = time.perf_counter()
    result = await run(sandbox, "print('begun')\nwhile True: pass", timeout_s=0.3)
    assert time.perf_counter() - started < 1.5
    assert result.stopped == "time"


@pytest.mark.parametrize(
    "code", ["'a' * 10**10", "x = []\nwhile True: x.append('a' * 1000)", "9**9**9", "'ab' * (3 * 10**7)"]
)
async def test_a_greedy_program_is_stopped(sandbox: MontySandbox, code: str):
    assert (await run(sandbox, code, timeout_s=10, memory_mb=32)).stopped == "memory"


async def test_too_much_print_stops_the_program_and_keeps_the_beginning(sandbox: MontySandbox):
    result = await run(sandbox, "while True: print('x' * 1000)", timeout_s=10)
    assert result.stopped == "output"
    assert result.printed.startswith("xxx")
    assert len(result.printed) <= PRINT_LIMIT


async def test_a_huge_value_does_not_cross_into_this_process(sandbox: MontySandbox):
    result = await run(sandbox, "'ab' * 10**7", memory_mb=256)
    assert len(result.value) == VALUE_LIMIT


async def test_nothing_is_kept_between_two_programs(sandbox: MontySandbox):
    await run(sandbox, "kept = 1")
    assert (await run(sandbox, "kept")).error.startswith("NameError")


async def test_programs_run_beside_each_other(sandbox: MontySandbox):
    results = await asyncio.gather(*(run(sandbox, f"sum(range({n}))") for n in range(20)))
    assert [result.value for result in results] == [str(sum(range(n))) for n in range(20)]


async def test_a_cancelled_program_frees_its_place_at_once(sandbox: MontySandbox):
    tasks = [asyncio.create_task(run(sandbox, "while True: pass", timeout_s=60)) for _ in range(6)]
    await asyncio.sleep(0.3)
    for task in tasks:
        task.cancel()
    assert all(
        isinstance(one, asyncio.CancelledError)
        for one in await asyncio.gather(*tasks, return_exceptions=True)
    )
    async with asyncio.timeout(1):
        assert (await run(sandbox, "1")).value == "1"


async def test_a_closed_sandbox_starts_again_with_the_next_program(sandbox: MontySandbox):
    assert (await run(sandbox, "1")).value == "1"
    await sandbox.close()
    await sandbox.close()
    assert (await run(sandbox, "2")).value == "2"
