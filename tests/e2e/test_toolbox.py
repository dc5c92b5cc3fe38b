"""The Toolbox of the Builder, as authors use it."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> Page:
    """Open the Toolbox of a new agent."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Quay {request.node.name[:40]}")
    answer = page.request.post(
        f"{single.url}/api/v1/agents",
        data={"name": "Claims Desk"},
        headers={"X-Organization-Id": slug, "Origin": single.url},
    )
    assert answer.ok, answer.text()
    page.goto(f"{single.url}/agents/edit?a={answer.json()['id']}&s=toolbox&org={slug}")
    expect(page.get_by_role("heading", name="Toolbox")).to_be_visible()
    return page


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article").filter(has=page.get_by_role("button", name=name, exact=True))


def column(page: Page, name: str) -> Locator:
    return page.get_by_role("complementary", name=name)


@pytest.mark.req("CAP-REG-06", "CAP-REG-13", "CAP-BIND-07", "CAP-BIND-11")
def test_a_capability_is_switched_on_set_and_its_tool_renamed(page: Page) -> None:
    calculations = card(page, "Calculations")
    expect(calculations).to_contain_text("Recommended")
    before = page.get_by_role("switch", checked=True).count()
    thinking = card(page, "Thinking")
    thinking.get_by_role("switch").click()
    expect(thinking.get_by_role("switch")).to_be_checked()
    thinking.get_by_role("button", name="Thinking", exact=True).click()
    column(page, "Thinking").get_by_label("Effort").select_option("high")
    expect(page.get_by_role("button", name=f"On {before + 1}")).to_be_visible()
    calculations.get_by_role("button", name="Calculations", exact=True).press("Enter")
    opened = column(page, "Calculations")
    opened.get_by_role("button", name="Advanced settings").click()
    opened.get_by_label("Longest calculation").fill("500")
    expect(opened.get_by_text("This is too large.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(calculations.get_by_role("img", name="1 problem")).to_be_visible()
    page.get_by_role("button", name="1 problem").click()
    page.get_by_role("link", name="Change the setting “Longest calculation”").click()
    expect(opened.get_by_label("Longest calculation")).to_be_focused()
    opened.get_by_label("Longest calculation").fill("30")
    expect(opened.get_by_text("This is too large.")).to_have_count(0)
    opened.get_by_role("button", name="Run a calculation").click()
    name = opened.get_by_label("Name the model sees")
    name.fill("work it out")
    expect(opened.get_by_text("No model can call a tool").first).to_be_visible()
    name.fill("compute")
    expect(opened.get_by_label("What the model is told")).to_contain_text("compute")
    opened.get_by_label("Description the model sees").fill("Compute what was asked.")
    expect(opened.get_by_label("What the model is told")).to_have_text("computeCompute what was asked.")
    opened.get_by_label("Approval of Run a calculation").select_option("required")
    expect(opened.get_by_text("Nobody is asked yet")).to_be_visible()
    page.reload()
    expect(card(page, "Thinking").get_by_role("switch")).to_be_checked()
    card(page, "Thinking").get_by_role("button", name="Thinking", exact=True).click()
    expect(column(page, "Thinking").get_by_label("Effort")).to_have_value("high")
    card(page, "Calculations").get_by_role("button", name="Calculations", exact=True).click()
    opened = column(page, "Calculations")
    expect(opened.get_by_label("Longest calculation")).to_have_value("30")
    expect(opened.get_by_text("compute", exact=True)).to_be_visible()
    expect(opened.get_by_label("Approval of Run a calculation")).to_have_value("required")
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(card(page, "Calculations").get_by_role("button", name="Calculations", exact=True)).to_be_focused()


@pytest.mark.req("DOM-UI-28")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone_and_both_themes(
    page: Page, theme: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = Path(tmp_path_factory.getbasetemp())
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    card(page, "Calculations").get_by_role("button", name="Calculations", exact=True).click()
    opened = column(page, "Calculations")
    opened.get_by_role("button", name="Run a calculation").click()
    opened.get_by_role("button", name="Advanced settings").click()
    expect(opened.get_by_label("What the model is told")).to_be_visible()
    page.screenshot(path=folder / f"toolbox-{theme}.png")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 375, "height": 812})
    page.screenshot(path=folder / f"toolbox-phone-{theme}.png")
    card(page, "Calculations").get_by_role("button", name="Calculations", exact=True).click()
    sheet = page.get_by_role("dialog", name="Calculations")
    sheet.get_by_role("button", name="Run a calculation").click()
    expect(sheet.get_by_label("Name the model sees")).to_be_visible()
    page.screenshot(path=folder / f"toolbox-sheet-{theme}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
