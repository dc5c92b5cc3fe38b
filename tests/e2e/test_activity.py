"""The list of runs and the page of one run, as people use them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from agenticos_app.ops.postgres import ask as query
from tests.e2e.chat import CALCULATE, ask, conversation, finished
from tests.e2e.conftest import Site, Visitors

pytestmark = pytest.mark.e2e

PHONE = {"viewport": {"width": 375, "height": 812}, "has_touch": True}


def asked(site: Site, visitors: Visitors) -> tuple[Page, str]:
    """Ask the assistant something; return the page and the conversation."""
    page = visitors.owner(site)
    ask(page, CALCULATE)
    where = conversation(page)
    finished(page)
    return page, where


def new_organization(page: Page, site: Site, name: str) -> str:
    """Make an organization over the API and return its slug."""
    made = page.context.request.post(
        f"{site.url}/api/v1/organizations", data={"name": name}, headers={"origin": site.url}
    )
    assert made.ok, made.text()
    return str(made.json()["slug"])


@contextmanager
def broken_runs(site: Site) -> Iterator[None]:
    """Make the list of runs fail on the server."""
    assert site.settings is not None
    assert site.settings.database_url is not None
    url = site.settings.database_url.get_secret_value()
    query(url, "ALTER TABLE runs RENAME TO runs_elsewhere")
    try:
        yield
    finally:
        query(url, "ALTER TABLE runs_elsewhere RENAME TO runs")


@pytest.mark.req("DOM-UI-27")
def test_the_four_states_of_the_list_look_different(single: Site, visitors: Visitors) -> None:
    page, _ = asked(single, visitors)
    heading = {
        "empty": page.get_by_text("Nothing has run yet"),
        "filtered": page.get_by_text("No run matches these filters"),
        "failed": page.get_by_text("The runs did not load"),
        "loading": page.get_by_role("status", name="Loading runs"),
    }

    def shows(one: str) -> None:
        for name, place in heading.items():
            expect(place).to_have_count(1 if name == one else 0)

    quiet = new_organization(page, single, "Quiet Corner")
    page.goto(f"{single.url}/activity?org={quiet}")
    shows("empty")
    expect(page.get_by_role("link", name="Ask the assistant")).to_have_attribute(
        "href", re.compile(f"/chat.*org={quiet}")
    )

    page.goto(f"{single.url}/activity?status=guardrail_blocked")
    shows("filtered")
    page.locator(".ctr").get_by_role("button", name="Clear filters").click()
    expect(page.locator(".runs tbody tr").first).to_be_visible()

    with broken_runs(single):
        page.reload()
        shows("failed")
        expect(page.get_by_role("button", name="Copy report id")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".runs tbody tr").first).to_be_visible()
    expect(heading["failed"]).to_have_count(0)

    page.route_web_socket(re.compile("/_event"), lambda _silent: None)
    page.goto(f"{single.url}/activity")
    shows("loading")


@pytest.mark.req("DOM-RUN-03")
def test_filters_live_in_the_address_and_an_unknown_one_is_refused(single: Site, visitors: Visitors) -> None:
    page, _ = asked(single, visitors)
    page.goto(f"{single.url}/activity")
    rows = page.locator(".runs tbody tr")
    expect(rows.first).to_contain_text(CALCULATE)
    page.get_by_role("button", name="Failed", exact=True).click()
    expect(page).to_have_url(f"{single.url}/activity?status=failed")
    expect(page.get_by_role("button", name="Failed", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="API", exact=True).click()
    expect(page).to_have_url(f"{single.url}/activity?status=failed&surface=api")
    page.go_back()
    page.go_back()
    expect(page).to_have_url(f"{single.url}/activity")
    expect(rows.first).to_contain_text(CALCULATE)
    page.goto(f"{single.url}/activity?status=excellent")
    expect(page.get_by_role("alert")).to_contain_text("a filter that does not exist")
    page.get_by_role("button", name="Clear filters").click()
    expect(rows.first).to_contain_text(CALCULATE)


def test_a_run_is_read_from_the_list_to_the_raw_text(single: Site, visitors: Visitors) -> None:
    page, where = asked(single, visitors)
    page.goto(f"{single.url}/activity")
    page.get_by_role("link", name=CALCULATE).first.click()
    expect(page.get_by_role("heading", name=CALCULATE)).to_be_visible()
    step = page.get_by_role("button", name="Ran a calculation")
    step.press("Enter")
    expect(step).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".wf .result")).to_contain_text("397.8")
    expect(page.locator(".wf .raw")).to_have_count(0)
    page.get_by_role("button", name="Show raw text").click()
    expect(page.locator(".wf .raw")).to_contain_text('"code"')
    page.get_by_role("link", name="Transcript").click()
    expect(page.locator(".bubble")).to_have_text(CALCULATE)
    expect(page.locator(".parts .prose").last).to_contain_text("397.8")
    page.get_by_role("link", name="Open conversation").click()
    assert conversation(page) == where


def test_an_unknown_run_and_a_foreign_one_lead_to_the_same_page(single: Site, visitors: Visitors) -> None:
    page, _ = asked(single, visitors)
    page.goto(f"{single.url}/activity")
    address = page.locator(".runs a.asked").first.get_attribute("href")
    quiet = new_organization(page, single, "Silent Corner")
    texts: list[str] = []
    for path in (f"{address}?org={quiet}", f"/activity/0199f0a0-0000-7000-8000-000000000000?org={quiet}"):
        page.goto(single.url + path)
        expect(page.get_by_text("There is nothing here")).to_be_visible()
        texts.append(page.locator("main").inner_text())
    assert texts[0] == texts[1]


@pytest.mark.req("DOM-UI-30")
def test_list_and_run_fit_a_phone(single: Site, visitors: Visitors) -> None:
    asked(single, visitors)
    page = visitors.owner(single, "/activity", **PHONE)
    page.locator(".runs a.asked").first.click()
    expect(page.get_by_role("button", name="Ran a calculation")).to_be_visible()
    for path in ("", "/activity", "/settings"):
        if path:
            page.goto(single.url + path)
            expect(page.locator(".page")).to_be_visible()
        width = page.evaluate("() => document.querySelector('.scroll').scrollWidth")
        assert width <= 375, path
