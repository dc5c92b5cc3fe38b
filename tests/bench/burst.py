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
    counted = Counter(reply.status for reply in replies)
    refusals = [reply for reply in replies if reply.status != 200]
    answers = [reply for reply in replies if reply.status == 200]
    late = max((reply.ms for reply in refusals), default=0)
    slowest = max(reply.ms for reply in answers)
    return report(
        "burst",
        [
            (
                f"{len(answers)} answered, all right: {all(reply.is_right for reply in answers)}",
                all(reply.is_right for reply in answers),
            ),
            (
                f"{len(refusals)} refused {dict(counted)}, proper: {all(reply.is_right for reply in refusals)}",
                all(reply.is_right for reply in refusals),
            ),
            (
                f"refusals after {quantile([0.0, *(reply.ms for reply in refusals)], 0.5):.0f} ms, last {late:.0f} ms",
                late <= 1000,
            ),
            (f"normal again after {recovered_s:.1f} s", recovered_s <= 5),
        ],
        f"{USERS} questions in one moment, two processes, default limits, answers of {WORDS} words; slowest "
        f"answer {slowest / 1000:.1f} s",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
