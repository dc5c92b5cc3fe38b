"""The set-up link: the one command that every start runs, so it opens nothing but the database."""

import asyncio

from agenticos_app.db import session
from agenticos_app.db.session import Database
from agenticos_app.ops import migrations, serve
from agenticos_app.ops.postgres import database_of
from agenticos_app.ops.report import say
from agenticos_app.services import setup
from agenticos_app.settings import Settings

SET_UP_PAGE = "/setup"


def set_up_link(settings: Settings, *, quiet: bool) -> int:
    """Print the one-time link, or say that the owner exists."""
    with database_of(settings) as url:
        if not migrations.is_current(url):
            migrations.upgrade(url)
        token = asyncio.run(_open(url))
    if token:
        say(f"Create the owner's account: {serve.address(settings)}{SET_UP_PAGE}?token={token}")
    elif not quiet:
        say("The owner's account exists; sign in with it.")
    return 0


async def _open(url: str) -> str | None:
    database = Database(url, connections=1)
    session.use(database)
    try:
        return await setup.open_link()
    finally:
        session.use(None)
        await database.close()
