"""300 users at once on two processes: what does not fit is refused at once, the rest is served right."""

import asyncio
import sys
import time
from collections import Counter
from dataclasses import dataclass

import aiohttp

from tests.bench.deployment import deployment, stub
from tests.bench.measure import quantile, report

USERS = 300
WORDS = 100
NORMAL_MS = 1500
"""A single question takes so long at most while the service is well: the answer itself streams for 500 ms."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one user got."""

    status: int
    ms: float
    is_right: bool


async def ask(http: aiohttp.ClientSession, url: str) -> Reply:
    """Ask one question. A refusal is right with a `Retry-After`, an answer when it is whole."""
    began = time.perf_counter()
    async with http.post(url, json={"prompt": "Tell me."}) as answer:
        body = await answer.json()
        taken = (time.perf_counter() - began) * 1000
        if answer.status == 200:
            is_right = body["status"] == "completed" and len(body["output"].split()) == WORDS
        else:
            is_right = answer.status in (429, 503) and answer.headers.get("retry-after", "").isdigit()
        return Reply(status=answer.status, ms=taken, is_right=is_right)


async def main() -> int:
    with stub() as model_url:
        async with deployment(processes=2) as ours, ours.client() as http:
            await ours.use_model(model_url, f"stub:tokens={WORDS}:rate=200")
            await asyncio.gather(*(ask(http, ours.run_url) for _ in range(20)))
            replies = await asyncio.gather(*(ask(http, ours.run_url) for _ in range(USERS)))
            ended, recovered_s = time.perf_counter(), 99.0
            while time.perf_counter() - ended < 30:
                again = await ask(http, ours.run_url)
                if again.status == 200 and again.is_right and again.ms <= NORMAL_MS:
                    recovered_s = time.perf_counter() - ended
                    break
    refused_ms = [reply.ms for reply in replies if reply.status != 200] or [0.0]
    answers_ms = [reply.ms for reply in replies if reply.status == 200]
    whole = all(reply.is_right for reply in replies if reply.status == 200)
    proper = all(reply.is_right for reply in replies if reply.status != 200)
    statuses = dict(Counter(reply.status for reply in replies))
    return report(
        "burst",
        [
            (f"statuses {statuses}, answers whole: {whole}", whole and bool(answers_ms)),
            (f"refusals proper: {proper}", proper),
            (
                f"refusals after {quantile(refused_ms, 0.5):.0f} ms, the last after {max(refused_ms):.0f} ms",
                max(refused_ms) <= 1000,
            ),
            (f"normal again after {recovered_s:.1f} s", recovered_s <= 5),
        ],
        f"{USERS} questions in one moment, two processes, default limits, answers of {WORDS} words; slowest "
        f"answer {max(answers_ms) / 1000:.1f} s",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
