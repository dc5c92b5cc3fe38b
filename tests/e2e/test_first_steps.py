"""From an empty folder to an answer that quotes a document: the newcomer's whole way."""

import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.chat import answer, ask, attach, finished
from tests.e2e.conftest import PASSWORD, Site, Visitors
from tests.e2e.test_chat import document
from tests.running import Running
from tests.services import free_port

__all__ = ["document"]

pytestmark = pytest.mark.e2e


@pytest.mark.req("DOM-AUTH-03", "DOM-CONFIG-09")
def test_a_newcomer_gets_from_an_empty_folder_to_a_quoted_answer(
    built: None, visitors: Visitors, document: Path, short_home: Path
) -> None:
    running = Running(short_home, free_port())
    try:
        running.until_ready()
        link = running.set_up_link()
        page = visitors.page(visitors.context(), f"http://127.0.0.1:{running.port}/chat")
        expect(page.get_by_text("link")).to_be_visible()
        page.goto(link.replace("localhost", "127.0.0.1"))
        for name, value in {
            "email": "owner@harbor.example",
            "password": PASSWORD,
            "full_name": "Olga Owner",
            "organization_name": "Harbor Supply",
        }.items():
            page.locator(f"input[name={name}]").fill(value)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/welcome"))
        page.get_by_role("button", name="Continue").click()
        page.locator("a[href*='/chat?ask=']").first.click()
        page.wait_for_url(re.compile("/chat"))
        field = page.locator("textarea.ask")
        expect(field).not_to_have_value("")
        field.press("Enter")
        expect(page.locator(".bubble")).to_be_visible()
        finished(page)
        attach(page, document)
        ask(page, "What does the file say about the context manager of the with statement?")
        english = finished(page)
        expect(answer(page).locator("blockquote").first).to_be_visible()
        assert re.search(r"python-reference\.txt, lines? \d+", english), english
        again = page.context.request.post(
            f"http://127.0.0.1:{running.port}/api/v1/auth/setup",
            data={
                "token": link.split("token=")[1],
                "email": "second@harbor.example",
                "password": PASSWORD,
                "full_name": "Second",
                "organization_name": "Second",
            },
        )
        assert again.status == 409
        page.goto(link.replace("localhost", "127.0.0.1"))
        expect(page.get_by_text("the link works once")).to_be_visible()
    finally:
        running.process.send_signal(signal.SIGINT)
        running.process.wait(60)
    assert not running.left()


def test_a_killed_server_keeps_what_it_showed(
    built: None, visitors: Visitors, document: Path, short_home: Path
) -> None:
    port = free_port()
    running = Running(short_home, port)
    running.until_ready()
    site = Site(f"http://127.0.0.1:{port}")
    context = visitors.context()
    setup = context.request.post(
        f"{site.url}/api/v1/auth/setup",
        data={
            "token": running.set_up_link().split("token=")[1],
            "email": site.email,
            "password": PASSWORD,
            "full_name": "Olga Owner",
            "organization_name": "Harbor Supply",
        },
    )
    assert setup.ok, setup.text()
    page = visitors.page(context, f"{site.url}/chat")
    attach(page, document)
    ask(page, "What does the file say about the context manager of the with statement?")
    expect(answer(page).locator("blockquote").first).to_be_visible()
    running.kill()
    page.wait_for_timeout(500)
    shown = answer(page).inner_text()
    again = Running(short_home, port)
    try:
        again.until_ready()
        assert "token=" not in again.said, "the owner exists"
        expect(page.locator(".turn .note")).to_contain_text("server stopped", timeout=45_000)
        assert finished(page).startswith(shown[: len(shown) - 20])
        ask(page, "What is 17% of 2340?")
        assert "397.8" in finished(page)
    finally:
        again.process.send_signal(signal.SIGINT)
        again.process.wait(60)
