"""Whoever hosts runs keeps house."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from agenticos_app.jobs import housekeeping
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import SetupLink
from agenticos_app.services.work import system_work
from agenticos_app.settings import Settings
from agenticos_app.wiring import open_platform


async def test_a_process_that_hosts_runs_sweeps_again_and_again(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "FIRST_AFTER_S", 0)
    monkeypatch.setattr(housekeeping, "EVERY_S", 0.05)
    async with open_platform(settings, sole=False):
        for _ in range(2):
            link = new_id()
            async with system_work() as tx:
                tx.add(SetupLink(id=link, token_hash=link.bytes))
                await tx.flush()
                long_ago = now() - timedelta(days=30)
                await tx.session.execute(
                    update(SetupLink).where(col(SetupLink.id) == link).values(created_at=long_ago)
                )
            for _ in range(500):
                if not await _is_there(link):
                    break
                await asyncio.sleep(0.02)
            else:
                pytest.fail("nobody swept")


async def _is_there(link: object) -> bool:
    async with system_work() as tx:
        return await tx.session.get(SetupLink, link) is not None
