"""What steps show: charts, and what an agent lacks."""

import re

import pytest
from playwright.sync_api import APIRequestContext, Page, expect

from tests.e2e.chat import answer, ask, conversation, finished
from tests.e2e.conftest import Site, Visitors

pytestmark = pytest.mark.e2e
DRAW = "Draw a line chart of visitors: Mon 12, Tue 18, Wed 9"


@pytest.mark.req("CAP-CHART-01")
def test_a_chart_is_drawn_live_after_a_reload_and_on_the_runs_page(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    scripts: list[str] = []
    page.on("request", lambda request: scripts.append(request.url))
    page.goto(f"{single.url}/chat")
    expect(page.locator("textarea.ask")).to_be_visible()
    assert not any("/chart-" in url for url in scripts), "what draws comes with the first chart"
    ask(page, DRAW)
    finished(page)
    chart = page.get_by_role("figure", name="Visitors")
    expect(chart.locator(".recharts-line")).to_have_count(1)
    expect(chart.locator("svg.recharts-surface")).to_have_attribute(
        "aria-label", re.compile("Line chart. Visitors")
    )
    assert any("/chart-" in url for url in scripts)
    page.reload()
    finished(page)
    expect(chart.locator(".recharts-line")).to_have_count(1)
    chart.get_by_role("button", name="Table").click()
    expect(chart.get_by_role("rowheader")).to_have_text(["Mon", "Tue", "Wed"])
    expect(chart.get_by_role("cell")).to_have_text(["12", "18", "9"])
    expect(chart.locator(".recharts-line")).to_have_count(0)
    chart.get_by_role("button", name="Chart").click()
    expect(chart.locator(".recharts-line")).to_have_count(1)
    with page.expect_download() as download:
        chart.get_by_role("link", name="Download as an image").click()
    assert download.value.suggested_filename == "visitors.png"
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    run = answer(page).get_attribute("data-run")
    page.goto(f"{single.url}/activity/{run}")
    page.locator("button.w", has_text="Drew Visitors").click()
    expect(page.get_by_role("figure", name="Visitors").locator(".recharts-line")).to_have_count(1)
    page.goto(f"{single.url}/activity/{run}?tab=transcript")
    expect(page.get_by_role("figure", name="Visitors").locator(".recharts-line")).to_have_count(1)


@pytest.mark.req("CAP-CHART-01")
def test_a_chart_tells_its_values_and_fits_a_phone(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    ask(page, "Draw a bar chart of visitors: Mon 12, Tue 18")
    finished(page)
    where = conversation(page)
    page.locator(".recharts-bar-rectangle").last.hover()
    expect(page.locator(".chart-tip")).to_contain_text("18")
    phone = visitors.owner(single, f"/chat?c={where}", viewport={"width": 375, "height": 812})
    expect(phone.locator(".recharts-bar-rectangle")).to_have_count(2)
    width = phone.locator("figure.chart").bounding_box()
    assert width is not None
    assert width["x"] >= 0
    assert width["x"] + width["width"] <= 375
    assert phone.evaluate("document.documentElement.scrollWidth") <= 375


def agent_of(page: Page, site: Site) -> tuple[APIRequestContext, str]:
    calls = page.context.request
    rows = calls.get(f"{site.url}/api/v1/agents").json()["rows"]
    agent = next(row for row in rows if row["slug"] == "getting-started")
    return calls, agent["id"]


def without_charts(page: Page, site: Site, *, published: bool) -> None:
    calls, agent = agent_of(page, site)
    address = f"{site.url}/api/v1/agents/{agent}"
    draft = calls.get(f"{address}/draft").json()
    draft["spec"]["capabilities"] = [one for one in draft["spec"]["capabilities"] if one["id"] != "charts"]
    body = {"revision": draft["revision"], "spec": draft["spec"]}
    headers = {"origin": site.url}
    saved = calls.put(f"{address}/draft", data=body, headers=headers)
    assert saved.ok, saved.text()
    if published:
        done = calls.post(f"{address}/publish", data={}, headers=headers)
        assert done.ok, done.text()


@pytest.mark.req("CAP-REG-19", "CAP-REG-20", "CAP-REG-22")
def test_what_an_agent_lacks_is_named_and_enabled_from_the_card(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    without_charts(page, single, published=True)
    ask(page, DRAW)
    finished(page)
    card = page.get_by_role("region", name="Charts would be needed")
    expect(card).to_contain_text("this agent cannot draw charts")
    card.get_by_role("button", name="Enable").click()
    expect(card).to_contain_text("Enabled and published")
    ask(page, DRAW)
    finished(page)
    expect(answer(page).locator(".recharts-line")).to_have_count(1)
    page.reload()
    expect(card).to_contain_text("Enabled and published")


@pytest.mark.req("CAP-REG-20", "CAP-REG-23")
def test_what_is_enabled_beside_other_changes_waits_in_the_draft(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    without_charts(page, single, published=True)
    calls, agent = agent_of(page, single)
    draft = calls.get(f"{single.url}/api/v1/agents/{agent}/draft").json()
    draft["spec"]["instructions"] += " Be kind."
    body = {"revision": draft["revision"], "spec": draft["spec"]}
    calls.put(f"{single.url}/api/v1/agents/{agent}/draft", data=body, headers={"origin": single.url})
    ask(page, DRAW)
    finished(page)
    card = page.get_by_role("region", name="Charts would be needed")
    card.get_by_role("button", name="Enable").click()
    expect(card).to_contain_text("Enabled in the draft")
    expect(card.get_by_role("link", name="Open the Builder")).to_have_attribute(
        "href", re.compile(f"/agents/{agent}")
    )
