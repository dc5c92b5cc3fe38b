"""Small Python programs in Monty: worker processes without files, network or a Python of their own.

Facts relied on, checked on pydantic-monty 1.4.0: no limit holds unless it is given; sleeping counts as no
time, so it is set to zero; printed text is limited by nothing, and only a cancelled feed stops at once; the
last expression's value crosses into this process whole, so only its cut `repr` may be the last expression.
"""

import asyncio
from collections.abc import Callable

import pydantic_monty as monty

from agenticos_app.contracts.capability import SandboxResult
from agenticos_app.errors import ExternalFailure

PROCESSES = 4
CHECKOUT_TIMEOUT_S = 30
PRINT_LIMIT = 200_000
VALUE_LIMIT = 20_000
ERROR_LIMIT = 2_000
CODE_LIMIT = 200_000
REST_S = 0.2
VALUE = "value_of_the_last_expression"
SHOW = f"'' if {VALUE} is None else repr({VALUE})[:{VALUE_LIMIT}]"


class MontySandbox:
    """One pool of workers for the process, started with the first program."""

    def __init__(self) -> None:
        self._pool: monty.AsyncMonty | None = None
        self._starting = asyncio.Lock()
        self._interrupted = False

    async def run(self, code: str, *, timeout_s: float, memory_mb: int) -> SandboxResult:
        """Run one program in a fresh session.

        Raises:
            ExternalFailure: No worker can be had.
        """
        if len(code) > CODE_LIMIT:
            return SandboxResult(error=f"ValueError: the program is longer than {CODE_LIMIT} characters")
        pool = await self._started()
        limits: monty.ResourceLimits = {
            "max_feed_duration_secs": timeout_s,
            "max_memory": memory_mb * 2**20,
            "max_total_sleep_secs": 0,
        }
        printed = _Printed()
        feeding = asyncio.create_task(_feed(pool, limits, code, printed))
        loop = asyncio.get_running_loop()
        printed.when_full = lambda: loop.call_soon_threadsafe(feeding.cancel)
        try:
            value = await feeding
        except asyncio.CancelledError:
            self._interrupted = True
            if printed.is_full and not _is_cancelled():
                return SandboxResult(printed=printed.text, stopped="output")
            raise
        except monty.MontyCrashedError as error:
            if error.timed_out:
                return SandboxResult(printed=printed.text, stopped="time")
            raise ExternalFailure(service="sandbox") from error
        except monty.MontyDisconnectError as error:
            raise ExternalFailure(service="sandbox") from error
        except monty.MontyError as error:
            return _failed(error, printed.text)
        except (TimeoutError, OSError, RuntimeError) as error:
            raise ExternalFailure(service="sandbox") from error
        return SandboxResult(printed=printed.text, value=value)

    async def close(self) -> None:
        """End all workers."""
        async with self._starting:
            pool, self._pool = self._pool, None
            if pool is None:
                return
            await pool.__aexit__(None, None, None)
        if self._interrupted:
            # An interrupted worker still reports back from a thread, which must not outlive the interpreter.
            await asyncio.sleep(REST_S)

    async def _started(self) -> monty.AsyncMonty:
        async with self._starting:
            if self._pool is None:
                pool = monty.AsyncMonty(
                    min_processes=0, max_processes=PROCESSES, checkout_timeout=CHECKOUT_TIMEOUT_S
                )
                try:
                    await pool.__aenter__()
                except (OSError, RuntimeError) as error:
                    raise ExternalFailure(service="sandbox") from error
                self._pool = pool
            return self._pool


class _Printed:
    """What a program printed, up to a limit, at which it is stopped."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._room = PRINT_LIMIT
        self.is_full = False
        self.when_full: Callable[[], object] = bool

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)

    def __call__(self, stream: str, text: str) -> None:
        """Take a piece; called from another thread."""
        self._pieces.append(text[: self._room])
        self._room -= len(text)
        if self._room < 0 and not self.is_full:
            self._room = 0
            self.is_full = True
            self.when_full()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _feed(pool: monty.AsyncMonty, limits: monty.ResourceLimits, code: str, printed: _Printed) -> str:
    """Run the program and return the `repr` of its last expression, cut; empty when it has none."""
    async with pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as worker:
        head, tail = _split(code)
        if tail:
            try:
                await worker.feed_run(f"{head}{VALUE} = (\n{tail}\n)\nNone", print_callback=printed)
            except monty.MontySyntaxError:
                pass  # The last lines are a statement; nothing has run yet.
            else:
                return str(await worker.feed_run(SHOW))
        await worker.feed_run(f"{code}\nNone", print_callback=printed)
        return ""


def _split(code: str) -> tuple[str, str]:
    """Return the program before its last line without indentation, and from there on."""
    lines = code.rstrip().splitlines(keepends=True)
    for index in range(len(lines) - 1, -1, -1):
        if lines[index][:1] not in " \t)]}#\r\n":
            return "".join(lines[:index]), "".join(lines[index:])
    return code, ""


def _failed(error: monty.MontyError, printed: str) -> SandboxResult:
    reason = error.exception()
    said = str(reason)[:ERROR_LIMIT]
    if isinstance(reason, TimeoutError) and said.startswith("feed time limit exceeded"):
        return SandboxResult(printed=printed, stopped="time")
    if isinstance(reason, MemoryError) and "memory limit" in said:
        return SandboxResult(printed=printed, stopped="memory")
    return SandboxResult(printed=printed, error=f"{type(reason).__name__}: {' '.join(said.split())}")
