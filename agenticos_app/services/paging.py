"""Cursors as callers send them."""

from datetime import datetime
from uuid import UUID

from agenticos_app.errors import InvalidInput
from agenticos_app.kernel.paging import BadCursor, read_cursor


def after_cursor(cursor: str) -> tuple[datetime, UUID] | None:
    """Return the sort key that a page begins after; None for the first page.

    Raises:
        InvalidInput: The cursor is not one of ours.
    """
    try:
        return read_cursor(cursor) if cursor else None
    except BadCursor:
        raise InvalidInput({"field": "cursor", "message": "invalid"}) from None
