"""The catalogue of agents, as people use it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> Page:
    """Open the catalogue of an organization of the test's own."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Dock {request.node.name[:40]}")
    page.goto(f"{single.url}/agents?org={slug}")
    expect(card(page, "Assistant")).to_contain_text("Live, version 1")
    return page


def card(page: Page, name: str) -> Locator:
    return page.locator(".agent-card").filter(has=page.get_by_role("link", name=name, exact=True))


def choose(page: Page, name: str, what: str) -> None:
    """Do something of the menu of an agent's card."""
    card(page, name).get_by_role("button", name=f"What to do with {name}").click()
    page.get_by_role("menuitem", name=what).click()


def new_agent(page: Page, name: str, template: str = "") -> None:
    """Make an agent and come back to the catalogue."""
    catalogue = page.url
    page.get_by_role("button", name="New agent").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type(name)
    if template:
        dialog.get_by_role("radio", name=template).check()
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile(r"/agents/edit\?a=[0-9a-f-]{36}&org="))
    page.goto(catalogue)


@pytest.mark.req("DOM-UI-06", "DOM-AGENT-29", "DOM-AGENT-30", "DOM-PERM-14")
def test_an_agent_of_a_template_is_made_found_and_deleted(page: Page, single: Site) -> None:
    page.get_by_role("button", name="New agent").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("radio", name="Everyone")).to_be_checked()
    expect(dialog.get_by_role("radio", name="Assistant")).to_be_checked()
    bills = dialog.locator(".template", has_text="Finance Analyst")
    expect(bills).to_contain_text("Checks invoices against orders")
    expect(bills).to_contain_text("Calculations")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.locator("#name-problem")).to_contain_text("Fill this in")
    page.keyboard.press("Escape")
    new_agent(page, "Bills", template="Finance Analyst")
    made = card(page, "Bills")
    expect(made).to_contain_text("Draft, never published")
    expect(made).to_contain_text("Everyone")
    expect(made.get_by_role("link", name="Chat")).to_have_count(0)
    expect(card(page, "Assistant").get_by_role("link", name="Chat")).to_have_attribute(
        "href", re.compile(r"/chat\?agent=[0-9a-f-]{36}&org=")
    )

    page.get_by_role("button", name="Draft", exact=True).click()
    expect(page).to_have_url(re.compile(r"status=draft"))
    expect(page.locator(".agent-card")).to_have_count(1)
    page.get_by_label("Search agents").fill("nothing like it")
    expect(page.get_by_text("No agent matches these filters")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Search agents")).to_have_value("nothing like it")
    page.locator(".ctr").get_by_role("button", name="Clear filters").click()
    expect(page.locator(".agent-card")).to_have_count(2)
    page.go_back()
    expect(page.get_by_text("No agent matches these filters")).to_be_visible()
    page.go_forward()

    choose(page, "Bills", "Clone")
    expect(page.get_by_text("The agent was copied")).to_be_visible()
    choose(page, "Bills (copy)", "Archive")
    expect(page.locator(".agent-card")).to_have_count(2)
    page.get_by_role("button", name="Archived", exact=True).click()
    choose(page, "Bills (copy)", "Delete")
    asked = page.get_by_role("alertdialog")
    expect(asked).to_contain_text("0 published versions")
    asked.get_by_role("button", name="Delete the agent").click()
    expect(page.get_by_text("The agent was deleted")).to_be_visible()
    expect(page.locator(".agent-card")).to_have_count(0)


@pytest.mark.req("DOM-UI-06", "DOM-AGENT-27")
def test_a_file_is_refused_with_its_field_and_a_good_one_comes_back(page: Page, tmp_path: Path) -> None:
    with page.expect_download() as given:
        choose(page, "Assistant", "Download YAML")
    good, bad = tmp_path / "claims-desk-v3.yaml", tmp_path / "bad.yaml"
    given.value.save_as(good)
    assert given.value.suggested_filename == "getting-started-draft.yaml"
    bad.write_text(good.read_text() + "secret_plan: sk-never-repeated\n")
    page.get_by_role("button", name="Import YAML").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Choose a file first.")
    file, name = dialog.locator("input[type=file]"), dialog.get_by_label("Name", exact=True)
    for text, said in (
        (bad.read_text(), "Field “secret_plan”: There is no such field."),
        ("spec_version: 99\n", "Field “spec_version”: It is of a newer release"),
        ("- a list\n", "no settings by name"),
        ("a: [", "not a YAML file"),
        ("#" * 1_000_001, "larger than 1 MB"),
    ):
        bad.write_text(text)
        file.set_input_files(bad)
        expect(name).to_have_value("Bad")
        dialog.get_by_role("button", name="Import").click()
        expect(dialog.get_by_role("alert")).to_contain_text(said)
        expect(dialog).not_to_contain_text("sk-never-repeated")
    file.set_input_files(good)
    expect(name).to_have_value("Claims desk")
    name.fill("")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog.locator("#name-problem")).to_contain_text("Fill this in")
    name.fill("Claims desk")
    name.press("Enter")
    expect(page).to_have_url(re.compile(r"/agents/edit\?a="))
    page.goto(page.url.replace("/agents/edit", "/agents"))
    expect(card(page, "Claims desk")).to_contain_text("Draft, never published")
