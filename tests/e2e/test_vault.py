"""The vault, as people use it."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization
from tests.unit.contracts.test_secrets import ACCOUNT

pytestmark = pytest.mark.e2e

KEY = "sk-typed-in-a-browser-5151"


@pytest.fixture
def page(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> Page:
    """Open the vault of an organization of the test's own."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Pier {request.node.name[:40]}")
    page.goto(f"{single.url}/vault?org={slug}")
    expect(page.get_by_text("No secrets yet")).to_be_visible()
    return page


def add(page: Page, key: str = KEY, name: str = "") -> Locator:
    """Add a key of OpenAI by keyboard; return its row."""
    page.get_by_role("button", name="Add a secret").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Service", exact=True).select_option("openai")
    dialog.get_by_label("API key").fill(key)
    named = dialog.get_by_role("textbox", name="Name")
    named.fill(name)
    named.press("Enter")
    expect(dialog).to_have_count(0)
    row = page.get_by_role("row").filter(has_text=name or "OpenAI")
    expect(row).to_contain_text(f"····{key[-4:]}")
    return row


def ask(page: Page, row: Locator, what: str) -> Locator:
    row.get_by_role("button").click()
    page.get_by_role("menuitem", name=what).click()
    return page.get_by_role("dialog").or_(page.get_by_role("alertdialog"))


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-08")
def test_a_key_is_added_replaced_and_deleted_and_never_comes_back(page: Page) -> None:
    received: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: received.append(str(data))))
    page.reload()
    expect(page.get_by_text("No secrets yet")).to_be_visible()
    row = add(page)
    expect(row).to_contain_text("API key")
    expect(row).to_contain_text("Never")
    dialog = ask(page, row, "Replace the value")
    value = dialog.get_by_label("API key")
    expect(value).to_have_value("")
    expect(value).to_be_focused()
    value.fill("sk-a b\tż")
    value.press("Enter")
    expect(value).to_have_attribute("aria-invalid", "true")
    expect(value).to_have_value("sk-a b\tż")
    value.fill("sk-the-next-key-6262")
    value.press("Enter")
    expect(dialog).to_have_count(0)
    expect(row).to_contain_text("····6262")
    expect(page.get_by_text("The value was replaced")).to_be_visible()
    page.reload()
    dialog = ask(page, page.get_by_role("row").filter(has_text="OpenAI"), "Delete")
    expect(dialog).to_contain_text("Nothing uses it.")
    dialog.get_by_role("button", name="Delete the secret").click()
    expect(page.get_by_text("No secrets yet")).to_be_visible()
    assert received
    shown = page.content() + "".join(received)
    assert [one for one in (KEY, "sk-the-next-key-6262") if one in shown] == []


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-05")
def test_the_service_fixes_the_form_and_a_file_fills_it(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Add a secret").first.click()
    dialog = page.get_by_role("dialog")
    service = dialog.get_by_label("Service", exact=True)
    expect(service).to_be_focused()
    service.select_option("bedrock")
    expect(dialog.get_by_label("Access key ID")).to_be_visible()
    expect(dialog.get_by_label("API key")).to_have_count(0)
    service.select_option("google_cloud")
    content = dialog.get_by_label("Key file")
    content.fill("not a key file")
    content.press("Control+Enter")
    expect(dialog.locator("#service_account-problem")).to_contain_text("This is not the key file")
    expect(content).to_have_value("not a key file")
    file = tmp_path / "account.json"
    file.write_text(json.dumps(ACCOUNT))
    dialog.locator("input[type=file]").set_input_files(file)
    expect(content).to_have_value(json.dumps(ACCOUNT))
    dialog.get_by_role("button", name="Keep the secret").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="Google Cloud")).to_contain_text("Service account")


@pytest.mark.req("DOM-UI-19", "DOM-SECRET-18")
def test_a_secret_is_shared_and_found(page: Page, single: Site) -> None:
    row = add(page, name="Support desk")
    expect(row).to_contain_text("Only me")
    dialog = ask(page, row, "Share")
    dialog.get_by_role("radio", name="Everyone").check()
    expect(page.locator(".vault tbody")).to_contain_text("Everyone")
    address = dialog.get_by_label("E-mail of a member")
    address.fill("nobody@example.org")
    address.press("Enter")
    expect(dialog.locator("#email-problem")).to_contain_text("No member of this organization")
    address.fill(single.email)
    dialog.get_by_label("Access", exact=True).select_option("edit")
    dialog.get_by_role("button", name="Give access").click()
    given = dialog.get_by_label("Access of Olga Owner")
    expect(given).to_have_value("edit")
    given.select_option("read")
    dialog.get_by_role("button", name="Take access from Olga Owner").click()
    expect(given).to_have_count(0)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    search = page.get_by_label("Search secrets")
    search.fill("no such name")
    expect(page.get_by_text("No secret has this in its name")).to_be_visible()
    page.get_by_role("button", name="Clear the search").click()
    expect(page.get_by_role("row").filter(has_text="Support desk")).to_be_visible()


@pytest.mark.req("DOM-UI-19")
def test_the_vault_fits_a_phone(page: Page) -> None:
    add(page, name="A rather long name for a key that somebody gave it once upon a time")
    page.set_viewport_size({"width": 375, "height": 812})
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    dialog = ask(page, page.get_by_role("row").filter(has_text="rather long"), "Edit")
    box = dialog.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
