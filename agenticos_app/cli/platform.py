"""The commands that need the whole platform: they open it, call a service, and close it."""

import argparse
import asyncio
import getpass
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr, ValidationError

from agenticos_app import log
from agenticos_app.errors import AppError
from agenticos_app.kernel.ids import OrganizationId, UserId
from agenticos_app.ops import migrations
from agenticos_app.ops.postgres import database_of
from agenticos_app.ops.report import Refusal, say
from agenticos_app.schemas.accounts import SetUp, SignUp
from agenticos_app.schemas.models import ModelDraft
from agenticos_app.security import passwords
from agenticos_app.security.actor import Actor
from agenticos_app.security.permissions import EVERYTHING
from agenticos_app.services import accounts, models, secrets, setup
from agenticos_app.services.model_access import described
from agenticos_app.services.work import Tx, system_work
from agenticos_app.settings import Settings
from agenticos_app.wiring import Platform, open_platform

Answer = TypeVar("Answer")

_SENTENCES = {
    "conflict": "The owner's account exists already; sign in with it.",
    "not_found": "No account has this address.",
}


def worker(settings: Settings) -> int:
    """Execute runs until asked to stop; the first signal lets them end, the second does not wait."""
    if settings.redis_url is None:
        raise Refusal(
            "A worker needs REDIS_URL, through which servers hand it work; set it, or use `agenticos run`."
        )

    async def work(_platform: Platform) -> None:
        """The platform's own host executes; here is only waited until somebody asks to stop."""
        asked = asyncio.Event()

        def stop() -> None:
            if asked.is_set():
                os._exit(130)
            asked.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop)
        say("The worker takes work (Ctrl-C lets running work end, twice stops at once).")
        await asked.wait()

    _with_platform(settings, work, hosts_runs=True)
    say("Stopped.")
    return 0


def bootstrap(settings: Settings, given: argparse.Namespace) -> int:
    """Create the owner and, when named, the model that the agents use."""
    try:
        body = SignUp(email=given.email, full_name=given.name, password=_password(given.password_file))
        SetUp.model_validate({**body.model_dump(), "token": "", "organization_name": given.organization})
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        raise Refusal(
            f"The {str(problem['loc'][0]).replace('_', ' ')} does not fit: {problem['msg']}."
        ) from None
    draft = _model(given)

    async def create(_platform: Platform) -> None:
        password_hash = await passwords.hash_password(body.password)
        async with system_work() as tx:
            user, organization = await setup.bootstrap(
                tx, body, password_hash, organization_name=given.organization.strip()
            )
            if draft is not None:
                owner = Actor(
                    organization_id=OrganizationId(organization.id),
                    user_id=UserId(user.id),
                    reach=EVERYTHING,
                    is_app_admin=True,
                )
                await models.use_model(Tx(session=tx.session, afterwards=tx.afterwards, actor=owner), draft)

    _with_platform(settings, create)
    say(f"{body.email} owns {given.organization.strip()}.")
    return 0


def create_app_admin(settings: Settings, email: str, *, admin: bool) -> int:
    """Give or take the deployment administrator's role."""

    async def change(_platform: Platform) -> None:
        async with system_work() as tx:
            await accounts.set_app_admin(tx, email.strip().lower(), admin=admin)

    _with_platform(settings, change)
    say(f"{email} is {'now' if admin else 'no longer'} an administrator of the deployment.")
    return 0


def set_account_active(settings: Settings, email: str, *, active: bool) -> int:
    """Let an account be used again, or no longer; its sessions then end at once."""

    async def change(_platform: Platform) -> None:
        async with system_work() as tx:
            await accounts.set_active(tx, email.strip().lower(), active=active)

    _with_platform(settings, change)
    say(f"{email} {'may sign in again' if active else 'is signed out everywhere and may not sign in'}.")
    return 0


def vault_rewrap(settings: Settings) -> int:
    """Put all stored secrets under the newest master key; each batch is kept, so it may be interrupted."""

    async def rewrap(_platform: Platform) -> tuple[int, int]:
        done, unreadable, after, goes_on = 0, 0, None, True
        while goes_on:
            async with system_work() as tx:
                batch = await secrets.rewrap(tx, after=after)
            done, unreadable, after = done + batch.done, unreadable + batch.unreadable, batch.last
            goes_on = after is not None
            if goes_on:
                say(f"{done} secrets are under the newest master key so far ...")
        return done, unreadable

    done, unreadable = _with_platform(settings, rewrap)
    say(f"{done} secrets were put under the newest master key; all others were already.")
    if unreadable:
        raise Refusal(
            f"{unreadable} secrets open with none of the keys that are set; add the key that sealed them to "
            "VAULT_OLD_MASTER_KEYS and repeat the command, or replace their values."
        )
    return 0


def _with_platform(
    settings: Settings, call: Callable[[Platform], Awaitable[Answer]], *, hosts_runs: bool = False
) -> Answer:
    """Open the platform on a migrated database, do one thing, close it again."""

    async def inside(with_database: Settings) -> Answer:
        async with open_platform(with_database, hosts_runs=hosts_runs) as platform:
            return await call(platform)

    log.configure(settings.log_level, settings.log_format)
    with database_of(settings) as url:
        if not migrations.is_current(url):
            migrations.upgrade(url)
        try:
            return asyncio.run(inside(settings.model_copy(update={"database_url": SecretStr(url)})))
        except AppError as error:
            raise Refusal(_SENTENCES.get(error.code, error.message)) from error


def _password(file: Path | None) -> str:
    if file is not None:
        return _content(file)
    if sys.stdin.isatty():
        return getpass.getpass("Password (at least 8 characters): ")
    return sys.stdin.readline().rstrip("\r\n")


def _model(given: argparse.Namespace) -> ModelDraft | None:
    if bool(given.model_url) != bool(given.model_name):
        raise Refusal("A model needs both --model-url and --model-name.")
    if not given.model_url:
        return None
    key = _content(given.model_key_file) if given.model_key_file else ""
    draft = ModelDraft(
        provider="openai",
        base_url=given.model_url,
        model_name=given.model_name,
        api_key=SecretStr(key),
    )
    try:
        described(draft)
    except AppError as error:
        raise Refusal("--model-url must look like http://localhost:11434/v1.") from error
    return draft


def _content(file: Path) -> str:
    try:
        return file.read_text().strip("\r\n")
    except OSError as error:
        raise Refusal(f"{file} cannot be read ({os.strerror(error.errno or 0)}).") from error
