"""A browser that is signed in, and what is asked of it."""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from tests.bench.deployment import Deployment

expect.set_options(timeout=120_000)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]

# Every block of the main thread of 50 ms or more, from the first script on.
LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) window.longTasks.push(entry.duration);
}).observe({ type: "longtask", buffered: true });
"""


@asynccontextmanager
async def browser() -> AsyncGenerator[Browser]:
    """Start Chromium."""
    async with async_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        started = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield started
        finally:
            await started.close()


async def signed_in(started: Browser, ours: Deployment) -> BrowserContext:
    """Open a browser window with the owner's session."""
    context = await started.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    context.set_default_timeout(60_000)
    await context.add_init_script(LONG_TASKS)
    cookie = {"name": "aos_session", "value": ours.cookie, "domain": "127.0.0.1", "path": "/"}
    await context.add_cookies([cookie])  # pyright: ignore[reportArgumentType]
    return context


async def ask(page: Page, text: str) -> None:
    """Write a question and send it, as soon as the page can take one: again when it came too early."""
    field = page.locator("textarea.ask")
    while await page.locator("button.send").is_disabled():
        await field.fill(text)
        await page.wait_for_timeout(300)
    await field.press("Enter")
    await expect(page.locator(".bubble").last).to_have_text(text)
    await page.wait_for_url("**/chat?c=*")


async def growing(page: Page) -> None:
    """Wait until the newest answer shows text."""
    await expect(page.locator(".parts .prose").last).to_contain_text("tok")


async def finished(page: Page) -> str:
    """Return the text of the newest answer once it is at rest."""
    await expect(page.locator("button.send.stop")).to_have_count(0)
    newest = page.locator(".parts").last
    await expect(newest).to_have_attribute("aria-busy", "false")
    await expect(newest.locator(".prose").last).to_be_visible()
    return (await newest.inner_text()).strip()


async def longest_task_ms(page: Page) -> float:
    """Return the longest block of the main thread since the last look; 0 when none took 50 ms."""
    return float(await page.evaluate("Math.max(0, ...window.longTasks.splice(0))"))
