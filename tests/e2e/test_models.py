"""The models page, as people use it."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e

KEY = "sk-typed-for-a-model-6161"


@pytest.fixture
def page(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> Page:
    """Open the models of an organization of the test's own."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Quay {request.node.name[:40]}")
    page.goto(f"{single.url}/models?org={slug}")
    expect(page.get_by_role("row").filter(has_text="Practice model")).to_contain_text("For new agents")
    return page


@pytest.mark.req("DOM-MODEL-01", "DOM-MODEL-05", "DOM-MODEL-12", "DOM-MODEL-19")
def test_a_model_is_added_with_a_key_changed_and_deleted(page: Page) -> None:
    page.get_by_role("button", name="Add a model").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Provider").select_option("anthropic")
    dialog.get_by_role("button", name="Add a key").click()
    adding = page.get_by_role("dialog").filter(has_text="Add a secret")
    adding.get_by_label("API key").fill(KEY)
    adding.get_by_role("button", name="Keep the secret").click()
    expect(dialog.get_by_label("Key", exact=True)).to_contain_text(f"····{KEY[-4:]}")
    model = dialog.get_by_label("Model", exact=True)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_text("Fill this in.")).to_be_visible()
    model.fill("claude-sonnet-4-5")
    dialog.get_by_text("Advanced").click()
    dialog.get_by_label("Temperature").fill("0.3")
    dialog.get_by_label("If it fails, ask").select_option(label="Practice model")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="claude-sonnet-4-5")
    expect(row).to_contain_text(f"····{KEY[-4:]}")
    expect(row).to_contain_text("$3")
    expect(row).to_contain_text("Practice model")
    row.get_by_role("button").click()
    page.get_by_role("menuitem", name="Edit").click()
    expect(dialog.get_by_label("Model", exact=True)).to_have_value("claude-sonnet-4-5")
    dialog.get_by_label("Key", exact=True).select_option("")
    dialog.get_by_role("textbox", name="Name").fill("Our Claude")
    dialog.get_by_role("textbox", name="Name").press("Control+Enter")
    row = page.locator("tr", has=page.locator(".b", has_text="Our Claude"))
    expect(row).to_contain_text("No key")
    row.get_by_role("button").click()
    page.get_by_role("menuitem", name="Suggest it for new agents").click()
    expect(row).to_contain_text("For new agents")
    row.get_by_role("button").click()
    page.get_by_role("menuitem", name="Delete").click()
    asked = page.get_by_role("alertdialog")
    expect(asked).to_contain_text("Assistant (agent, will fail)")
    asked.get_by_role("button", name="Delete the model").click()
    expect(row).to_have_count(0)
    expect(page.get_by_text("The model was deleted")).to_be_visible()


@pytest.mark.req("DOM-UI-28")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone_and_is_left_by_keyboard(
    page: Page, theme: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = Path(tmp_path_factory.getbasetemp())
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.screenshot(path=folder / f"models-{theme}.png")
    page.get_by_role("button", name="Add a model").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.screenshot(path=folder / f"models-add-{theme}.png")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.set_viewport_size({"width": 375, "height": 812})
    page.screenshot(path=folder / f"models-phone-{theme}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
