"""What every test runs under."""

import pytest
from pydantic_ai import models

from agenticos_app import log

models.ALLOW_MODEL_REQUESTS = False


@pytest.fixture(autouse=True, scope="session")
def plain_logs() -> None:
    """Log as a server does."""
    log.configure("info", "text")
