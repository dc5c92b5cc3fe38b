"""200 conversations of 200 turns: list and open over the API, and what blocks the page."""

import asyncio
import sys
import time
from uuid import UUID

import aiohttp
from playwright.async_api import Page

from agenticos_app.ops.postgres import ask as query
from tests.bench.browsing import ask, browser, finished, longest_task_ms, signed_in
from tests.bench.deployment import Deployment, deployment, stub
from tests.bench.measure import quantile, report

CONVERSATIONS = 200
TURNS = 200
ANSWER = (
    "The result is **397.8**, as the table says:\n\n| item | amount |\n|---|---|\n| net | 2340 |\n"
    "| share | 17 % |\n\n```python\nprint(2340 * 17 / 100)\n```\n\nAsk again when the *rate* changes."
)

SEED = """
WITH who AS (SELECT u.id AS user_id, a.organization_id, a.id AS agent_id, a.live_version_id AS version_id
             FROM users u, agents a LIMIT 1),
made AS (INSERT INTO conversations (id, created_at, organization_id, user_id, agent_id, title,
                                    last_message_at)
         SELECT uuidv7(), now(), w.organization_id, w.user_id, w.agent_id, 'Conversation ' || n,
                now() - n * interval '1 minute'
         FROM who w, generate_series(1, {conversations}) n RETURNING id, organization_id, user_id, agent_id),
ran AS (INSERT INTO runs (id, created_at, organization_id, agent_id, version_id, user_id, conversation_id,
                          surface, status, prompt, model_label, provider, requests, input_tokens,
                          output_tokens, cost_is_partial, started_at, ended_at)
        SELECT uuidv7(), now(), m.organization_id, m.agent_id, w.version_id, m.user_id, m.id, 'web',
               'completed', '', 'Stub', 'stub', 1, 10, 60, false, now() - interval '1 day',
               now() - interval '1 day'
        FROM made m, who w, generate_series(1, {turns}) n RETURNING id, organization_id, conversation_id),
asked AS (INSERT INTO messages (id, created_at, organization_id, conversation_id, run_id, role, text, parts,
                                stream_seq, status)
          SELECT uuidv7(), now(), organization_id, conversation_id, id, 'user', 'What is 17% of 2340?', '[]',
                 0, 'completed' FROM ran)
INSERT INTO messages (id, created_at, organization_id, conversation_id, run_id, role, text, parts, stream_seq,
                      status)
SELECT uuidv7(), now(), organization_id, conversation_id, id, 'assistant', '',
       jsonb_build_array(jsonb_build_object('index', 0, 'kind', 'text', 'done', true,
                                            'text', $text${answer}$text$)),
       4, 'completed' FROM ran
"""


async def timed(http: aiohttp.ClientSession, url: str) -> float:
    """Return the milliseconds of one call."""
    began = time.perf_counter()
    async with http.get(url) as answer:
        await answer.read()
        assert answer.status == 200
    return (time.perf_counter() - began) * 1000


async def over_the_api(ours: Deployment) -> tuple[list[float], list[float]]:
    """Return the times of lists and of openings."""
    base = f"{ours.base_url}/api/v1/conversations"
    async with ours.client() as http:
        async with http.get(f"{base}?limit=100") as answer:
            ids = [UUID(row["id"]) for row in (await answer.json())["rows"]]
        await timed(http, f"{base}/{ids[0]}")
        lists = [await timed(http, base) for _ in range(60)]
        opened = [await timed(http, f"{base}/{one}") for one in ids[:60]]
    return lists, opened


async def opening(page: Page, base_url: str) -> float:
    """Return the longest block while a conversation is opened from the list."""
    await page.goto(f"{base_url}/chat")
    rows = page.locator(".convs a[href*='c=']")
    await rows.first.wait_for()
    await page.wait_for_load_state("networkidle")
    await longest_task_ms(page)
    await rows.nth(3).click()
    await page.locator(".bubble").nth(20).wait_for()
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(1500)
    return await longest_task_ms(page)


async def main() -> int:
    with stub() as model_url:
        async with deployment() as ours, browser() as chromium:
            await ours.use_model(model_url, "stub:tokens=400:rate=50")
            query(ours.database_url, SEED.format(conversations=CONVERSATIONS, turns=TURNS, answer=ANSWER))
            query(ours.database_url, "ANALYZE")
            lists, opened = await over_the_api(ours)
            page = await (await signed_in(chromium, ours)).new_page()
            on_open = max([await opening(page, ours.base_url) for _ in range(3)])
            await ask(page, "And now?")
            await finished(page)
            while_streaming = await longest_task_ms(page)
    list_ms, open_ms = quantile(lists, 0.95), quantile(opened, 0.95)
    return report(
        "history",
        [
            (f"list p95 {list_ms:.0f} ms", list_ms <= 150),
            (f"open p95 {open_ms:.0f} ms", open_ms <= 150),
            (f"longest block on open {on_open:.0f} ms", on_open <= 200),
            (f"while streaming {while_streaming:.0f} ms", while_streaming <= 100),
        ],
        f"{CONVERSATIONS} conversations of {TURNS} turns; 60 calls each over the API; long tasks of "
        "Chromium, worst of 3 openings, and of one answer of 400 tokens at 50/s below 50 turns",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
