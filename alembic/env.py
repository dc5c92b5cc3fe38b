"""How Alembic reaches the database: the caller's address, else the one of the settings."""

import pkgutil
from contextlib import ExitStack
from importlib import import_module

from alembic import context
from sqlalchemy import NullPool, create_engine, text
from sqlmodel import SQLModel

from agenticos_app import models
from agenticos_app.ops.postgres import database_of
from agenticos_app.settings import Settings

_ONE_AT_A_TIME = 7_310_552_014
"""Key of the advisory lock that keeps two processes from migrating at once."""


def _tables() -> None:
    for module in pkgutil.iter_modules(models.__path__, f"{models.__name__}."):
        import_module(module.name)


def _migrate(url: str) -> None:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ONE_AT_A_TIME})
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=SQLModel.metadata,
            compare_type=True,
            compare_server_default=True,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()


with ExitStack() as held:
    _tables()
    address = context.config.attributes.get("url") or held.enter_context(database_of(Settings()))
    _migrate(address)
