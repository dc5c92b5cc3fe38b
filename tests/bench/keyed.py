"""What a provider's key adds to a run: the vault opens it each time."""

import argparse
import asyncio
import statistics
import sys

from tests.bench.deployment import client, deployment, stub
from tests.bench.measure import closed_loop, report
from tests.bench.overhead import asking

ROUNDS = 4
KEY = "sk-bench-0123456789"


async def main(runs: int) -> int:
    p50: dict[tuple[str, str], list[float]] = {("stub", ""): [], ("stub:tokens=20", KEY): []}
    with stub() as model_url:
        async with deployment() as ours, client(ours.headers) as http:
            ask = asking(http, ours.run_url)
            for _ in range(ROUNDS):
                for (model, key), found in p50.items():
                    await ours.use_model(model_url, model, api_key=key)
                    await closed_loop(ask, parallel=1, calls=20, pid=ours.pid)
                    found.append((await closed_loop(ask, parallel=1, calls=runs, pid=ours.pid)).p50_ms)
    without, with_key = (statistics.median(found) for found in p50.values())
    added = with_key - without
    return report(
        "keyed",
        [(f"p50 {with_key:.1f} ms with a key, {without:.1f} ms without: {added:+.1f} ms", added <= 3)],
        f"medians of {ROUNDS} alternating series of {runs} runs, one at a time",
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    sys.exit(asyncio.run(main(parser.parse_args().runs)))
