"""What went wrong in a run, in the platform's own words. Another party's text goes to the log only."""

from pydantic_ai import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
)

from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.money import BudgetExceeded, Cap
from agenticos_app.contracts.recording import Outcome
from agenticos_app.errors import AppError, ExternalFailure
from agenticos_app.runner.answer import AnswerInvalid

_CODES: tuple[tuple[type[Exception], str], ...] = (
    (ModelAuthenticationError, "model_unauthorized"),
    (ModelNotFoundError, "model_not_found"),
    (ModelQuotaExceededError, "model_quota"),
    (ModelRateLimitError, "model_rate_limited"),
    (ModelContextWindowExceededError, "model_context"),
    (ModelTimeoutError, "model_timeout"),
    (ModelRequestTimeout, "model_timeout"),
    (ModelConnectionError, "model_unreachable"),
    (ModelHTTPError, "model_failed"),
    (ModelAPIError, "model_failed"),
    (UnexpectedModelBehavior, "model_confused"),
)

_CAPS: dict[Cap, str] = {
    "run": "The budget of one run",
    "agent": "The agent's monthly budget",
    "organization": "The organization's monthly budget",
}


class AssemblyFailed(Exception):
    """The spec does not make an agent on this deployment. `code` is an i18n key `run_error.*`."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class StepLimitReached(Exception):
    """The run made as many model requests as it may."""


def outcome_of(error: Exception, stage: str) -> Outcome:
    """Return how a run ends that met this error at this stage (`assembly`, `model`).

    Everything that a provider or a tool said stays out: the sentence names the stage and the class.
    """
    if isinstance(error, StepLimitReached):
        return Outcome(status=RunStatus.FAILED, error_code="step_limit", error=str(error)[:500])
    if isinstance(error, AnswerInvalid):
        sentence = "The answer does not fit the agent's schema, and neither did its correction."
        return Outcome(status=RunStatus.FAILED, error_code="answer_invalid", error=sentence)
    if isinstance(error, AssemblyFailed):
        return Outcome(status=RunStatus.FAILED, error_code=error.code, error=str(error)[:500])
    if isinstance(error, BudgetExceeded):
        sentence = f"{_CAPS[error.cap]} of ${error.limit_micros / 1_000_000:,.2f} has not enough left."
        return Outcome(status=RunStatus.BUDGET_EXCEEDED, error_code=f"budget_{error.cap}", error=sentence)
    name = type(error).__name__
    if isinstance(error, ExternalFailure):
        sentence = f"The {error.details['service']} did not answer ({name})."
        return Outcome(status=RunStatus.FAILED, error_code="platform_away", error=sentence)
    if isinstance(error, AppError):
        code = error.code.lower()
        return Outcome(status=RunStatus.FAILED, error_code=code, error=f"The run was refused ({name}).")
    code = next((code for kind, code in _CODES if isinstance(error, kind)), f"{stage}_failed")
    if stage == "assembly":
        return Outcome(status=RunStatus.FAILED, error_code="assembly", error=f"Assembly failed ({name}).")
    return Outcome(status=RunStatus.FAILED, error_code=code, error=f"The model request failed ({name}).")
