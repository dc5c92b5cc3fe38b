"""A deployment in this process that lets a caller ask as often as there are routes, and its database."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import SecretStr

from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform
from tests.world import console_database

__all__ = ["console_database"]


@pytest.fixture
async def console(console_database: str, tmp_path: Path) -> AsyncGenerator[Settings]:
    """Open the platform of one process that executes no runs."""
    settings = Settings(
        database_url=SecretStr(console_database),
        agenticos_home=tmp_path,
        redis_url=None,
        secret_key=None,
        rate_limit_api_per_minute=1_000_000,
    )
    async with open_platform(settings, hosts_runs=False):
        yield settings
