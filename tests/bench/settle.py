"""`kill -9` while requests are reserved: nothing stays reserved, and every cent is accounted for."""

import argparse
import asyncio
import os
import random
import signal
import sys
import time
from contextlib import suppress

import aiohttp

from agenticos_app.contracts.prices import Tariff, Tokens
from agenticos_app.ops.postgres import ask as query
from integrations.prices.bundled import BundledPrices
from tests.bench.deployment import Deployment, Place, owned, place, stub
from tests.bench.measure import family, report
from tests.services import free_port

MODEL = "gpt-4o-mini"
PARALLEL = 8
WITHIN_S = 60


def numbers(ours: Deployment, sql: str) -> list[int]:
    return [int(word) for word in query(ours.database_url, sql).replace("|", " ").split()]


async def keep_asking(ours: Deployment) -> None:
    """Ask one question after another until the connection breaks."""
    async with ours.client() as http:
        with suppress(aiohttp.ClientError):
            while True:
                async with http.post(ours.run_url, json={"prompt": "Tell me."}) as answer:
                    await answer.read()


async def killed(where: Place, port: int, ours: Deployment | None, model_url: str) -> Deployment:
    """Kill a server whose requests are on their way."""
    with where.serving(port, {"RATE_LIMIT_RUN_PER_MINUTE": "100000"}) as process:
        ours = ours or await owned(where, port, process)
        await ours.use_model(model_url, MODEL)
        asking = [asyncio.create_task(keep_asking(ours)) for _ in range(PARALLEL)]
        await asyncio.sleep(random.uniform(0.5, 1.5))
        for member in reversed(family(process.pid)):
            os.kill(member.pid, signal.SIGKILL)
        await asyncio.gather(*asking)
    return ours


async def settled_s(where: Place, port: int, ours: Deployment) -> float:
    """Start again and return after how long nothing is reserved any more."""
    began = time.perf_counter()
    with where.serving(port):
        while time.perf_counter() - began < WITHIN_S + 10:
            (reserved,) = numbers(ours, "SELECT coalesce(sum(reserved_micros), 0) FROM spendings")
            (running,) = numbers(ours, "SELECT count(*) FROM runs WHERE status = 'running'")
            if not reserved and not running:
                break
            await asyncio.sleep(0.2)
    return time.perf_counter() - began


def accounts(ours: Deployment) -> tuple[int, int, bool]:
    """Return how many requests were served and interrupted, and whether the books are right."""
    spent, booked, runs = numbers(
        ours,
        "SELECT (SELECT sum(spent_micros) FROM spendings WHERE kind = 'organization'), "
        "(SELECT sum(cost_micros) FROM run_requests), (SELECT sum(cost_micros) FROM runs)",
    )
    served, interrupted, odd = numbers(
        ours,
        "SELECT count(*) FILTER (WHERE failed IS NULL), count(*) FILTER (WHERE failed = 'Interrupted'), "
        "count(*) FILTER (WHERE failed = 'Interrupted' AND NOT is_estimated) FROM run_requests",
    )
    tokens = numbers(
        ours, "SELECT input_tokens, output_tokens FROM run_requests WHERE failed IS NULL LIMIT 1"
    )
    price = BundledPrices().price(
        Tariff(provider="openai", model_name=MODEL), Tokens(input=tokens[0], output=tokens[1])
    )
    (exact,) = numbers(
        ours,
        f"SELECT count(*) FROM run_requests WHERE failed IS NULL AND cost_micros <> {price}",
    )
    return served, interrupted, spent == booked == runs and not odd and not exact


async def main(times: int) -> int:
    slowest, ours, port = 0.0, None, free_port()
    with stub("tokens=40:rate=100") as model_url, place() as where:
        for _ in range(times):
            ours = await killed(where, port, ours, model_url)
            slowest = max(slowest, await settled_s(where, port, ours))
        assert ours is not None
        served, interrupted, is_right = accounts(ours)
    return report(
        "settle",
        [
            (f"nothing reserved {slowest:.1f} s after a restart began", slowest <= WITHIN_S),
            (f"{served} served and {interrupted} interrupted requests, books right: {is_right}", is_right),
        ],
        f"{times} kills with {PARALLEL} requests on their way; right: month = requests = runs, each served "
        "one at its price, each interrupted one at its reservation and partial",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    sys.exit(asyncio.run(main(parser.parse_args().times)))
