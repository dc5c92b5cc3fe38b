"""Versions, sharing and the test chat of an agent, as authors use them in the Builder."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.chat import finished
from tests.e2e.conftest import Site, Visitors
from tests.e2e.test_activity import new_organization

pytestmark = pytest.mark.e2e


@pytest.fixture
def address(single: Site, visitors: Visitors, request: pytest.FixtureRequest) -> tuple[Page, str]:
    """Make an agent with two versions in an organization of the test's own, and open it."""
    page = visitors.owner(single)
    slug = new_organization(page, single, f"Dock {request.node.name[:40]}")
    made = page.request.post(f"{single.url}/api/v1/agents?organization={slug}", data={"name": "Quill"})
    assert made.ok, made.text()
    agent = f"{single.url}/api/v1/agents/{made.json()['id']}"
    for text in ("Answer in one word.", "Answer in two words."):
        draft = page.request.get(f"{agent}/draft?organization={slug}").json()
        body = {"revision": draft["revision"], "spec": {**draft["spec"], "instructions": text}}
        assert page.request.put(f"{agent}/draft?organization={slug}", data=body).ok
        assert page.request.post(f"{agent}/publish?organization={slug}", data={"note": text}).ok
    return page, f"{single.url}/agents/edit?org={slug}&a={made.json()['id']}"


@pytest.mark.req("DOM-AGENT-09", "DOM-AGENT-11")
def test_going_back_to_a_version(address: tuple[Page, str]) -> None:
    page, url = address
    page.goto(f"{url}&s=versions")
    page.get_by_role("button", name="What changed in version 2").click()
    expect(page.locator(".changes del")).to_contain_text("Answer in one word.")
    expect(page.locator(".changes ins")).to_contain_text("Answer in two words.")
    page.get_by_role("button", name="What to do with version 1").click()
    page.get_by_role("menuitem", name="Roll back to this").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("These environments run it at once: production.")
    dialog.get_by_role("button", name="Roll back").click()
    expect(page.get_by_text("Published as version 3")).to_be_visible()
    expect(page.get_by_text("rollback to v1")).to_be_visible()
    expect(page.get_by_text("Live, version 3")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="production")
    expect(row).to_contain_text("Version 3")
    page.get_by_role("link", name="Instructions", exact=True).click()
    expect(page.get_by_label("What the agent is told")).to_have_value("Answer in one word.")


@pytest.mark.req("DOM-PERM-15", "DOM-AGENT-29", "DOM-AGENT-35")
def test_basics_hold_at_once_and_it_is_shared_with_a_person(address: tuple[Page, str], single: Site) -> None:
    page, url = address
    page.goto(f"{url}&s=basics")
    name = page.get_by_label("Name", exact=True)
    name.fill("Quill Two")
    expect(page.get_by_role("heading", name="Quill Two").last).to_be_visible()
    category = page.get_by_label("Categories", exact=True)
    category.fill("Support")
    category.press("Enter")
    expect(page.get_by_role("button", name="Remove support")).to_be_visible()
    png = b"\x89PNG\r\n\x1a\n" + bytes(32)
    chooser = page.locator("input[type=file][accept^='image']")
    chooser.set_input_files({"name": "a.txt", "mimeType": "image/png", "buffer": b"no image"})
    expect(page.get_by_text("This is not a JPEG")).to_be_visible()
    chooser.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": png})
    expect(page.get_by_role("button", name="Remove", exact=True)).to_be_visible()
    page.get_by_role("radio", name=re.compile("Only me")).check()
    person = page.get_by_label("E-mail of a member")
    person.fill("nobody@example.org")
    person.press("Enter")
    expect(page.locator("#email-problem")).to_contain_text("No member of this organization")
    person.fill(single.email)
    page.get_by_label("Access", exact=True).select_option("edit")
    page.get_by_role("button", name="Give access").click()
    expect(page.get_by_label("Access of Olga Owner")).to_have_value("edit")
    page.reload()
    expect(page.get_by_label("Access of Olga Owner")).to_have_value("edit")
    expect(page.get_by_role("radio", name=re.compile("Only me"))).to_be_checked()
    expect(name).to_have_value("Quill Two")


@pytest.mark.req("DOM-RUN-06", "DOM-UI-07")
def test_the_draft_is_tried_out_changed_and_tried_out_again(address: tuple[Page, str]) -> None:
    page, url = address
    page.goto(f"{url}&s=instructions")
    panel = page.get_by_role("complementary", name="Test chat")
    panel.get_by_role("button", name="What can you help me with?").click()
    expect(panel.locator(".bubble")).to_have_text("What can you help me with?")
    assert finished(page)
    again = panel.get_by_role("button", name="Run again")
    expect(again).to_have_count(0)
    told = page.get_by_label("What the agent is told")
    told.fill("Answer in three words.")
    told.blur()
    again.click()
    expect(panel.locator(".bubble")).to_have_count(2)
    finished(page)
    expect(again).to_have_count(0)
    panel.get_by_label("What is tested").select_option("1")
    page.get_by_role("button", name="Hide test chat").first.click()
    expect(panel).to_have_count(0)
    page.reload()
    show = page.get_by_role("button", name="Show test chat")
    expect(show).to_be_visible()
    expect(panel).to_have_count(0)
    show.click()
    expect(panel).to_be_visible()
    expect(panel.locator("textarea")).to_be_focused()


@pytest.mark.req("DOM-UI-07", "DOM-AGENT-25", "DOM-AGENT-26", "DOM-AGENT-27")
def test_the_file_the_copy_and_the_end_of_an_agent(address: tuple[Page, str]) -> None:
    page, url = address
    page.goto(f"{url}&s=versions")
    more = page.get_by_role("button", name="More about this agent")
    more.click()
    with page.expect_download() as file:
        page.get_by_role("menuitem", name="Download as YAML").click()
    assert file.value.suggested_filename == "quill-draft.yaml"
    assert "Answer in two words." in file.value.path().read_text()
    changed = file.value.path().read_text().replace("in two words", "at length")
    page.get_by_role("button", name="Import YAML").click()
    dialog = page.get_by_role("dialog")
    document = dialog.get_by_label("YAML", exact=True)
    document.fill("surprise: 1")
    document.press("Control+Enter")
    expect(page.locator("#document-problem")).to_contain_text("no such field: surprise")
    dialog.locator("input[type=file]").set_input_files(
        {"name": "quill.yaml", "mimeType": "application/yaml", "buffer": changed.encode()}
    )
    expect(document).to_have_value(re.compile("at length"))
    dialog.get_by_role("button", name="Import YAML").click()
    expect(page.get_by_text("The draft is what the file says")).to_be_visible()
    expect(page.get_by_text("Draft differs from version 2")).to_be_visible()
    more.click()
    page.get_by_role("menuitem", name="Copy the agent").click()
    expect(page.get_by_role("heading", name="Quill (copy)").last).to_be_visible()
    more.click()
    page.get_by_role("menuitem", name="Archive the agent").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Archive the agent").click()
    expect(page.get_by_text("Archived", exact=True)).to_be_visible()
    page.get_by_role("link", name="Versions", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    dialog = page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("0 versions, 0 environments and 0 runs are deleted with it.")
    dialog.get_by_role("button", name="Delete the agent").click()
    page.wait_for_url(re.compile(r"/agents(\?|$)"))
