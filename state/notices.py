"""What the platform has to say about the last thing a person did; drawn by the frame."""

from typing import cast
from uuid import uuid4

import reflex as rx
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError
from reflex.event import EventSpec

from agenticos_app.errors import AppError, Unauthenticated

log = structlog.get_logger()

KEPT = 3
CODE_LENGTH = 64
VALUES = 8
VALUE_LENGTH = 200


class Notice(BaseModel):
    """One notice: a code of the catalogue's `error` area and the values of its text."""

    model_config = ConfigDict(frozen=True)

    id: str
    code: str
    details: dict[str, str]
    report: str = ""
    """An id that a person can pass on; empty when there is nothing to look up."""


class NoticesState(rx.State):
    """The notices that are open over the page, newest last."""

    rows: list[Notice] = []

    @rx.event
    def show(self, code: str, details: dict[str, str], report: str = "") -> None:
        """Open a notice. Texts come from the catalogue, so a browser can only tell itself known things."""
        values = {
            str(name)[:CODE_LENGTH]: str(value)[:VALUE_LENGTH]
            for name, value in list(details.items())[:VALUES]
        }
        notice = Notice(
            id=uuid4().hex, code=str(code)[:CODE_LENGTH], details=values, report=str(report)[:CODE_LENGTH]
        )
        others = [row for row in self.rows if (row.code, row.details) != (notice.code, notice.details)]
        self.rows = [*others, notice][-KEPT:]

    @rx.event
    def dismiss(self, notice_id: str) -> None:
        """Close a notice."""
        self.rows = [row for row in self.rows if row.id != notice_id]


TOLD_CONFLICTS = (
    "agents_full",
    "archived",
    "default_environment",
    "draft_changed",
    "environments_full",
    "not_archived",
    "not_published",
    "run_in_progress",
    "runs_open",
    "vault_full",
    "version_in_use",
)
"""Reasons of a conflict with a text of their own, `error.conflict_<reason>`."""


def _named(refusal: AppError) -> str:
    reason = refusal.details.get("reason")
    return f"{refusal.code}_{reason}" if reason in TOLD_CONFLICTS else refusal.code


def reported(event: str, failure: Exception) -> str:
    """Log a failure, and return the id under which the log has it."""
    report = uuid4().hex[:8]
    log.error(event, report=report, exc_info=failure)
    return report


def notice_of(failure: Exception, *, report: str) -> EventSpec:
    """Return the event that tells the person about a failed handler.

    For `rx.App(backend_exception_handler=...)`. Somebody who is no longer signed in is led to the sign-in
    page; what is not a refusal is told as an unexpected failure with `report` to pass on.
    """
    if isinstance(failure, Unauthenticated):
        return rx.redirect("/sign-in")
    if isinstance(failure, AppError):
        details = {name: str(value) for name, value in failure.details.items() if name != "fields"}
        return _shown(_named(failure), details, "")
    if isinstance(failure, ValidationError):
        return _shown("invalid_input", {}, "")
    return _shown("unexpected", {}, report)


def _shown(code: str, details: dict[str, str], report: str) -> EventSpec:
    return cast("EventSpec", NoticesState.show(code, details, report))
