"""Structured logs: an event name and values, no sentences, no message text, no secrets."""

import logging
import sys
from contextlib import suppress
from typing import Literal, TextIO, cast

import structlog


class _StandardError:
    """Standard error as it is when a line is written: a logger outlives whoever redirects it."""

    def write(self, text: str) -> int:
        with suppress(OSError, ValueError):  # a full disk or a closed pipe: the work goes on
            return sys.stderr.write(text)
        return 0

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()


def configure(level: str, form: Literal["text", "json"]) -> None:
    """Send all logs to standard error. Tracebacks show no values: those may be secrets."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *([structlog.processors.format_exc_info] if form == "json" else []),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _StandardError())),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
