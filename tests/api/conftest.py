"""The API, asked by people of one organization."""

from tests.world import console, console_database

__all__ = ["console", "console_database"]
