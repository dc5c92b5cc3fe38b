"""A folder for each test that other accounts may be let into."""

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Generator[Path]:
    """Give a fresh folder outside of pytest's own, which each new session closes to other accounts again.

    Run as root, the database has an account of its own that must get through.
    """
    with tempfile.TemporaryDirectory(prefix="agenticos-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
