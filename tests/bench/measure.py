"""What is measured: time, processor time of a process tree, memory; and how it is put into a line."""

import asyncio
import math
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import psutil


def family(pid: int) -> list[psutil.Process]:
    """Return a process and everything below it."""
    root = psutil.Process(pid)
    return [root, *root.children(recursive=True)]


def cpu_s(pid: int) -> float:
    """Return the processor seconds that a process tree has used."""
    total = 0.0
    for process in family(pid):
        times = process.cpu_times()
        total += times.user + times.system
    return total


def pss_mb(pid: int) -> float:
    """Return the proportional memory of a process tree."""
    return sum(process.memory_full_info().pss for process in family(pid)) / 1_000_000


def quantile(values: Sequence[float], q: float) -> float:
    """Return a quantile, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(q * len(ordered)) - 1))]


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a series of calls cost."""

    p50_ms: float
    p95_ms: float
    cpu_ms: float
    """Per call, of the server's process tree."""
    per_second: float


async def closed_loop(call: Callable[[], Awaitable[None]], *, parallel: int, calls: int, pid: int) -> Load:
    """Make `calls` calls, always `parallel` at once."""
    left, latencies = calls, list[float]()

    async def caller() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            began = time.perf_counter()
            await call()
            latencies.append((time.perf_counter() - began) * 1000)

    cpu_before, began = cpu_s(pid), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(parallel)))
    lasted, used = time.perf_counter() - began, cpu_s(pid) - cpu_before
    return Load(
        p50_ms=statistics.median(latencies),
        p95_ms=quantile(latencies, 0.95),
        cpu_ms=used * 1000 / calls,
        per_second=calls / lasted,
    )


def report(name: str, figures: Sequence[tuple[str, bool]], how: str) -> int:
    """Print the line of a script and return its exit code: 1 when a figure is missed."""
    shown = "; ".join(f"{text} [{'ok' if met else 'MISSED'}]" for text, met in figures)
    sys.stdout.write(f"{name}: {shown} ({how})\n")
    return 0 if all(met for _, met in figures) else 1
