"""A deployment in this process, and its database."""

from tests.world import console, console_database

__all__ = ["console", "console_database"]
