"""What every test runs under."""

import pytest
from pydantic_ai import models

from agenticos_app import log

models.ALLOW_MODEL_REQUESTS = False


@pytest.fixture(autouse=True, scope="session")
def plain_logs() -> None:
    """Log as a server does."""
    log.configure("info", "text")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run what drives a browser last: Playwright's loop stays open until the session ends."""
    items.sort(key=lambda item: item.get_closest_marker("e2e") is not None)
