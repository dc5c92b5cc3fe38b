"""How many bytes both sockets of a page carry for each byte of an answer."""

import asyncio
import sys

from tests.bench.browsing import ask, browser, finished, signed_in
from tests.bench.deployment import deployment, stub
from tests.bench.measure import report
from tests.bench.proxy import proxy

SERIES = ((50, 500, 8.0), (500, 4000, 2.0))
"""Tokens a second, tokens, and how many times the text may be sent."""


async def main() -> int:
    figures: list[tuple[str, bool]] = []
    with stub() as model_url:
        async with deployment() as ours, proxy(ours.settings.port) as between, browser() as chromium:
            for speed, tokens, allowed in SERIES:
                await ours.use_model(model_url, f"stub:tokens={tokens}:rate={speed}")
                page = await (await signed_in(chromium, ours)).new_page()
                await page.goto(f"{between.url}/chat")
                await page.locator("textarea.ask").wait_for()
                await page.wait_for_load_state("networkidle")
                between.bytes.clear()
                await ask(page, "Tell me.")
                text = len((await finished(page)).encode())
                run, event = between.bytes["run"], between.bytes["event"]
                times = (run + event) / text
                shown = f"{speed} tokens/s: {run / 1000:.1f} + {event / 1000:.1f} kB for {text / 1000:.1f} kB"
                figures.append((f"{shown} = {times:.1f}x", times <= allowed))
                await page.context.close()
    how = "both directions of run socket + page socket at a proxy, from the question to the end of the answer"
    return report("wire", figures, how)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
