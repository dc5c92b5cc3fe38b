"""API keys for tests, issued as a person does it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import httpx

from agenticos_app.api.app import build_api
from agenticos_app.schemas.api_keys import ApiKeyCreate, ApiKeyIssued
from agenticos_app.security.permissions import Permission
from agenticos_app.services import api_keys
from tests.world import Person, acting_as

ASKS = (Permission.AGENTS_VIEW, Permission.AGENTS_RUN)


async def key_of(
    person: Person,
    permissions: Sequence[Permission] = ASKS,
    *,
    name: str = "Script",
    expires_at: datetime | None = None,
) -> ApiKeyIssued:
    """Issue a key for a person."""
    body = ApiKeyCreate(name=name, permissions=list(permissions), expires_at=expires_at)
    async with acting_as(person) as tx:
        return await api_keys.issue(tx, body)


@asynccontextmanager
async def api_with(token: str, **headers: str) -> AsyncGenerator[httpx.AsyncClient]:
    """Give a client of the API that shows a key."""
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(build_api()),
        base_url="http://console.test",
        headers={"authorization": f"Bearer {token}", **headers},
    ) as client:
        yield client
