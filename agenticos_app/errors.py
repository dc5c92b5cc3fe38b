"""Every refusal the platform can give, and nothing else.

A bug is not in this file: anything that is not an `AppError` is one, and the edges report it as such.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypedDict


class FieldProblem(TypedDict):
    """What is wrong with one submitted field.

    `message` is a code: the suffix of an i18n key `error.field.*` or, of a file, of one of the page's own.
    """

    field: str
    message: str


class AppError(Exception):
    """A refusal that a person can act on.

    Attributes:
        code: Stable, machine readable; the i18n key is `error.<code>` in lower case.
        status: HTTP status the API answers with.
        details: Values for the message. Ids, names and numbers only: no rows, no secrets, no submitted
            values, no text from another server.
    """

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 400
    message: ClassVar[str] = "The request was refused."

    def __init__(self, **details: object) -> None:
        super().__init__(self.code, details)
        self.details: Mapping[str, object] = details


class InvalidInput(AppError):
    """Submitted fields do not fit. `fields` names each with its problem."""

    code = "invalid_input"
    status = 422
    message = "Some fields need another value."

    def __init__(self, *fields: FieldProblem, **details: object) -> None:
        super().__init__(fields=list(fields), **details)
        self.fields: Sequence[FieldProblem] = fields


class NotPublishable(InvalidInput):
    """A draft cannot be published. `problems` has every reason, `fields` those that a form can mark."""

    code = "not_publishable"
    message = "The draft cannot be published yet."


class BadDocument(AppError):
    """A file is not what is read here. `field` names the place in it, `problem` is a code."""

    code = "bad_document"
    status = 400
    message = "The file is not an agent's file that this server reads."


class Unauthenticated(AppError):
    """Nobody is signed in, or no longer."""

    code = "unauthenticated"
    status = 401
    message = "Sign in first."


class InvalidKey(Unauthenticated):
    """The API key is not valid. `reason`: `unknown`, `expired`, `revoked`; `dormant` when its issuer left."""

    code = "invalid_key"
    message = "This API key is not valid."


class WrongCredentials(AppError):
    """Address and password do not belong together, or the account is not active."""

    code = "wrong_credentials"
    status = 401
    message = "Address and password do not belong to an active account."


class NotFound(AppError):
    """The thing does not exist, or this actor may not know that it does."""

    code = "not_found"
    status = 404
    message = "There is nothing under this address that you can open."


class Forbidden(AppError):
    """The actor may see the thing but not do this to it."""

    code = "forbidden"
    status = 403
    message = "You may not do this. An owner or administrator can grant it."


class PersonNeeded(AppError):
    """An API key asked for something that only a person who is signed in can do."""

    code = "person_needed"
    status = 403
    message = "An API key cannot do this. Sign in to the console."


class ForeignOrigin(AppError):
    """A page of another site used a person's cookie."""

    code = "foreign_origin"
    status = 403
    message = "Requests with a session cookie must come from the console's own pages."


class Conflict(AppError):
    """The change is legal, but not in the state the thing is in now. `reason` says which, as a code."""

    code = "conflict"
    status = 409
    message = "This does not fit the current state. Reload and try again."


class KeyUnavailable(AppError):
    """A stored secret that this needs cannot be used.

    `reason`: `unset` (none was chosen, or it was deleted), `missing` (deleted), `purpose` (it is for another
    service), `sealed` (it does not open with the deployment's keys).
    """

    code = "key_unavailable"
    status = 409
    message = "The key that this needs is missing or cannot be used. Choose another one in the vault."


class KeyReused(AppError):
    """The `Idempotency-Key` was sent before with another request."""

    code = "idempotency_key_reused"
    status = 422
    message = "This Idempotency-Key came with another request before. Send a fresh one."


class MethodNotAllowed(AppError):
    """The address exists, but not for this method."""

    code = "method_not_allowed"
    status = 405
    message = "This address does not take this method."


class UnsupportedType(AppError):
    """The body is of another media type than the route reads. `expected` names the one it does."""

    code = "unsupported_type"
    status = 415
    message = "Send the body with another content type."


class LimitReached(AppError):
    """Too often or too much. `retry_after_seconds` says when to come back."""

    code = "RATE_LIMIT_EXCEEDED"
    status = 429
    message = "Too many requests. Try again later."

    def __init__(self, retry_after_seconds: int, **details: object) -> None:
        super().__init__(retry_after_seconds=retry_after_seconds, **details)
        self.retry_after_seconds = retry_after_seconds


class Overloaded(LimitReached):
    """The deployment cannot take more work now."""

    code = "overloaded"
    status = 503
    message = "The server is busy. Try again in a moment."


class TooLarge(AppError):
    """The upload or text is larger than `limit_bytes`."""

    code = "too_large"
    status = 413
    message = "This is larger than the limit."


class ExternalFailure(AppError):
    """Another service did not do its part. `service` names it: database, disk, storage, redis, model."""

    code = "external_failure"
    status = 502
    message = "A service that is needed for this did not answer as expected."
