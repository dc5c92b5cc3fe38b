"""50 cut sockets, 20 reloads and a second tab: the same answer every time, and no step twice."""

import asyncio
import random
import sys

from playwright.async_api import Page

from tests.bench.browsing import ask, browser, finished, growing, signed_in
from tests.bench.deployment import deployment, stub
from tests.bench.measure import report
from tests.bench.proxy import proxy

CUTS = 50
CUTS_OF_AN_ANSWER = 10
RELOADS = 20
TOKENS = 300
MODEL = f"stub:tokens={TOKENS}:rate=30:tool=run_python"


async def steps(page: Page) -> int:
    """Return how many steps the newest answer shows, folded or not."""
    return await page.locator(".parts").last.locator(".step").count()


async def main() -> int:
    texts: list[str] = []
    counted: list[int] = []
    dice = random.Random(7)
    with stub() as model_url:
        async with (
            deployment(processes=2) as ours,
            proxy(ours.settings.port) as between,
            browser() as chromium,
        ):
            await ours.use_model(model_url, MODEL)
            context = await signed_in(chromium, ours)
            page = await context.new_page()
            for _ in range(CUTS // CUTS_OF_AN_ANSWER):
                await page.goto(f"{between.url}/chat")
                await ask(page, "Tell me.")
                for _ in range(CUTS_OF_AN_ANSWER):
                    await asyncio.sleep(dice.uniform(0.1, 1.0))
                    between.cut(*dice.choice((("run",), ("event",), ("run", "event"))))
                texts.append(words_of(await finished(page)))
                await page.reload()
                texts.append(words_of(await finished(page)))
                counted.append(await steps(page))
            await page.goto(f"{between.url}/chat")
            await ask(page, "Tell me.")
            second = await context.new_page()
            await second.goto(page.url)
            await growing(second)
            for _ in range(RELOADS):
                await page.reload()
                await asyncio.sleep(dice.uniform(0.05, 0.4))
            for tab in (page, second):
                texts.append(words_of(await finished(tab)))
                counted.append(await steps(tab))
    different = set(texts)
    whole = different == {" ".join(f"tok{n}" for n in range(TOKENS))}
    return report(
        "cuts",
        [
            (f"{len(texts)} readings, {len(different)} different text(s), whole: {whole}", whole),
            (f"steps shown {sorted(set(counted))}", len(set(counted)) == 1),
        ],
        f"{between.cuts} connections cut in {CUTS} cuts at random moments, {RELOADS} reloads in one "
        "answer, a second tab; two processes",
    )


def words_of(shown: str) -> str:
    """Return the answer's own words, without the line of its steps."""
    return " ".join(word for word in shown.split() if word.startswith("tok"))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
