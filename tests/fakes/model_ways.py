"""What providers would say, for tests that ask none."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

from agenticos_app.contracts.models import ModelAccess, ModelCheck, ModelList
from agenticos_app.services import providers
from integrations.prices.bundled import BundledPrices


async def _nothing(access: ModelAccess) -> ModelList:
    return ModelList(models=(), is_live=False)


@contextmanager
def answering(
    check: Callable[[ModelAccess], Awaitable[ModelCheck]],
    models: Callable[[ModelAccess], Awaitable[ModelList]] = _nothing,
) -> Generator[None]:
    """Let these stand where the providers are."""
    before = providers._ways  # pyright: ignore[reportPrivateUsage]
    providers.use(providers.Ways(check=check, models=models, prices=BundledPrices()))
    try:
        yield
    finally:
        providers.use(before)
