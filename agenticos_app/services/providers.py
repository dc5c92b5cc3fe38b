"""What providers of models say: whether a model answers, which they have, what they cost.

Everything here but the prices talks to other servers: never within a transaction.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agenticos_app.contracts.models import ModelAccess, ModelCheck, ModelList
from agenticos_app.contracts.prices import Prices
from agenticos_app.contracts.providers import OFFERED, Listing
from agenticos_app.schemas.models import (
    ListedRow,
    LocalServer,
    ModelCheckResult,
    ModelListResult,
    ProviderRow,
)
from agenticos_app.security.actor import Actor
from agenticos_app.security.permissions import Permission

LOCAL_SERVERS = (("Ollama", "ollama", 11434), ("LM Studio", "openai", 1234), ("llama.cpp", "openai", 8080))
"""What each is called, the provider that speaks its dialect, its usual port."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ways:
    """The ways to providers that this process has."""

    check: Callable[[ModelAccess], Awaitable[ModelCheck]]
    models: Callable[[ModelAccess], Awaitable[ModelList]]
    prices: Prices


_ways: Ways | None = None


def use(ways: Ways | None) -> None:
    """Make `ways` this process's; set by the composition root."""
    global _ways
    _ways = ways


def current() -> Ways:
    """Return the ways to providers."""
    assert _ways is not None, "start the platform first"
    return _ways


def catalogue_for(actor: Actor) -> list[ProviderRow]:
    """Return the providers that may be chosen.

    Raises:
        Forbidden: Without `connections:view`.
    """
    actor.require(Permission.CONNECTIONS_VIEW)
    return [
        ProviderRow(
            id=entry.id,
            label=entry.label,
            credential=entry.credential,
            takes_url=entry.takes_url,
            needs_url=not entry.base_url and entry.takes_url,
            dialects=list(entry.dialects),
            lists_models=entry.listing is not Listing.NONE,
        )
        for entry in OFFERED.values()
    ]


async def check(access: ModelAccess) -> ModelCheckResult:
    """Ask the model one short question; return what came back and how long it took."""
    found = await current().check(access)
    return ModelCheckResult(
        ok=found.ok,
        milliseconds=found.milliseconds,
        reply=found.reply,
        problem=found.problem,
        models=list(found.models),
    )


async def listed(access: ModelAccess) -> ModelListResult:
    """Return the models to choose from: the provider's own list, else a short one."""
    found = await current().models(access)
    rows = [ListedRow(id=model.id, context_length=model.context_length) for model in found.models]
    return ModelListResult(models=rows, is_live=found.is_live, problem=found.problem)


async def found_locally() -> list[LocalServer]:
    """Return the OpenAI-compatible servers that answer on this machine's usual ports."""
    looked = await asyncio.gather(*(_look(*server) for server in LOCAL_SERVERS))
    return [server for server in looked if server.models]


async def _look(name: str, provider: str, port: int) -> LocalServer:
    base_url = f"http://127.0.0.1:{port}/v1"
    checked = await current().check(ModelAccess(provider=provider, model_name="", base_url=base_url))
    return LocalServer(name=name, provider=provider, base_url=base_url, models=list(checked.models))
