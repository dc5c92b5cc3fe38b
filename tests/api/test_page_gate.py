"""Pages while the database is away: the door says no to nobody, and stays where it is."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from starlette.responses import PlainTextResponse

from agenticos_app.api.page_gate import PageGate, console_pages
from agenticos_app.db import session as db

COOKIE = {"aos_session": f"{'0' * 32}.secret"}


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncGenerator[httpx.AsyncClient]:
    """Serve two pages on a database that nobody answers for."""
    for name in ("chat", "sign-in"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").touch()
    database = db.Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing", connections=1)
    db.use(database)
    gate = PageGate(PlainTextResponse("the page"), pages=console_pages(tmp_path))
    transport = httpx.ASGITransport(gate)
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test", cookies=COOKIE) as http:
        yield http
    db.use(None)
    await database.close()


@pytest.mark.parametrize("path", ["/chat", "/sign-in"])
async def test_a_page_is_served_although_the_session_cannot_be_read(
    pages: httpx.AsyncClient, path: str
) -> None:
    answer = await pages.get(path)
    assert (answer.status_code, answer.text) == (200, "the page")


async def test_the_root_leads_to_the_chat_although_the_session_cannot_be_read(
    pages: httpx.AsyncClient,
) -> None:
    answer = await pages.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/chat")
