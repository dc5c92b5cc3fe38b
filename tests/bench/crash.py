"""`kill -9` of the server in the middle of an answer, 20 times, embedded and with Redis."""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import time

from agenticos_app.ops.postgres import ask as query
from tests.bench.deployment import Deployment, Place, owned, place, stub
from tests.bench.measure import family, report
from tests.bench.streaming import ACCEPT
from tests.services import free_port

WITHIN_S = 45


def conversation(ours: Deployment) -> str:
    """Begin a conversation; only one keeps what was shown, a question of the API alone leaves a run row."""
    return query(
        ours.database_url,
        "INSERT INTO conversations "
        "(id, created_at, organization_id, user_id, agent_id, title, last_message_at) "
        "SELECT uuidv7(), now(), a.organization_id, u.id, a.id, 'Killed', now() FROM users u, agents a "
        "LIMIT 1 RETURNING id",
    ).split()[0]


async def talk(ours: Deployment, where: str, shown: list[str], known: asyncio.Future[str]) -> None:
    """Ask, and note what was shown until the connection breaks."""
    question = {"prompt": "Tell me.", "conversation_id": where}
    async with ours.client() as http, http.post(ours.run_url, json=question, headers=ACCEPT) as answer:
        known.set_result(answer.headers["x-run-id"])
        async for line in answer.content:
            if line.startswith(b"data: "):
                event = json.loads(line[6:])
                if event["type"] == "text":
                    shown.append(event["text"])


async def once(
    where: Place, port: int, ours: Deployment | None, model_url: str
) -> tuple[Deployment, bool, float]:
    """Kill a server in an answer; return whether all was well after it, and when the run was interrupted."""
    with where.serving(port) as process:
        ours = ours or await owned(where, port, process)
        await ours.use_model(model_url, "stub:tokens=500:rate=50")
        shown: list[str] = []
        known: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        thread = conversation(ours)
        talking = asyncio.create_task(talk(ours, thread, shown, known))
        run_id = await known
        await asyncio.sleep(random.uniform(0.3, 2.5))
        for member in reversed(family(process.pid)):
            os.kill(member.pid, signal.SIGKILL)
        await asyncio.gather(talking, return_exceptions=True)
    began = time.perf_counter()
    with where.serving(port):
        async with ours.client() as http:
            row = {"status": "running"}
            while row["status"] == "running" and time.perf_counter() - began < WITHIN_S + 5:
                async with http.get(f"{ours.base_url}/api/v1/runs/{run_id}") as answer:
                    row = await answer.json()
                await asyncio.sleep(0.1)
            taken = time.perf_counter() - began
            kept = "".join(part["text"] for part in row.get("parts", []))
            await ours.use_model(model_url, "stub")
            following = {"prompt": "And now?", "conversation_id": thread}
            async with http.post(ours.run_url, json=following) as answer:
                works = (await answer.json()).get("status") == "completed"
    is_well = row["status"] == "failed" and row["error_code"] == "interrupted" and works
    return ours, is_well and kept.startswith("".join(shown)), taken


async def series(*, with_redis: bool, times: int, model_url: str) -> tuple[str, bool]:
    """Kill so many times on one place."""
    well, slowest, ours, port = 0, 0.0, None, free_port()
    with place(with_redis=with_redis) as where:
        for _ in range(times):
            ours, is_well, taken = await once(where, port, ours, model_url)
            well += is_well
            slowest = max(slowest, taken)
    kind = "with Redis" if with_redis else "embedded"
    shown = f"{kind} {well} of {times} well, interrupted at most {slowest:.1f} s after the restart began"
    return shown, well == times and slowest <= WITHIN_S


async def main(times: int) -> int:
    with stub() as model_url:
        figures = [
            await series(with_redis=kind, times=times // 2, model_url=model_url) for kind in (False, True)
        ]
    how = "killed 0.3 to 2.5 s into an answer; well: interrupted, what was shown is kept, the next works"
    return report("crash", figures, how)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    sys.exit(asyncio.run(main(parser.parse_args().times)))
