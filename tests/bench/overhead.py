"""What a run costs over the service, against `bare`, and what a second process adds."""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

import aiohttp

from tests.bench.deployment import client, deployment, stub, yardstick
from tests.bench.measure import Load, closed_loop, report

MODEL = "stub"
ANSWER_WORDS = 20


def asking(http: aiohttp.ClientSession, url: str) -> Callable[[], Awaitable[None]]:
    """Return a call that asks one question and checks the answer."""

    async def ask() -> None:
        async with http.post(url, json={"prompt": "How are you?"}) as answer:
            body = await answer.json()
            assert answer.status == 200, body
            assert len(body["output"].split()) == ANSWER_WORDS, body

    return ask


async def measure(url: str, headers: dict[str, str] | None, pid: int, runs: int) -> tuple[Load, Load]:
    """Measure with one and with ten callers."""
    async with client(headers) as http:
        ask = asking(http, url)
        await closed_loop(ask, parallel=10, calls=60, pid=pid)
        one = await closed_loop(ask, parallel=1, calls=runs, pid=pid)
        ten = await closed_loop(ask, parallel=10, calls=runs * 2, pid=pid)
        return one, ten


async def main(runs: int) -> int:
    with stub() as model_url:
        with yardstick(model_url, MODEL) as bare:
            async with deployment() as ours:
                await ours.use_model(model_url, MODEL)
                bare_one, bare_ten = await measure(bare.run_url, None, bare.pid, runs)
                our_one, our_ten = await measure(ours.run_url, ours.headers, ours.pid, runs)
                bare_one2, bare_ten2 = await measure(bare.run_url, None, bare.pid, runs)
        async with deployment(processes=2) as two:
            await two.use_model(model_url, MODEL)
            _, two_ten = await measure(two.run_url, two.headers, two.pid, runs)
        async with deployment(with_redis=True) as single:
            await single.use_model(model_url, MODEL)
            _, single_ten = await measure(single.run_url, single.headers, single.pid, runs)
    p50_1 = our_one.p50_ms / min(bare_one.p50_ms, bare_one2.p50_ms)
    p50_10 = our_ten.p50_ms / min(bare_ten.p50_ms, bare_ten2.p50_ms)
    cpu_1 = our_one.cpu_ms / min(bare_one.cpu_ms, bare_one2.cpu_ms)
    cpu_10 = our_ten.cpu_ms / min(bare_ten.cpu_ms, bare_ten2.cpu_ms)
    rate = our_ten.per_second / max(bare_ten.per_second, bare_ten2.per_second)
    scale = two_ten.per_second / single_ten.per_second
    growth = two_ten.cpu_ms / single_ten.cpu_ms
    return report(
        "overhead",
        [
            (f"p50 at 1 {our_one.p50_ms:.1f} ms = {p50_1:.2f}x bare", p50_1 <= 2.0),
            (f"p50 at 10 {our_ten.p50_ms:.1f} ms = {p50_10:.2f}x", p50_10 <= 2.0),
            (f"CPU a run at 1 {our_one.cpu_ms:.1f} ms = {cpu_1:.2f}x", cpu_1 <= 2.0),
            (f"CPU a run at 10 {our_ten.cpu_ms:.1f} ms = {cpu_10:.2f}x", cpu_10 <= 2.0),
            (f"runs/s {our_ten.per_second:.1f} = {rate:.2f}x", rate >= 0.5),
            (f"two processes {two_ten.per_second:.1f} runs/s = {scale:.2f}x one", scale >= 1.2),
            (f"CPU a run with two {two_ten.cpu_ms:.1f} ms = {growth:.2f}x one", growth <= 1.1),
        ],
        f"zero-latency stub, {runs} and {runs * 2} runs a series, the better of two series of bare; "
        f"two processes against one on the same Redis; {os.cpu_count()} cores",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    sys.exit(asyncio.run(main(parser.parse_args().runs)))
