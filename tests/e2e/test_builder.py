"""The Builder, as authors use it."""

import re
from pathlib import Path

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
    told.fill("You help with boats. Use ")
    page.get_by_role("button", name="{{date}}").click()
    told.press_sequentially(" and {{tide}}.")
    words = "You help with boats. Use {{date}} and {{tide}}."
    problems = page.get_by_role("button", name="1 problem")
    expect(problems).to_be_visible()
    told.press_sequentially(" Typed just before the page is left.")
    page.reload()
    words += " Typed just before the page is left."
    expect(told).to_have_value(words)
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.get_by_role("link", name="Budget", exact=True).click()
    page.get_by_label("Per month, dollars").fill("12.5")
    problems.click()
    page.get_by_role("link", name="The instructions name the variable tide").click()
    expect(told).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_label("Name", exact=True).fill("tide")
    page.get_by_label("Default", exact=True).fill("high")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("default: high")).to_be_visible()
    expect(problems).to_have_count(0)
    page.get_by_role("link", name="Model", exact=True).click()
    expect(page.get_by_role("radio", name=re.compile("Practice model"))).to_be_checked()
    page.get_by_role("button", name="Add a model").click()
    adding = page.get_by_role("dialog")
    adding.get_by_label("Provider").select_option("practice")
    adding.get_by_role("textbox", name="Name").fill("Second practice")
    adding.get_by_role("button", name="Save").click()
    expect(page.get_by_role("radio", name=re.compile("Second practice"))).to_be_checked()
    page.get_by_role("button", name="More about this agent").click()
    with page.expect_download() as file:
        page.get_by_role("menuitem", name="Download as YAML").click()
    assert words in file.value.path().read_text()
    page.get_by_role("button", name="Publish version 1").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Per month, dollars")
    expect(dialog).to_contain_text("Variables · tide")
    expect(dialog.get_by_label("Note")).to_be_focused()
    page.keyboard.type("First")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Version 1 is published.")).to_be_visible()
    expect(page.get_by_text("Live, version 1")).to_be_visible()


@pytest.mark.req("DOM-AGENT-05")
def test_a_second_page_is_asked_before_it_overwrites(
    address: tuple[Page, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    page, url = address
    other = page.context.new_page()
    other.goto(f"{url}&s=instructions")
    mine, theirs = page.get_by_label("What the agent is told"), other.get_by_label("What the agent is told")
    expect(theirs).to_be_visible()
    theirs.fill("Theirs.")
    theirs.blur()
    expect(other.get_by_text("Saving")).to_have_count(0)
    mine.fill("Mine.")
    mine.blur()
    notice = page.get_by_role("alert").filter(has_text="changed this draft meanwhile")
    expect(notice).to_contain_text("Olga Owner")
    expect(page.get_by_text("Not saved", exact=True)).to_be_visible()
    page.get_by_role("button", name="Reload").click()
    expect(mine).to_have_value("Theirs.")
    theirs.fill("Theirs again.")
    theirs.blur()
    expect(other.get_by_text("Saving")).to_have_count(0)
    mine.fill("Mine stays.")
    mine.blur()
    page.get_by_role("button", name="Keep mine").click()
    expect(notice).to_have_count(0)
    page.reload()
    expect(mine).to_have_value("Mine stays.")
    _look(page, Path(tmp_path_factory.getbasetemp()), url)


def _look(page: Page, folder: Path, url: str) -> None:
    """Take pictures, and see that nothing is wider than a phone."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for section in ("instructions", "model", "budget"):
            page.set_viewport_size({"width": 1440, "height": 900})
            page.goto(f"{url}&s={section}")
            expect(page.get_by_role("heading", name=section.capitalize(), exact=True)).to_be_visible()
            page.screenshot(path=folder / f"builder-{section}-{theme}.png")
            page.set_viewport_size({"width": 375, "height": 812})
            page.screenshot(path=folder / f"builder-{section}-{theme}-phone.png")
            assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Publish version 1").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.screenshot(path=folder / "builder-publish.png")
