"""What becomes of a tool call that failed. No tool decides this for itself: it raises, and is judged here.

| a tool raises | when | the model |
|---|---|---|
| `ModelRetry` | other arguments could work; the message shows a correct call | may correct itself once |
| `ExternalFailure`, a time-out | what stands behind the tool was away | may call again once |
| `ToolFailed`, or returns a text | bad news that is a result: no hits, a program that failed | reads it |
| another `AppError` | nothing the model does will help | reads that it was refused |
| `LimitReached`, `BudgetExceeded` | a limit of the run | is not asked again: the run ends |
"""

from dataclasses import dataclass
from typing import Literal

from pydantic_ai import ModelRetry, ToolFailed

from agenticos_app.contracts.cards import Card
from agenticos_app.contracts.money import BudgetExceeded
from agenticos_app.errors import AppError, ExternalFailure, LimitReached, Overloaded

AWAY = (ExternalFailure, Overloaded, TimeoutError, ConnectionError)
"""Raised for an outage that may pass. Told as a result it would read as "nothing found"."""

CORRECTABLE = (ModelRetry, *AWAY)
EXPECTED = (ModelRetry, ToolFailed, AppError)
"""What a tool raises on purpose; the log has all else."""

_AGAIN = "Correct this and call again."
_ONCE_MORE = "It was away for a moment, which says nothing about what you asked for. Call again."
_NO_MORE = "This was the last try. Go on without this tool, and say what you could not look up or do."


@dataclass(frozen=True, kw_only=True, slots=True)
class CallResult:
    """What one call came to."""

    text: str
    outcome: Literal["success", "retried", "failed"]
    """`retried`: the model may call again with other arguments."""
    card: Card | None = None


def verdict(error: Exception, *, is_last: bool) -> CallResult:
    """Return what the model is told of a call that failed; `is_last` when it was corrected before.

    What a stranger's error says goes to the log alone.

    Raises:
        LimitReached, BudgetExceeded: A limit that ends the run.
    """
    if isinstance(error, ModelRetry):
        return _retry(error.message, _AGAIN, is_last=is_last)
    if isinstance(error, AWAY):
        return _retry(f"The tool got no answer ({type(error).__name__}).", _ONCE_MORE, is_last=is_last)
    if isinstance(error, ToolFailed):
        return CallResult(text=error.message, outcome="failed")
    if isinstance(error, LimitReached | BudgetExceeded):
        raise error
    if isinstance(error, AppError):
        return CallResult(text=f"The tool was refused ({error.code}). Go on without it.", outcome="failed")
    name = type(error).__name__
    return CallResult(text=f"The tool failed ({name}). Go on without it.", outcome="failed")


def _retry(message: str, hint: str, *, is_last: bool) -> CallResult:
    if is_last:
        return CallResult(text=f"{message}\n{_NO_MORE}", outcome="failed")
    return CallResult(text=f"{message}\n{hint}", outcome="retried")
