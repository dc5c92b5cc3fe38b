"""What people do in the chat, for the tests."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

CALCULATE = "What is 17% of 2340?"


def ask(page: Page, text: str) -> None:
    """Write and press Enter, once the page listens."""
    field = page.locator("textarea.ask")
    field.fill(text)
    expect(page.locator("button.send")).to_be_enabled()
    field.press("Enter")
    expect(page.locator(".bubble").last).to_have_text(text)


def answer(page: Page) -> Locator:
    """Return the newest answer."""
    return page.locator(".parts").last


def finished(page: Page, timeout: float = 60_000) -> str:
    """Wait for the newest answer's end and return its text."""
    expect(page.locator("button.send.stop")).to_have_count(0, timeout=timeout)
    expect(answer(page)).to_have_attribute("aria-busy", "false", timeout=timeout)
    expect(answer(page).locator(".prose").last).to_be_visible()
    expect(answer(page).locator(".plain")).to_have_count(0)
    return answer(page).inner_text()


def conversation(page: Page) -> str:
    """Return the id of the open conversation."""
    page.wait_for_url(re.compile(r"[?&]c="))
    return page.url.split("c=")[1].split("&")[0]


def attach(page: Page, path: Path) -> None:
    """Attach a file and wait until it is stored."""
    page.locator("form.comp input[type=file]").set_input_files(path)
    expect(page.locator(".comp .att .meta", has_text=re.compile(r"\d (B|KB|MB)"))).to_be_visible(
        timeout=20_000
    )
