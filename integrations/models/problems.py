"""What can go wrong with a provider, and what can be done about it."""

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
)

_PROBLEMS: tuple[tuple[type[Exception], str], ...] = (
    (ModelAuthenticationError, "unauthorized"),
    (ModelNotFoundError, "not_found"),
    (ModelRateLimitError, "rate_limited"),
    (ModelQuotaExceededError, "rate_limited"),
    (ModelConnectionError, "unreachable"),
    (ModelRequestTimeout, "unreachable"),
    (AgentRunError, "failed"),
)

_THE_PROVIDERS: tuple[type[Exception], ...] = (
    ModelAuthenticationError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
    UnexpectedModelBehavior,
)

_PASSING: tuple[type[Exception], ...] = (
    ModelRateLimitError,
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
)


def problem_of(error: Exception) -> str:
    """Return the code that `ModelCheck.problem` has for an error."""
    return next((code for kind, code in _PROBLEMS if isinstance(error, kind)), "failed")


def is_the_providers(error: Exception) -> bool:
    """Tell whether another provider might answer the same request.

    No: the request does not fit the model, or was refused for what it says.
    """
    if isinstance(error, ModelContextWindowExceededError | ContentFilterError):
        return False
    if isinstance(error, _THE_PROVIDERS):
        return True
    if isinstance(error, ModelRequestRejectedError):
        return False
    if isinstance(error, ModelHTTPError):
        return error.status_code >= 500 or error.status_code in (401, 402, 403, 404, 408, 429)
    return isinstance(error, ModelAPIError)


def is_passing(error: Exception) -> bool:
    """Tell whether the same provider might answer in a moment. What took too long once is not tried again."""
    return isinstance(error, _PASSING) and not isinstance(error, ModelTimeoutError)
