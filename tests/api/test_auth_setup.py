"""The first account: only through the link that whoever started the server has seen, and only once."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.engine import make_url

from agenticos_app.api.app import build_api
from agenticos_app.kernel.ids import new_id
from agenticos_app.ops import migrations
from agenticos_app.schemas.accounts import SignUp
from agenticos_app.security import passwords
from agenticos_app.services import sessions, setup
from agenticos_app.services.work import system_work
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform

SETUP = "/api/v1/auth/setup"


@pytest.fixture(scope="module")
def empty_database(console_database: str) -> str:
    """Return the address of a database of its own: here it matters that nobody has an account."""
    name = f"setup_{new_id().hex}"
    with create_engine(console_database, poolclass=NullPool, isolation_level="AUTOCOMMIT").connect() as there:
        there.execute(text(f'CREATE DATABASE "{name}"'))
    url = make_url(console_database).set(database=name).render_as_string(hide_password=False)
    migrations.upgrade(url)
    return url


@pytest.fixture
async def deployment(empty_database: str, tmp_path: Path) -> AsyncGenerator[None]:
    """Open a deployment without any account."""
    settings = Settings(
        database_url=SecretStr(empty_database), agenticos_home=tmp_path, redis_url=None, secret_key=None
    )
    async with open_platform(settings, hosts_runs=False):
        async with system_work() as tx:
            await tx.session.execute(text("TRUNCATE users, organizations, setup_links CASCADE"))
        yield


@pytest.fixture
async def api(deployment: None) -> AsyncGenerator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build_api())
    async with httpx.AsyncClient(transport=transport, base_url="http://console.test") as client:
        yield client


def form(token: str, name: str = "ada") -> dict[str, str]:
    return {
        "token": token,
        "email": f"{name}@example.org",
        "password": "correct horse",
        "full_name": name.capitalize(),
        "organization_name": "Analytical Engines",
    }


async def printed() -> str:
    token = await setup.open_link()
    assert token is not None
    return token


async def people() -> list[tuple[str, bool]]:
    async with system_work() as tx:
        rows = await tx.session.execute(text("SELECT email, is_app_admin FROM users ORDER BY email"))
        return [(row[0], row[1]) for row in rows]


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.req("DOM-AUTH-03")
async def test_the_link_makes_the_owner_who_administers_the_deployment(api: httpx.AsyncClient) -> None:
    token = await printed()
    assert (await api.get("/api/v1/auth/rule")).json()["is_set_up"] is False
    made = await api.post(SETUP, json=form(token))
    assert made.status_code == 200
    assert sessions.COOKIE in made.cookies
    me = (await api.get("/api/v1/me")).json()
    assert (me["email"], me["role"], me["is_app_admin"]) == ("ada@example.org", "owner", True)
    assert me["organization_name"] == "Analytical Engines"
    assert (await api.get("/api/v1/auth/rule")).json()["is_set_up"] is True
    assert await setup.open_link() is None


@pytest.mark.req("DOM-AUTH-03")
@pytest.mark.parametrize("token", ["", "guessed", "x" * 200])
async def test_a_stranger_who_arrives_first_gets_nothing(api: httpx.AsyncClient, token: str) -> None:
    await printed()
    refused = await api.post(SETUP, json=form(token))
    assert code_of(refused) == (404, "not_found")
    assert "set-cookie" not in refused.headers
    assert await people() == []


@pytest.mark.req("DOM-AUTH-03")
async def test_nobody_signs_up_before_the_owner(api: httpx.AsyncClient) -> None:
    await printed()
    body = {"email": "eve@example.org", "password": "correct horse", "full_name": "Eve"}
    refused = await api.post("/api/v1/auth/sign-up", json=body)
    assert code_of(refused) == (409, "conflict")
    assert refused.json()["error"]["details"] == {"reason": "not_set_up"}
    assert await people() == []


@pytest.mark.req("DOM-AUTH-03")
async def test_a_link_is_used_once_and_takes_the_other_links_with_it(api: httpx.AsyncClient) -> None:
    first, second = await printed(), await printed()
    assert (await api.post(SETUP, json=form(first))).status_code == 200
    for token in (first, second):
        refused = await api.post(SETUP, json=form(token, "eve"))
        assert code_of(refused) == (409, "conflict")
        assert "set-cookie" not in refused.headers
    assert await people() == [("ada@example.org", True)]
    async with system_work() as tx:
        assert (await tx.session.execute(text("SELECT count(*) FROM setup_links"))).scalar() == 0


@pytest.mark.req("DOM-AUTH-03")
async def test_of_two_people_with_valid_links_at_once_one_becomes_the_owner(api: httpx.AsyncClient) -> None:
    tokens = [await printed() for _ in range(4)]
    answers = await asyncio.gather(
        *(api.post(SETUP, json=form(token, f"person{n}")) for n, token in enumerate(tokens))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert [is_admin for _, is_admin in await people()] == [True]


@pytest.mark.req("DOM-AUTH-03")
async def test_a_refused_form_leaves_the_link_as_it_was(api: httpx.AsyncClient) -> None:
    token = await printed()
    refused = await api.post(SETUP, json=form(token) | {"password": "short"})
    assert refused.status_code == 422
    assert (await api.post(SETUP, json=form(token))).status_code == 200


@pytest.mark.req("DOM-AUTH-03")
async def test_the_command_line_makes_the_owner_without_a_link(api: httpx.AsyncClient) -> None:
    token = await printed()
    body = SignUp(email="ada@example.org", password="correct horse", full_name="Ada")
    password_hash = await passwords.hash_password(body.password)
    async with system_work() as tx:
        user, organization = await setup.bootstrap(
            tx, body, password_hash, organization_name="Analytical Engines"
        )
        assert (user.is_app_admin, organization.created_by_user_id) == (True, user.id)
    assert code_of(await api.post(SETUP, json=form(token, "eve"))) == (409, "conflict")
    with pytest.raises(setup.Conflict):
        async with system_work() as tx:
            await setup.bootstrap(tx, body, password_hash, organization_name="Again")
    assert await people() == [("ada@example.org", True)]
