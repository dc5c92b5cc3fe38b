"""Why a run failed, in the words of the catalogue."""

import reflex as rx

from agenticos_app.i18n import t

REASONS = (
    "interrupted", "step_limit", "model_unauthorized", "model_not_found", "model_quota", "model_rate_limited",
    "model_context", "model_timeout", "model_unreachable", "model_failed", "model_confused", "no_model",
    "assembly", "version_gone", "platform_away", "budget_organization", "budget_agent", "budget_run",
    "answer_cut", "answer_invalid", "time_limit", "capability_key", "scope_missing",
)  # fmt: skip
"""Codes with a text of their own, `run_error.*`."""


def reason(code: rx.Var[str], model: rx.Var[str]) -> rx.Var[str]:
    """Return why a run failed; `model` is what its model was called, empty when that is not known."""
    known = [(one, t(f"run_error.{one}")) for one in REASONS]
    known += [(one, t(f"run_error.{one}", model=model)) for one in ("no_key", "key_unavailable")]
    gone = rx.cond(model != "", t("run_error.model_gone_named", model=model), t("run_error.model_gone"))
    known.append(("model_gone", gone.to(str)))
    return rx.match(code, *known, t("run_error.internal")).to(str)
