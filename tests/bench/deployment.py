"""A deployment of the product, its yardstick and a model server, each in processes of their own."""

import contextlib
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from pydantic import SecretStr

from agenticos_app.db import session
from agenticos_app.db.session import Database
from agenticos_app.ops import client as built_client
from agenticos_app.ops import migrations, programs, serve
from agenticos_app.ops.place import ROOT
from agenticos_app.ops.postgres import embedded_postgres
from agenticos_app.services.setup import open_link
from agenticos_app.settings import Settings
from tests.bench import bare
from tests.services import free_port, redis_server, server

EMAIL = "owner@example.org"
PASSWORD = "a long pass phrase for benches"
ENVIRONMENT = {
    "RATE_LIMIT_AUTH_PER_MINUTE": "1000",
    "RATE_LIMIT_API_PER_MINUTE": "1000000",
    "RATE_LIMIT_RUN_PER_MINUTE": "1000000",
    "LOG_LEVEL": "info",
}


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """A running product with an owner who is signed in."""

    settings: Settings
    database_url: str
    home: Path
    process: subprocess.Popen[bytes]
    base_url: str
    cookie: str
    agent_id: str

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def run_url(self) -> str:
        return f"{self.base_url}/api/v1/agents/{self.agent_id}/run"

    @property
    def headers(self) -> dict[str, str]:
        return {"cookie": f"aos_session={self.cookie}"}

    def client(self) -> aiohttp.ClientSession:
        return client(self.headers)

    async def use_model(self, base_url: str, model_name: str, api_key: str = "") -> None:
        """Make a model of the stub the one that all agents use."""
        body = {"provider": "openai", "base_url": base_url, "model_name": model_name, "api_key": api_key}
        async with (
            self.client() as http,
            http.put(f"{self.base_url}/api/v1/models/default", json=body) as answer,
        ):
            assert answer.status == 200, await answer.text()


def client(headers: dict[str, str] | None = None) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        headers=headers,
        connector=aiohttp.TCPConnector(limit=0),
        timeout=aiohttp.ClientTimeout(total=300),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


@contextlib.contextmanager
def stub(behaviour: str = "") -> Generator[str]:
    """Start the stub model server and give its base address; with a behaviour for every model's name."""
    port = free_port()
    command = [sys.executable, "-m", "tests.fakes.openai_server", "--port", str(port)]
    command += ["--behaviour", behaviour] if behaviour else []
    process = programs.start(command, cwd=ROOT, output=subprocess.DEVNULL)
    try:
        _until(f"http://127.0.0.1:{port}/v1/models", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        programs.kill_group(process)


@dataclass(frozen=True, kw_only=True)
class Bare:
    """The running yardstick."""

    pid: int
    base_url: str

    @property
    def run_url(self) -> str:
        return f"{self.base_url}/run"

    @property
    def stream_url(self) -> str:
        return f"{self.base_url}/stream"


@contextlib.contextmanager
def yardstick(model_url: str, model_name: str) -> Generator[Bare]:
    """Serve the bare app in the way in which the product is served."""
    settings = Settings(port=free_port())
    command = serve.command(settings, target="tests.bench.bare:build")
    env = programs.environment(**{bare.BASE_URL: model_url, bare.MODEL_NAME: model_name})
    process = programs.start(command, cwd=ROOT, env=env, output=subprocess.DEVNULL)
    base_url = f"http://127.0.0.1:{settings.port}"
    try:
        _until(f"{base_url}/health", process)
        yield Bare(pid=process.pid, base_url=base_url)
    finally:
        programs.kill_group(process)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A folder with a database, where servers can be started again and again."""

    home: Path
    database_url: str
    redis_url: str | None
    processes: int

    def settings(self, port: int) -> Settings:
        return Settings(
            agenticos_home=self.home,
            port=port,
            server_processes=self.processes,
            redis_url=SecretStr(self.redis_url) if self.redis_url else None,
        )

    @contextlib.contextmanager
    def serving(self, port: int, env: dict[str, str] | None = None) -> Generator[subprocess.Popen[bytes]]:
        """Start the server; it is killed at the end if it still lives."""
        settings = self.settings(port)
        told = {"SERVER_PROCESSES": str(self.processes), "REDIS_URL": self.redis_url or "", **ENVIRONMENT}
        log = self.home / "server.log"
        with server(settings, self.database_url, log=log, env=told | (env or {})) as process:
            yield process


@contextlib.contextmanager
def place(*, processes: int = 1, with_redis: bool | None = None) -> Generator[Place]:
    """Prepare a folder with an embedded database, as the product sets it up, and a Redis if needed."""
    built_client.ensure_built()
    with contextlib.ExitStack() as held:
        home = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="agenticos-bench-")))
        home.chmod(0o755)
        database_url = held.enter_context(embedded_postgres(home))
        migrations.upgrade(database_url)
        redis_needed = processes > 1 if with_redis is None else with_redis
        redis_url = held.enter_context(redis_server()) if redis_needed else None
        yield Place(home=home, database_url=database_url, redis_url=redis_url, processes=processes)


@asynccontextmanager
async def deployment(
    *, processes: int = 1, with_redis: bool | None = None, env: dict[str, str] | None = None
) -> AsyncGenerator[Deployment]:
    """Serve the product from an empty folder and create its owner."""
    with (
        place(processes=processes, with_redis=with_redis) as where,
        where.serving(port := free_port(), env) as process,
    ):
        yield await owned(where, port, process)


async def owned(where: Place, port: int, process: subprocess.Popen[bytes]) -> Deployment:
    """Create the owner of a fresh deployment and find the agent to ask."""
    base_url = f"http://127.0.0.1:{port}"
    body = {
        "token": await _set_up_token(where.database_url),
        "email": EMAIL,
        "full_name": "Olga Owner",
        "password": PASSWORD,
        "organization_name": "Bench",
    }
    async with client() as http:
        async with http.post(f"{base_url}/api/v1/auth/setup", json=body) as answer:
            assert answer.status == 200, await answer.text()
            cookie = answer.cookies["aos_session"].value
        async with http.get(
            f"{base_url}/api/v1/agents", headers={"cookie": f"aos_session={cookie}"}
        ) as answer:
            agent_id = (await answer.json())["rows"][0]["id"]
    return Deployment(
        settings=where.settings(port),
        database_url=where.database_url,
        home=where.home,
        process=process,
        base_url=base_url,
        cookie=cookie,
        agent_id=agent_id,
    )


async def _set_up_token(database_url: str) -> str:
    """Return what the printed link carries."""
    database = Database(database_url, connections=2)
    session.use(database)
    try:
        token = await open_link()
    finally:
        session.use(None)
        await database.close()
    assert token, "the owner exists"
    return token


def _until(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the service ended while it started"
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.05)  # noqa: TID251
    raise AssertionError(f"{url} does not answer")
