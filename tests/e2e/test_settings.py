"""The organization's settings, as people use them."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e

DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082"
)
"""A PNG of one pixel."""


@pytest.fixture
def page(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> Page:
    """Open the settings of an organization of the test's own."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Wharf {request.node.name[:40]}")
    page.goto(f"{single.url}/settings?org={slug}")
    expect(page.get_by_label("Name")).to_be_visible()
    return page


@pytest.mark.req("DOM-UI-29", "DOM-ORG-03")
def test_a_name_that_does_not_fit_is_marked_on_its_field(page: Page) -> None:
    name = page.get_by_label("Name")
    name.fill("H")
    name.press("Control+Enter")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#name-problem")).to_have_text("This is too short.")
    expect(page.locator(".toast")).to_have_count(0)
    name.fill("Harbor & Sons")
    page.get_by_label("Rose").check()
    name.press("Control+Enter")
    expect(page.locator(".side .org")).to_contain_text("Harbor & Sons")
    expect(name).to_have_attribute("aria-invalid", "false")
    page.reload()
    expect(page.get_by_label("Name")).to_have_value("Harbor & Sons")
    expect(page.get_by_label("Rose")).to_be_checked()


@pytest.mark.req("DOM-ORG-05")
def test_the_cap_is_taken_away_by_an_empty_field(page: Page) -> None:
    cap = page.get_by_label("Cap in US dollars")
    expect(cap).to_have_value("100")
    cap.fill("plenty")
    cap.press("Control+Enter")
    expect(cap).to_have_attribute("aria-invalid", "true")
    cap.fill("")
    cap.press("Control+Enter")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_label("Cap in US dollars")).to_have_value("")


@pytest.mark.req("DOM-UI-29")
def test_a_conflict_is_said_where_it_arose(page: Page, single: Site) -> None:
    page.get_by_role("button", name="Add a member").click()
    dialog = page.get_by_role("dialog")
    address = dialog.get_by_label("E-mail")
    expect(address).to_be_focused()
    for typed, said in (
        ("nobody", "This is not a complete address."),
        ("nobody@example.org", "Nobody here has an account with this address."),
        (single.email, "This person is a member already."),
    ):
        address.fill(typed)
        address.press("Enter")
        expect(dialog.locator("#email-problem")).to_contain_text(said)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Add a member")).to_be_focused()
    role = page.get_by_label("Role of Olga Owner")
    role.select_option("viewer")
    expect(page.locator(".member .err")).to_contain_text("An organization needs an owner")
    expect(role).to_have_value("owner")
    expect(page.locator(".toast")).to_have_count(0)


@pytest.mark.req("DOM-ORG-03", "DOM-UI-29")
def test_an_image_is_taken_by_its_content(page: Page, tmp_path: Path) -> None:
    chooser = page.locator("main input[type=file]")
    fake, large, real = (tmp_path / name for name in ("fake.png", "large.png", "real.txt"))
    fake.write_bytes(b"<svg/>")
    large.write_bytes(DOT + b"\x00" * (2 * 1024 * 1024))
    real.write_bytes(DOT)
    chooser.set_input_files(fake)
    expect(page.get_by_role("alert")).to_have_text("This is not a JPEG, PNG, WebP or GIF image.")
    chooser.set_input_files(large)
    expect(page.get_by_role("alert")).to_have_text("This image is larger than 2 MB.")
    chooser.set_input_files(real)
    image = page.locator("img.org-image")
    expect(image).to_be_visible()
    assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") == 1
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("span.org-image")).to_be_visible()


def test_a_new_organization_is_founded_and_shown(page: Page) -> None:
    page.get_by_role("button", name="New organization").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Second Harbor")
    page.keyboard.press("Enter")
    page.wait_for_url("**/chat")
    expect(page.locator(".side .org")).to_contain_text("Second Harbor")
