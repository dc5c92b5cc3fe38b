"""The second start to a page that works, and the memory of an idle server."""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import time

import psutil
from playwright.async_api import Page

from agenticos_app.ops import programs
from agenticos_app.ops.place import ROOT
from tests.bench.browsing import browser
from tests.bench.deployment import place
from tests.bench.measure import pss_mb, report
from tests.services import free_port


async def usable(page: Page, port: int) -> float:
    """Return when the sign-in page can be worked with: the time at which the server answered."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except OSError:
            await asyncio.sleep(0.02)
    writer.close()
    await page.goto(f"http://127.0.0.1:{port}/sign-in", wait_until="commit")
    answered = time.perf_counter()
    await page.locator("form input").first.wait_for()
    await page.locator("form button").first.click(trial=True)
    return answered


def listening(port: int) -> int:
    """Return the process that was started to listen on a port: granian's own, its workers are below it."""
    return min(
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if {"--port", str(port)} <= set(process.info["cmdline"] or [])
    )


async def main() -> int:
    port = free_port()
    settings = {"PORT": str(port), "DATABASE_URL": "", "REDIS_URL": ""}
    taken: list[tuple[float, float]] = []
    memory = 0.0
    with place() as where:
        env = programs.environment(AGENTICOS_HOME=str(where.home), **settings)
        async with browser() as chromium:
            for _ in range(3):
                page = await chromium.new_page()
                began = time.perf_counter()
                process = programs.start(["make", "run"], cwd=ROOT, env=env, output=subprocess.DEVNULL)
                try:
                    answered = await usable(page, port)
                    taken.append((time.perf_counter() - began, answered - began))
                    await page.close()
                    await asyncio.sleep(5)
                    memory = max(memory, pss_mb(listening(port)))
                finally:
                    os.killpg(process.pid, signal.SIGTERM)
                    process.wait()
    second, answered = (statistics.median(one) for one in zip(*taken[1:], strict=True))
    return report(
        "start",
        [
            (
                f"second start to a page that works {second:.1f} s (served after {answered:.1f} s)",
                second <= 5,
            ),
            (f"idle server {memory:.0f} MB PSS", memory <= 250),
        ],
        "`make run` to the sign-in page in a browser that runs already; granian and its worker 5 s later",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
