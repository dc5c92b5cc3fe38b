"""The HTTP side of the platform."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

import structlog
from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import Match

from agenticos_app.api import stream
from agenticos_app.api.routers import (
    agents,
    auth,
    conversations,
    health,
    models,
    organizations,
    runs,
    secrets,
)
from agenticos_app.errors import AppError, LimitReached
from agenticos_app.schemas.problems import code_of

log = structlog.get_logger()

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}


def build_api() -> FastAPI:
    """Return the API. Resources are started by the composition root, not here."""
    api = FastAPI(
        title="AgenticOS", version="1", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    for module in (auth, organizations, agents, runs, conversations, models, secrets, health, stream):
        api.include_router(module.router, prefix="/api/v1")
    api.add_api_route("/api/{path:path}", _unknown, methods=_METHODS, include_in_schema=False)
    api.add_exception_handler(AppError, _refusal)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(StarletteHTTPException, _http)
    api.add_exception_handler(Exception, _broken)
    return api


def _envelope(
    status: int,
    code: str,
    message: str,
    details: Mapping[str, object],
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    body = {"error": {"code": code, "message": message, "details": jsonable_encoder(details)}}
    return JSONResponse(body, status_code=status, headers=dict(headers or {}))


async def _unknown(request: Request) -> JSONResponse:
    """Answer what no route took: it may be an address with other methods, or none at all."""
    allowed = [method for method in _METHODS if _takes(request, method)]
    if allowed:
        return _envelope(
            405,
            "method_not_allowed",
            "This address takes other methods.",
            {"allowed": allowed},
            {"allow": ", ".join(allowed)},
        )
    return _envelope(404, "not_found", "There is no such address.", {})


def _takes(request: Request, method: str) -> bool:
    """Tell whether a route before this one would take the request with this method."""
    scope = {**request.scope, "method": method}
    taker = next(route for route in request.app.routes if route.matches(scope)[0] is Match.FULL)
    return getattr(taker, "endpoint", None) is not _unknown


async def _refusal(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AppError)
    headers = {"retry-after": str(error.retry_after_seconds)} if isinstance(error, LimitReached) else None
    return _envelope(error.status, error.code, error.message, error.details, headers)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return _envelope(
        422, "invalid_input", "Some fields need another value.", {"fields": problems_of(error.errors())}
    )


def problems_of(errors: Sequence[Any]) -> list[dict[str, str]]:
    """Return field and problem code of each validation error; never the submitted value."""
    return [
        {"field": ".".join(str(part) for part in one["loc"][1:]), "message": _problem(one)} for one in errors
    ]


def _problem(one: Mapping[str, Any]) -> str:
    return code_of(str(one["type"]), one.get("input"), str(one.get("ctx", {}).get("error", "")))


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)
    code = _CODES.get(error.status_code, "refused")
    return _envelope(error.status_code, code, "The request was refused.", {}, error.headers)


async def _broken(request: Request, error: Exception) -> JSONResponse:
    reference = uuid4().hex[:8]
    log.error("api.broken", reference=reference, path=request.url.path, exc_info=error)
    return _envelope(
        500, "internal", "Something broke on our side. The log has the reference.", {"reference": reference}
    )
