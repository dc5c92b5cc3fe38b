"""A site with an owner, on one process and on two, and browsers that look at it."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright
from pydantic import SecretStr

from agenticos_app.ops import client, migrations
from agenticos_app.settings import Settings
from tests.services import free_port, postgres_cluster, redis_server, server
from tests.world import set_up_link

PASSWORD = "correct horse battery"
expect.set_options(timeout=15_000)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]


@dataclass
class Site:
    """A running deployment with an owner."""

    url: str
    email: str = "owner@harbor.example"
    settings: Settings | None = None

    def sign_in(self, context: BrowserContext) -> None:
        """Give the browser the owner's session."""
        answer = context.request.post(
            f"{self.url}/api/v1/auth/sign-in", data={"email": self.email, "password": PASSWORD}
        )
        assert answer.ok, answer.text()


@pytest.fixture(scope="session")
def built() -> None:
    """Build the client once."""
    client.ensure_built()


def _site(stack: ExitStack, folder: Path, *, processes: int) -> Site:
    url = stack.enter_context(postgres_cluster(f"e2e-{uuid4().hex[:8]}"))
    migrations.upgrade(url)
    redis_url = stack.enter_context(redis_server()) if processes > 1 else None
    settings = Settings(
        agenticos_home=folder,
        port=free_port(),
        server_processes=processes,
        database_url=SecretStr(url),
        redis_url=SecretStr(redis_url) if redis_url else None,
        rate_limit_auth_per_minute=1000,
    )
    env = {
        "RATE_LIMIT_AUTH_PER_MINUTE": "1000",
        "REDIS_URL": redis_url or "",
        "SERVER_PROCESSES": str(processes),
        "SECRET_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    }
    stack.enter_context(server(settings, url, log=folder / "server.log", env=env))
    site = Site(f"http://127.0.0.1:{settings.port}", settings=settings)
    body = {
        "token": set_up_link(url),
        "email": site.email,
        "password": PASSWORD,
        "full_name": "Olga Owner",
        "organization_name": "Harbor Supply",
    }
    httpx.post(f"{site.url}/api/v1/auth/setup", json=body).raise_for_status()
    return site


@pytest.fixture(scope="session")
def single(built: None, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """One process, nothing else."""
    with ExitStack() as stack:
        yield _site(stack, tmp_path_factory.mktemp("single"), processes=1)


@pytest.fixture(scope="session")
def scaled(built: None, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """Two processes behind one address, with Redis between them."""
    with ExitStack() as stack:
        yield _site(stack, tmp_path_factory.mktemp("scaled"), processes=2)


@pytest.fixture(params=["single", "scaled"])
def site(request: pytest.FixtureRequest) -> Site:
    """Each shape of deployment."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    """Start Chromium: the system's, else Playwright's own."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


@dataclass
class Visitors:
    """Opens browsers and watches what they complain about."""

    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def context(self, **options: object) -> BrowserContext:
        """Open a browser with nothing in it."""
        chosen = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US"} | options
        context = self.browser.new_context(**chosen)  # type: ignore[arg-type]
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        return context

    def owner(self, site: Site, path: str = "/chat", **options: object) -> Page:
        """Open a page as the owner."""
        context = self.context(**options)
        site.sign_in(context)
        return self.page(context, site.url + path)

    def _note(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.complaints.append(said.text)

    def page(self, context: BrowserContext, address: str) -> Page:
        """Open another tab."""
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("console", self._note)
        page.goto(address)
        return page


@pytest.fixture
def visitors(browser: Browser) -> Generator[Visitors]:
    """Open browsers for one test; a page that complained fails it."""
    visitors = Visitors(browser)
    yield visitors
    for context in visitors.contexts:
        context.close()
    quiet = ("net::ERR", "Failed to load resource", "WebSocket connection")
    loud = [text for text in visitors.complaints if not any(word in text for word in quiet)]
    assert not loud, loud


@pytest.fixture
def short_home() -> Generator[Path]:
    """Give a fresh folder that the database's own account can reach."""
    with tempfile.TemporaryDirectory(prefix="agenticos-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "home"
