"""Why a run failed, in the words of the catalogue."""

import reflex as rx

from agenticos_app.i18n import t

REASONS = (
    "interrupted", "step_limit", "model_unauthorized", "model_not_found", "model_quota", "model_rate_limited",
    "model_context", "model_timeout", "model_unreachable", "model_failed", "model_confused", "no_model",
    "assembly", "version_gone", "platform_away",
    "key_unavailable",
)  # fmt: skip
"""Codes with a text of their own, `run_error.*`."""


def reason(code: rx.Var[str]) -> rx.Var[str]:
    """Return why a run failed."""
    known = [(one, t(f"run_error.{one}")) for one in REASONS]
    return rx.match(code, *known, t("run_error.internal")).to(str)
