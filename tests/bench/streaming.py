"""Time to the first text at 1 and 20 streams, and text per second at 100 streams, against `bare`."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median

import aiohttp

from tests.bench.deployment import Bare, Deployment, client, deployment, stub, yardstick
from tests.bench.measure import report

MODEL = "stub:tokens=100:rate=50"
FULL_SPEED = "stub:tokens=200:rate=200"
"""More than a process can carry a hundred times, so that the text per second is its own."""

ACCEPT = {"accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Stream:
    """What one reader saw."""

    first_ms: float
    words: int


async def of_bare(http: aiohttp.ClientSession, bare: Bare) -> Stream:
    began, first, text = time.perf_counter(), 0.0, ""
    async with http.post(bare.stream_url, json={"prompt": "Tell me."}) as answer:
        async for line in answer.content:
            if line.startswith(b"data: "):
                first = first or time.perf_counter() - began
                text += json.loads(line[6:])["text"]
    return Stream(first * 1000, len(text.split()))


async def of_ours(http: aiohttp.ClientSession, ours: Deployment) -> Stream:
    began, first, text = time.perf_counter(), 0.0, ""
    async with http.post(ours.run_url, json={"prompt": "Tell me."}, headers=ACCEPT) as answer:
        assert answer.status == 200, await answer.text()
        async for line in answer.content:
            if not line.startswith(b"data: "):
                continue
            event = json.loads(line[6:])
            if event["type"] == "text":
                first = first or time.perf_counter() - began
                text += event["text"]
            elif event["type"] == "end":
                assert event["status"] == "completed", event
    return Stream(first * 1000, len(text.split()))


async def firsts(stream: Callable[[], Awaitable[Stream]], *, parallel: int, rounds: int) -> list[float]:
    """Return the times to the first text."""
    times: list[float] = []
    for _ in range(rounds):
        times += [one.first_ms for one in await asyncio.gather(*(stream() for _ in range(parallel)))]
    return times


async def rate(stream: Callable[[], Awaitable[Stream]], *, parallel: int) -> float:
    """Return words per second over all streams together."""
    began = time.perf_counter()
    streams = await asyncio.gather(*(stream() for _ in range(parallel)))
    return sum(one.words for one in streams) / (time.perf_counter() - began)


async def main() -> int:
    with stub() as model_url, yardstick(model_url, MODEL) as bare, yardstick(model_url, FULL_SPEED) as full:
        async with (
            deployment(env={"RUN_SLOTS": "120"}) as ours,
            client() as plain,
            ours.client() as mine,
        ):
            await ours.use_model(model_url, MODEL)

            async def ask_bare() -> Stream:
                return await of_bare(plain, bare)

            async def ask_full() -> Stream:
                return await of_bare(plain, full)

            async def ask_ours() -> Stream:
                return await of_ours(mine, ours)

            for ask in (ask_bare, ask_ours):
                await firsts(ask, parallel=10, rounds=1)
            bare_1, our_1 = list[float](), list[float]()
            for _ in range(12):
                bare_1 += await firsts(ask_bare, parallel=1, rounds=1)
                our_1 += await firsts(ask_ours, parallel=1, rounds=1)
            bare_20, our_20 = list[float](), list[float]()
            for _ in range(3):
                bare_20 += await firsts(ask_bare, parallel=20, rounds=1)
                our_20 += await firsts(ask_ours, parallel=20, rounds=1)
            await ours.use_model(model_url, FULL_SPEED)
            bare_rates = [await rate(ask_full, parallel=100)]
            our_rate = await rate(ask_ours, parallel=100)
            bare_rates.append(await rate(ask_full, parallel=100))
    later = median(our_1) - median(bare_1)
    slower = median(our_20) / median(bare_20)
    share = our_rate / max(bare_rates)
    return report(
        "streaming",
        [
            (f"first text at 1 {median(our_1):.0f} ms = bare {later:+.0f} ms", later <= 25),
            (f"first text at 20 {median(our_20):.0f} ms = {slower:.2f}x bare", slower <= 1.5),
            (f"text at 100 streams {our_rate:.0f} words/s = {share:.2f}x bare", share >= 0.8),
        ],
        "medians of 12 single and 60 streams at 50 words/s, alternating; 100 streams of 200 words at 200/s",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
