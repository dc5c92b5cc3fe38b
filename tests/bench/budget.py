"""200 runs at once on a budget for ten, again and again: at most ten are admitted, not a cent is lost."""

import argparse
import asyncio
import sys
from collections import Counter

import aiohttp

from agenticos_app.ops.postgres import ask as query
from tests.bench.deployment import Deployment, deployment, stub
from tests.bench.measure import report

RUNS = 200
ADMITTED = 10
MODEL = "gpt-4o-mini"
OPEN = {"RATE_LIMIT_RUN_PER_MINUTE": "100000", "RATE_LIMIT_API_PER_MINUTE": "100000"}


async def ask(http: aiohttp.ClientSession, url: str) -> str:
    """Ask; return how the run ended, or the refusal's status."""
    while True:
        async with http.post(url, json={"prompt": "Tell me."}) as answer:
            if answer.status in (429, 503):
                await asyncio.sleep(0.2)
                continue
            body = await answer.json()
            return str(body.get("status", answer.status))


def number(ours: Deployment, sql: str) -> int:
    return int(query(ours.database_url, sql).strip() or 0)


async def once(ours: Deployment, http: aiohttp.ClientSession, cost: int) -> tuple[int, bool]:
    """Give the month what ten answers cost, ask 200 times; return how many passed, and if all adds up."""
    spent = number(ours, "SELECT coalesce(sum(spent_micros), 0) FROM spendings WHERE kind = 'organization'")
    cap = spent + ADMITTED * cost
    query(ours.database_url, f"UPDATE organizations SET monthly_budget_micros = {cap}")
    ended = Counter(await asyncio.gather(*(ask(http, ours.run_url) for _ in range(RUNS))))
    after = number(ours, "SELECT spent_micros FROM spendings WHERE kind = 'organization'")
    reserved = number(ours, "SELECT sum(reserved_micros) FROM spendings")
    booked = number(ours, "SELECT coalesce(sum(cost_micros), 0) FROM run_requests")
    runs = number(ours, "SELECT coalesce(sum(cost_micros), 0) FROM runs")
    is_right = after <= cap and reserved == 0 and after == booked == runs
    is_told = set(ended) <= {"completed", "budget_exceeded"}
    return ended["completed"], is_right and is_told


async def series(model_url: str, *, processes: int, times: int) -> tuple[str, bool]:
    """Repeat it on a deployment of so many processes."""
    async with deployment(processes=processes, env=OPEN) as ours, ours.client() as http:
        await ours.use_model(model_url, MODEL)
        await ask(http, ours.run_url)
        cost = number(ours, "SELECT cost_micros FROM runs")
        results = [await once(ours, http, cost) for _ in range(times)]
    admitted, adds_up = [count for count, _ in results], all(right for _, right in results)
    text = f"{processes} process(es), {times} times: {min(admitted)} to {max(admitted)} admitted"
    return f"{text}, spent within the cap and no drift: {adds_up}", max(admitted) <= ADMITTED and adds_up


async def main(times: int) -> int:
    with stub("tokens=200") as model_url:
        figures = [await series(model_url, processes=count, times=times) for count in (1, 4)]
    how = f"{RUNS} parallel API runs of {MODEL}, 200 tokens each, on a cap of {ADMITTED} times what one costs"
    return report("budget", figures, how)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    sys.exit(asyncio.run(main(parser.parse_args().times)))
