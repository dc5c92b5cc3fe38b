"""The HTTP side of the platform."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import structlog
from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import Route, compile_path
from starlette.types import Receive, Scope, Send

from agenticos_app.api import docs, stream
from agenticos_app.api.openapi import describe, operation_id
from agenticos_app.api.rates import RateHeaders, rate_headers
from agenticos_app.api.routers import (
    agents,
    api_keys,
    auth,
    building,
    capabilities,
    conversations,
    health,
    models,
    organizations,
    runs,
    secrets,
)
from agenticos_app.bus.limits import Rate
from agenticos_app.errors import (
    AppError,
    InvalidInput,
    LimitReached,
    MethodNotAllowed,
    NotFound,
    Unauthenticated,
    UnsupportedType,
)
from agenticos_app.schemas.problems import code_of

log = structlog.get_logger()


def build_api() -> FastAPI:
    """Return the API. Resources are started by the composition root, not here."""
    api = FastAPI(
        title="AgenticOS",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        generate_unique_id_function=operation_id,
    )
    api.openapi = lambda: describe(api)
    for module in (
        capabilities,  # before the agents' own addresses, which would take its name for an id
        agents,
        building,
        runs,
        stream,
        conversations,
        api_keys,
        models,
        secrets,
        organizations,
        auth,
        health,
    ):
        api.include_router(module.router, prefix="/api/v1")
    api.add_api_route("/api/docs", docs.read_docs, include_in_schema=False)
    api.router.routes.append(Route("/api/{path:path}", _Elsewhere(api), include_in_schema=False))
    api.add_middleware(RateHeaders)
    api.add_exception_handler(AppError, _refusal)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(StarletteHTTPException, _http)
    api.add_exception_handler(Exception, _broken)
    return api


class _Elsewhere:
    """Answers what no route takes: another method than an address knows, or no address at all."""

    def __init__(self, api: FastAPI) -> None:
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; a socket is closed."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4404})
            return
        allowed = self._methods(scope["path"])
        error = MethodNotAllowed(allowed=allowed) if allowed else NotFound()
        headers = {"allow": ", ".join(allowed)} if allowed else None
        await _told(error, headers)(scope, receive, send)

    def _methods(self, path: str) -> list[str]:
        known = describe(self._api)["paths"]
        found = {
            method.upper()
            for one, operations in known.items()
            if compile_path(one)[0].match(path)
            for method in operations
        }
        return sorted(found)


def _envelope(
    status: int,
    code: str,
    message: str,
    details: Mapping[str, object],
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    body = {"error": {"code": code, "message": message, "details": jsonable_encoder(details)}}
    return JSONResponse(body, status_code=status, headers=dict(headers or {}))


def _told(error: AppError, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return _envelope(error.status, error.code, error.message, error.details, headers)


async def _refusal(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, AppError)
    if isinstance(error, LimitReached):
        return _told(error, _waiting(error))
    if isinstance(error, Unauthenticated):
        return _told(error, {"www-authenticate": f'Bearer realm="AgenticOS", error="{error.code}"'})
    return _told(error)


def _waiting(error: LimitReached) -> Mapping[str, str]:
    headers = {"retry-after": str(error.retry_after_seconds)}
    limit = error.details.get("limit")
    if isinstance(limit, int):
        headers |= rate_headers(Rate(limit, 0, error.retry_after_seconds))
    return headers


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    expected = _expected_type(request)
    if expected is not None:
        return _told(UnsupportedType(expected=expected))
    return _envelope(422, InvalidInput.code, InvalidInput.message, {"fields": problems_of(error.errors())})


def _expected_type(request: Request) -> str | None:
    """Return the media type that the route reads when the body is of another one."""
    route = request.scope.get("route")
    field = route.body_field if isinstance(route, APIRoute) else None
    if field is None:
        return None
    expected = str(getattr(field.field_info, "media_type", "application/json"))
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return expected if sent and sent != expected else None


def problems_of(errors: Sequence[Any]) -> list[dict[str, str]]:
    """Return field and problem code of each validation error; never the submitted value."""
    return [
        {"field": ".".join(str(part) for part in one["loc"][1:]), "message": _problem(one)} for one in errors
    ]


def _problem(one: Mapping[str, Any]) -> str:
    return code_of(str(one["type"]), one.get("input"), str(one.get("ctx", {}).get("error", "")))


async def _http(_: Request, error: Exception) -> JSONResponse:
    """Answer what the framework refuses by itself: a body that it cannot take apart, an odd address."""
    assert isinstance(error, StarletteHTTPException)
    if error.status_code == HTTPStatus.BAD_REQUEST:
        return _told(InvalidInput({"field": "body", "message": "invalid"}))
    if error.status_code == HTTPStatus.NOT_FOUND:
        return _told(NotFound())
    return _envelope(error.status_code, AppError.code, AppError.message, {}, error.headers)


async def _broken(request: Request, error: Exception) -> JSONResponse:
    reference = uuid4().hex[:8]
    log.error("api.broken", reference=reference, path=request.url.path, exc_info=error)
    return _envelope(
        500, "internal", "Something broke on our side. The log has the reference.", {"reference": reference}
    )
