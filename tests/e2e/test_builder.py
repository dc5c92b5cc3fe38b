"""The Builder, as authors use it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e


@pytest.fixture
def address(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> tuple[Page, str]:
    """Make an agent in an organization of the test's own, and open it."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Yard {request.node.name[:40]}")
    made = page.request.post(f"{single.url}/api/v1/agents?organization={slug}", data={"name": "Quill"})
    assert made.ok, made.text()
    address = f"{single.url}/agents/edit?org={slug}&a={made.json()['id']}"
    page.goto(f"{address}&s=instructions")
    expect(page.get_by_role("heading", name="Quill").last).to_be_visible()
    return page, address


@pytest.mark.req("DOM-AGENT-04", "DOM-UI-07", "DOM-UI-08")
def test_what_is_typed_is_saved_kept_and_published(address: tuple[Page, str]) -> None:
    page, _ = address
    told = page.get_by_label("What the agent is told")
    told.fill("You help with boats. Use {{tide}}.")
    problems = page.get_by_role("button", name="1 problem")
    expect(problems).to_be_visible()
    page.reload()
    expect(told).to_have_value("You help with boats. Use {{tide}}.")
    page.get_by_label("Name", exact=True).fill("tide")
    page.get_by_label("Default", exact=True).fill("high")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("default: high")).to_be_visible()
    expect(problems).to_have_count(0)
    page.get_by_role("link", name="Budget", exact=True).click()
    page.get_by_label("Per month, dollars").fill("12.5")
    page.get_by_role("link", name="Model", exact=True).click()
    expect(page.get_by_role("radio", name=re.compile("Practice model"))).to_be_checked()
    page.get_by_role("button", name="Publish version 1").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Per month, dollars")
    dialog.get_by_label("Note").fill("First")
    dialog.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Version 1 is published.")).to_be_visible()
    expect(page.get_by_text("Live, version 1")).to_be_visible()


@pytest.mark.req("DOM-AGENT-05", "DOM-AGENT-13")
def test_a_second_page_is_asked_before_it_overwrites(address: tuple[Page, str]) -> None:
    page, url = address
    other = page.context.new_page()
    other.goto(f"{url}&s=instructions")
    mine, theirs = page.get_by_label("What the agent is told"), other.get_by_label("What the agent is told")
    expect(theirs).to_be_visible()
    theirs.fill("Theirs.")
    theirs.blur()
    expect(other.get_by_text("Draft saved")).to_be_visible()
    other.wait_for_timeout(1_000)
    mine.fill("Mine.")
    mine.blur()
    notice = page.get_by_role("alert").filter(has_text="changed this draft meanwhile")
    expect(notice).to_be_visible()
    page.get_by_role("button", name="Reload").click()
    expect(mine).to_have_value("Theirs.")
