"""Keyset pages: a cursor is the last row's sort key, never an offset."""

import base64
import binascii
import json
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

Row = TypeVar("Row")

PAGE_SIZE = 50
"""Rows of a page unless the caller asks for fewer."""


class Page(BaseModel, Generic[Row]):
    """One page of a list."""

    model_config = ConfigDict(frozen=True)

    rows: list[Row]
    next_cursor: str = ""
    """Opaque; empty on the last page."""


class BadCursor(ValueError):
    """The text is not a cursor that this platform made."""


def cursor_of(at: datetime, row_id: UUID) -> str:
    """Return the cursor that continues after the row with this time and id."""
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), str(row_id)]).encode()).decode()


def read_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Return time and id that a cursor was made of.

    Raises:
        BadCursor: The cursor was not made by `cursor_of`.
    """
    try:
        at, row_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise BadCursor
        return moment, UUID(row_id)
    except (ValueError, TypeError, AttributeError, binascii.Error) as error:
        raise BadCursor from error
