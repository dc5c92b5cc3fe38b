"""What 200 readers of one run at 50 tokens a second cost one process."""

import asyncio
import json
import sys
import time

import aiohttp

from tests.bench.deployment import deployment, stub
from tests.bench.measure import cpu_s, report
from tests.bench.streaming import ACCEPT

READERS = 200
TOKENS = 1000
MEASURED_S = 12


async def read(http: aiohttp.ClientSession, url: str) -> str:
    """Follow a run over a WebSocket to its end and return its text."""
    text = ""
    async with http.ws_connect(url) as socket:
        async for message in socket:
            event = json.loads(message.data)
            if event["type"] == "snapshot":
                text = "".join(part["text"] for part in event["parts"])
            elif event["type"] == "text":
                text += event["text"]
    return text


async def main() -> int:
    with stub() as model_url:
        async with deployment() as ours, ours.client() as http:
            await ours.use_model(model_url, f"stub:tokens={TOKENS}:rate=50")
            async with http.post(ours.run_url, json={"prompt": "Tell me."}, headers=ACCEPT) as asked:
                run_id = asked.headers["x-run-id"]
            url = f"{ours.base_url}/api/v1/runs/{run_id}/stream"
            readers = [asyncio.create_task(read(http, url)) for _ in range(READERS)]
            await asyncio.sleep(3)
            before, began = cpu_s(ours.pid), time.perf_counter()
            await asyncio.sleep(MEASURED_S)
            share = (cpu_s(ours.pid) - before) / (time.perf_counter() - began)
            texts = await asyncio.gather(*readers)
    equal = len(set(texts)) == 1
    return report(
        "readers",
        [
            (f"{READERS} readers cost {share:.0%} of a core", share <= 0.5),
            (f"{len(set(texts))} different text(s)", equal),
        ],
        f"one process, one run at 50 tokens/s over WebSockets, processor time over {MEASURED_S} s",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
