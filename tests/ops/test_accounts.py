"""Accounts, from the command line."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from agenticos_app.cli import platform
from agenticos_app.errors import WrongCredentials
from agenticos_app.kernel.ids import new_id
from agenticos_app.ops.report import Refusal
from agenticos_app.schemas.accounts import SignIn, SignUp
from agenticos_app.security import passwords
from agenticos_app.services import accounts, sessions
from agenticos_app.services.sessions import Client
from agenticos_app.services.work import system_work
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.world import console_database

__all__ = ["console_database"]

PASSWORD = "correct horse battery"


async def _made(settings: Settings, email: str) -> str:
    """Make an account that is signed in; return its cookie."""
    body = SignUp(email=email, password=PASSWORD, full_name="Ada")
    password_hash = await passwords.hash_password(PASSWORD)
    async with open_platform(settings, hosts_runs=False), system_work() as tx:
        user = await accounts.create(tx, body, password_hash)
        return await sessions.open_session(tx, user, Client(ip_address="", user_agent=""))


async def _is_open(settings: Settings, cookie: str) -> bool:
    async with open_platform(settings, hosts_runs=False), system_work() as tx:
        return await sessions.is_open(tx, cookie)


async def _sign_in(settings: Settings, email: str) -> str:
    async with open_platform(settings, hosts_runs=False):
        client = Client(ip_address=email, user_agent="")
        return await sessions.sign_in(SignIn(email=email, password=PASSWORD), client)


@pytest.mark.req("DOM-AUTH-06")
def test_a_deactivated_account_is_signed_out_and_stays_out_until_it_is_let_in_again(
    console_database: str, tmp_path: Path
) -> None:
    settings = Settings(
        database_url=SecretStr(console_database), agenticos_home=tmp_path, redis_url=None, secret_key=None
    )
    email = f"{new_id().hex}@example.org"
    cookie = asyncio.run(_made(settings, email))
    assert asyncio.run(_is_open(settings, cookie))
    platform.set_account_active(settings, f" {email.upper()}", active=False)
    assert not asyncio.run(_is_open(settings, cookie))
    with pytest.raises(WrongCredentials):
        asyncio.run(_sign_in(settings, email))
    platform.set_account_active(settings, email, active=True)
    assert not asyncio.run(_is_open(settings, cookie))
    assert asyncio.run(_sign_in(settings, email))
    with pytest.raises(Refusal, match="No account"):
        platform.set_account_active(settings, f"no-{email}", active=False)
