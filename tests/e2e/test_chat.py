"""The chat: one question, one answer that survives everything."""

import random
import re
from pathlib import Path
from pydoc_data import topics
from uuid import UUID

import pytest
from playwright.sync_api import WebSocketRoute, expect
from sqlalchemy import create_engine, update
from sqlmodel import col

from agenticos_app.models import Message
from state.chat import KEPT_LIVE
from tests.e2e.chat import CALCULATE, answer, ask, attach, conversation, finished
from tests.e2e.conftest import Site, Visitors

pytestmark = pytest.mark.e2e


def test_an_answer_streams_with_its_step_and_survives_a_reload(site: Site, visitors: Visitors) -> None:
    page = visitors.owner(site)
    ask(page, CALCULATE)
    expect(answer(page).locator(".step")).to_contain_text("calculation")
    text = finished(page)
    assert "397.8" in text
    expect(page.locator(".ag .fold")).to_contain_text("1 step")
    page.reload()
    assert finished(page) == text
    expect(page.locator(".bubble")).to_have_text(CALCULATE)
    page.locator("summary.step").click()
    expect(page.locator(".opened pre").first).to_contain_text("397.8")


def test_reloads_in_the_middle_neither_lose_nor_repeat(site: Site, visitors: Visitors) -> None:
    page = visitors.owner(site)
    ask(page, "Who are you and what can you do?")
    where = conversation(page)
    for _ in range(4):
        page.wait_for_timeout(random.uniform(50, 300))
        page.reload()
    shown = finished(page)
    fresh = visitors.owner(site, f"/chat?c={where}")
    assert finished(fresh) == shown
    assert len(fresh.locator(".bubble").all()) == 1


def test_a_second_tab_follows_live(site: Site, visitors: Visitors) -> None:
    first = visitors.owner(site)
    ask(first, CALCULATE)
    where = conversation(first)
    finished(first)
    second = visitors.page(first.context, f"{site.url}/chat?c={where}")
    finished(second)
    ask(first, "Who are you and what can you do?")
    expect(second.locator(".bubble")).to_have_count(2)
    assert finished(second) == finished(first)
    expect(second.locator("button.send")).to_be_visible()


def test_what_happened_while_the_line_was_down_is_shown_after(site: Site, visitors: Visitors) -> None:
    first = visitors.owner(site)
    ask(first, CALCULATE)
    finished(first)
    second = visitors.page(first.context, "about:blank")
    lines: list[WebSocketRoute] = []
    is_down = False

    def connect(line: WebSocketRoute) -> None:
        if is_down:
            line.close()
        else:
            line.connect_to_server()
            lines.append(line)

    second.route_web_socket(re.compile("/api/v1/events"), connect)
    second.goto(f"{site.url}/chat?c={conversation(first)}")
    finished(second)
    is_down = True
    lines[-1].close()
    ask(first, "What is 3% of 700?")
    finished(first)
    second.wait_for_timeout(500)
    expect(second.locator(".bubble")).to_have_count(1)
    is_down = False
    expect(second.locator(".bubble")).to_have_count(2)
    assert finished(second) == finished(first)


def test_answers_stay_on_the_page_however_many_follow(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    shown: list[str] = []
    for n in range(KEPT_LIVE + 2):
        ask(page, f"What is {n + 2}% of 700?")
        shown.append(finished(page))
        texts = [one.inner_text() for one in page.locator(".parts").all()]
        assert texts == shown
    page.reload()
    expect(page.locator(".parts")).to_have_count(len(shown))
    for one, text in zip(page.locator(".parts").all(), shown, strict=True):
        one.scroll_into_view_if_needed()
        expect(one.locator(".plain")).to_have_count(0)
        assert one.inner_text() == text


PARTS = (
    "The harbour has a [plan](javascript:alert(1)), a [yard](/settings) and a "
    "[chart](https://charts.example/a); see ![the sketch](https://images.example/s.png)."
)


def test_links_that_lead_nowhere_safe_are_text_and_images_are_named(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    ask(page, CALCULATE)
    finished(page)
    _answered(single, conversation(page), PARTS)
    page.reload()
    assert finished(page) == "The harbour has a plan, a yard and a chart; see the sketch."
    links = answer(page).locator("a")
    assert [(one.inner_text(), one.get_attribute("href")) for one in links.all()] == [
        ("chart", "https://charts.example/a"),
        ("the sketch", "https://images.example/s.png"),
    ]
    assert links.first.get_attribute("rel") == "noopener noreferrer nofollow"
    expect(answer(page).locator("img")).to_have_count(0)


def _answered(site: Site, conversation_id: str, text: str) -> None:
    """Make a conversation's answer say something that no practice model would."""
    assert site.settings is not None
    assert site.settings.database_url is not None
    engine = create_engine(site.settings.database_url.get_secret_value())
    with engine.begin() as connection:
        connection.execute(
            update(Message)
            .where(col(Message.conversation_id) == UUID(conversation_id), col(Message.role) == "assistant")
            .values(parts=[{"index": 0, "kind": "text", "text": text, "done": True}])
        )
    engine.dispose()


def test_stop_keeps_what_came(site: Site, visitors: Visitors) -> None:
    page = visitors.owner(site)
    ask(page, "Who are you and what can you do?")
    expect(answer(page).locator(".prose")).to_contain_text(re.compile(r"\w+ \w+"))
    page.locator("button.send.stop").click()
    expect(page.locator(".turn .note")).to_contain_text("You stopped this answer")
    kept = answer(page).inner_text()
    assert kept.strip()
    page.reload()
    expect(page.locator(".turn .note")).to_contain_text("You stopped this answer")
    assert finished(page) == kept


def test_a_draft_survives_a_reload_and_stays_with_its_conversation(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    ask(page, CALCULATE)
    finished(page)
    page.locator("textarea.ask").fill("half a thought")
    page.reload()
    expect(page.locator("textarea.ask")).to_have_value("half a thought")
    page.locator(".convs a[href='/chat']").click()
    expect(page.locator("textarea.ask")).to_have_value("")
    page.go_back()
    expect(page.locator("textarea.ask")).to_have_value("half a thought")


def test_enter_during_composition_does_not_send(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    page.locator("textarea.ask").fill("にほん")
    page.locator("textarea.ask").evaluate(
        "field => field.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'Enter', bubbles: true, cancelable: true, isComposing: true}))"
    )
    page.wait_for_timeout(300)
    expect(page.locator("textarea.ask")).to_have_value("にほん")
    page.locator("textarea.ask").press("Shift+Enter")
    expect(page.locator("textarea.ask")).to_have_value("にほん\n")
    expect(page.locator(".bubble")).to_have_count(0)


@pytest.fixture(scope="session")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real public text: the Python reference as every Python ships it, some 700 KB."""
    path = tmp_path_factory.mktemp("documents") / "python-reference.txt"
    path.write_text("\n\n".join(f"{name}\n{text}" for name, text in sorted(topics.topics.items())))
    assert path.stat().st_size > 40_000
    return path


def test_a_real_document_is_quoted_with_its_place_in_english_and_polish(
    site: Site, visitors: Visitors, document: Path
) -> None:
    page = visitors.owner(site)
    attach(page, document)
    ask(page, "What does the file say about the context manager of the with statement?")
    english = finished(page)
    with page.expect_download() as given:
        page.locator(".me .att", has_text="python-reference.txt").click()
    assert given.value.suggested_filename == "python-reference.txt"
    expect(answer(page).locator("blockquote").first).to_be_visible()
    assert re.search(r"python-reference\.txt, lines? \d+", english), english
    ask(page, "Co plik mówi o definicji klasy i kodzie źródłowym?")
    polish = finished(page)
    assert re.search(r"python-reference\.txt, \w+ \d+", polish), polish
    quoted = " ".join(answer(page).locator("blockquote p").first.inner_text().split())
    assert quoted[:60] in " ".join(document.read_text().split())


def test_conversations_are_found_renamed_and_deleted(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single)
    ask(page, "What is 3% of 700?")
    where = conversation(page)
    finished(page)
    row = page.locator(".conv", has=page.locator(f"a[href='/chat?c={where}']"))
    row.hover()
    row.locator("button.mo").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.locator("input[name=title]").fill("Percentages of May")
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("Percentages of May")
    page.locator(".convs input[type=search]").fill("of may")
    expect(page.locator(".conv")).to_have_count(1)
    row.hover()
    row.locator("button.mo").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete conversation").click()
    expect(page.locator(".invite")).to_be_visible()
    page.goto(f"{single.url}/chat?c={where}")
    expect(page.get_by_text("There is no such conversation")).to_be_visible()


def test_polish_is_complete_on_the_chat(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single, locale="pl-PL")
    expect(page.locator("html")).to_have_attribute("lang", "pl")
    expect(page.locator("textarea.ask")).to_have_attribute("placeholder", "Napisz wiadomość")
    ask(page, "Ile to 17% z 2340?")
    finished(page)
    expect(page.locator(".step")).to_contain_text("Wykonano obliczenie")
    expect(page.locator(".ag .fold")).to_contain_text("1 krok")


@pytest.mark.req("DOM-UI-30")
def test_the_chat_works_on_a_phone_and_by_keyboard(single: Site, visitors: Visitors) -> None:
    page = visitors.owner(single, viewport={"width": 375, "height": 812}, has_touch=True, is_mobile=True)
    ask(page, CALCULATE)
    finished(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.locator(".topbar button").first.click()
    expect(page.get_by_role("dialog").locator(".convs")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    wide = visitors.owner(single, reduced_motion="reduce")
    expect(wide.locator(".side .person")).to_contain_text("Olga Owner")
    wide.keyboard.press("Control+k")
    expect(wide.get_by_role("dialog")).to_be_visible()
    wide.keyboard.type("Activity")
    wide.keyboard.press("Enter")
    wide.wait_for_url(re.compile("/activity"))
    longest = wide.evaluate(
        "Math.max(0, ...document.getAnimations().map(one => one.effect.getTiming().duration || 0))"
    )
    assert longest == 0


def test_a_stranger_is_led_to_the_sign_in_page_and_back(single: Site, visitors: Visitors) -> None:
    context = visitors.context()
    page = visitors.page(context, f"{single.url}/chat?c=11111111-1111-4111-8111-111111111111")
    page.wait_for_url(re.compile(r"/sign-in\?next="))
    page.locator("input[name=email]").fill(single.email)
    page.locator("input[name=password]").fill("wrong password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator("input[name=password]").fill("correct horse battery")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/chat\?c="))
    expect(page.get_by_text("There is no such conversation")).to_be_visible()


def test_a_form_sent_before_the_scripts_are_there_keeps_what_was_typed(
    single: Site, visitors: Visitors
) -> None:
    page = visitors.context().new_page()
    page.route("**/assets/*.js", lambda route: route.abort())
    page.goto(f"{single.url}/sign-in")
    page.locator("input[name=email]").fill(single.email)
    page.locator("input[name=password]").fill("a secret")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert page.url == f"{single.url}/sign-in"
    expect(page.locator("input[name=password]")).to_have_value("a secret")
