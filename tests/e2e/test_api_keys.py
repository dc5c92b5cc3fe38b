"""API keys on the screen: made, copied, used, revoked, refused."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> Page:
    """Open the keys of an organization of the test's own."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Keys {request.node.name[:40]}")
    page.goto(f"{single.url}/settings?org={slug}")
    page.get_by_role("link", name="API keys").click()
    expect(page.get_by_text("No API keys yet")).to_be_visible()
    return page


@pytest.mark.req("DOM-AUTH-14", "SRF-API-01")
def test_a_key_is_made_copied_used_and_revoked(page: Page, single: Site) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Create a key").click()
    dialog = page.get_by_role("dialog")
    name = dialog.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    name.press("Enter")
    expect(dialog.locator("#key_name-problem")).to_have_text("Fill this in.")
    dialog.get_by_role("checkbox", name="Ask agents").uncheck()
    name.fill("Nightly report")
    name.press("Enter")
    expect(dialog.get_by_text("Choose at least one.")).to_be_visible()
    dialog.get_by_role("checkbox", name="Ask agents").check()
    dialog.get_by_label("Expires").select_option("30")
    name.press("Control+Enter")
    shown = page.get_by_role("dialog", name="Your new API key")
    expect(shown).to_be_visible()
    token = shown.locator(".secret-text").first.inner_text()
    shown.get_by_role("button", name="Copy the key").click()
    assert page.evaluate("navigator.clipboard.readText()") == token
    assert (
        f'curl {single.url}/api/v1/agents -H "Authorization: Bearer {token}"'
        == shown.locator(".secret-text").last.inner_text()
    )
    shown.get_by_role("button", name="I have copied it").click()
    expect(shown).to_have_count(0)
    assert token not in page.content()
    row = page.locator(".key")
    expect(row).to_contain_text("Nightly report")
    expect(row).to_contain_text("Ask agents")
    expect(row).to_contain_text("Never used")
    expect(row).to_contain_text(f"{token[:12]}…{token[-4:]}")
    with httpx.Client(headers={"authorization": f"Bearer {token}"}, timeout=60) as program:
        (agent,) = program.get(f"{single.url}/api/v1/agents").json()["rows"]
        foreign = {"origin": "https://elsewhere.example"}
        run = f"{single.url}/api/v1/agents/{agent['id']}/run"
        answer = program.post(run, json={"prompt": "What is 17*23?"}, headers=foreign)
        assert "391" in answer.json()["output"], answer.text
        page.reload()
        expect(row).to_contain_text("Last used")
        row.get_by_role("button", name="Revoke Nightly report").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Revoke the key").click()
        expect(row).to_contain_text("Revoked")
        assert program.get(f"{single.url}/api/v1/agents").status_code == 401
    page.get_by_role("button", name="Usable only").click()
    expect(page.get_by_text("No key is usable now")).to_be_visible()
    page.get_by_role("button", name="Show all keys").click()
    expect(row).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_for_programmers_is_read_on_a_phone(page: Page, single: Site, theme: str) -> None:
    with page.expect_popup() as opened:
        page.get_by_role("link", name="How to use the API").click()
    page = opened.value
    page.emulate_media(color_scheme=theme)  # pyright: ignore[reportArgumentType]
    page.set_viewport_size({"width": 375, "height": 812})
    expect(page.get_by_role("heading", name="AgenticOS API")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if theme == "light" else "rgb(19, 19, 22)")
    page.get_by_role("link", name="Errors").click()
    expect(page.get_by_text("idempotency_key_reused").last).to_be_attached()
