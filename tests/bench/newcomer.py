"""From the catalogue to a published agent that answers with two capabilities: how many clicks, how long."""

import asyncio
import sys
import time
from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

from agenticos_app.kernel.clock import now
from tests.bench.browsing import ask, browser, signed_in
from tests.bench.deployment import deployment
from tests.bench.measure import report

MOST_CLICKS = 12
MOST_SECONDS = 60
QUESTIONS = (("What is 17% of 2340?", "397.8"), ("What day is it today?", str(now().year)))
"""What is asked, and what an answer says that had the capability for it: calculations, date and time."""


@dataclass
class Hand:
    """Clicks, and counts its clicks; typing is free."""

    clicks: int = 0

    async def click(self, target: Locator) -> None:
        self.clicks += 1
        await target.click()


async def publish_one(page: Page, hand: Hand) -> None:
    """Make an agent, publish it as it starts, and open the chat with it."""
    await hand.click(page.get_by_role("button", name="New agent"))
    await expect(page.get_by_role("dialog").get_by_label("Name", exact=True)).to_be_focused()
    await page.keyboard.type("Claims desk")
    await hand.click(page.get_by_role("button", name="Create", exact=True))
    await hand.click(page.get_by_role("button", name="Publish version 1"))
    await hand.click(page.get_by_role("dialog").get_by_role("button", name="Publish", exact=True))
    await hand.click(page.locator(".builder-section").get_by_role("link", name="Open in the chat"))
    await expect(page.get_by_role("heading", name="Claims desk")).to_be_visible()


async def main() -> int:
    hand = Hand()
    async with deployment() as ours, browser() as chromium:
        page = await (await signed_in(chromium, ours)).new_page()
        await page.goto(f"{ours.base_url}/agents")
        await expect(page.locator(".agent-card")).to_have_count(1)
        began = time.perf_counter()
        await publish_one(page, hand)
        await hand.click(page.locator("textarea.ask"))
        for question, said in QUESTIONS:
            await ask(page, question)
            await expect(page.locator(".parts .prose").last).to_contain_text(said)
            await expect(page.locator(".parts").last).to_have_attribute("aria-busy", "false")
        seconds = time.perf_counter() - began
    return report(
        "newcomer",
        [
            (f"{hand.clicks} clicks", hand.clicks <= MOST_CLICKS),
            (f"{seconds:.0f} s", seconds <= MOST_SECONDS),
        ],
        "catalogue to a published agent that has answered with two capabilities, as fast as a script types",
    )


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
