"""The description of the API: what each route may refuse, the ways in, an example for everything."""

import http
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from agenticos_app.api.examples import DETAILS, EXAMPLES, VALUES
from agenticos_app.errors import (
    AppError,
    Conflict,
    ExternalFailure,
    ForeignOrigin,
    InvalidInput,
    InvalidKey,
    LimitReached,
    NotFound,
    Overloaded,
    TooLarge,
    Unauthenticated,
    UnsupportedType,
)
from agenticos_app.schemas.problems import Problem

Document = dict[str, Any]
Responses = dict[int | str, Document]

EVENT_STREAM = "text/event-stream"
_EVENTS = (
    'id: 1\ndata: {"type":"part","seq":1,"part":{"index":0,"kind":"text"}}\n\n'
    'id: 2\ndata: {"type":"text","seq":2,"text":"It is 391."}\n\n'
    'id: 4\ndata: {"type":"end","seq":4,"status":"completed"}\n\n'
)
STREAM: Responses = {
    200: {
        "description": "The answer, or with `Accept: text/event-stream` its events",
        "content": {EVENT_STREAM: {"schema": {"description": "`data` is JSON"}, "example": _EVENTS}},
    }
}

_FRAMEWORKS_OWN = "HTTPValidationError"
_OF_ALL = (InvalidInput, LimitReached, ExternalFailure, Overloaded)
_OF_CALLERS = (Unauthenticated, InvalidKey, NotFound, Conflict)
_OF_WRITES = (ForeignOrigin, TooLarge)

TAGS = {
    "Agents": "Which agents there are, making and sharing them, and asking them.",
    "Building agents": "What an agent is: its draft, published versions, environments, files.",
    "Runs": "Every execution: listed, read, followed, stopped.",
    "Conversations": "The caller's conversations, and files to attach.",
    "API keys": "Keys for programs. People make them; a key cannot.",
    "Vault": "Keys of services: kept, replaced, shared. Their values never come back.",
    "Models": "Which model the organization's agents use.",
    "Organization": "The organization that the caller acts in, and its members.",
    "Sign-in": "Accounts, sessions, and who is calling.",
    "Health": "Whether the server answers.",
}


def refusals(*errors: type[AppError]) -> Responses:
    """Return what a route may refuse by itself; what all may refuse is added to the description."""
    by_status: dict[int, list[type[AppError]]] = {}
    for error in errors:
        by_status.setdefault(error.status, []).append(error)
    return {status: _response(found) for status, found in by_status.items()}


def binary(*media_types: str) -> Responses:
    """Return the answer of a route that sends bytes."""
    schema = {"type": "string", "format": "binary"}
    content = {kind: {"schema": schema, "example": "(bytes)"} for kind in media_types}
    return {200: {"description": "The bytes", "content": content}}


def _response(errors: Sequence[type[AppError]]) -> Document:
    return {
        "model": Problem,
        "description": http.HTTPStatus(errors[0].status).phrase,
        "content": {"application/json": {"examples": {error.code: _example(error) for error in errors}}},
    }


def _example(error: type[AppError]) -> Document:
    told = {"code": error.code, "message": error.message, "details": DETAILS.get(error.code, {})}
    return {"summary": error.message, "value": {"error": told}}


def operation_id(route: APIRoute) -> str:
    """Return the name of a route's function, which is stable and says what it does."""
    return route.name


def describe(api: FastAPI) -> Document:
    """Return the OpenAPI document of the API; made once."""
    if api.openapi_schema is None:
        api.openapi_schema = _described(api)
    return api.openapi_schema


def _described(api: FastAPI) -> Document:
    document = get_openapi(
        title="AgenticOS",
        version="1",
        description="Ask agents, read what they did. How to begin: `/api/docs`.",
        routes=api.routes,
        tags=[{"name": name, "description": said} for name, said in TAGS.items()],
    )
    for method, operation in operations(document):
        _complete(method, operation)
    schemas = document["components"]["schemas"]
    for name in (_FRAMEWORKS_OWN, "ValidationError"):
        schemas.pop(name, None)
    for name, schema in schemas.items():
        if schema.get("type") == "object":
            schema["examples"] = [EXAMPLES.get(name) or sample(schema, schemas)]
    for _, operation in operations(document):
        _give_examples(operation, schemas)
    return document


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    """Yield each operation with its method."""
    for path in document["paths"].values():
        yield from path.items()


def operations_by_tag(document: Document) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Yield each area with its operations: method, path, and the first sentence about it."""
    for tag in TAGS:
        yield (
            tag,
            [
                (method.upper(), path, operation["description"].partition("\n")[0])
                for path, found in document["paths"].items()
                for method, operation in found.items()
                if tag in operation["tags"]
            ],
        )


def _complete(method: str, operation: Document) -> None:
    """Add what the layers around a route may refuse."""
    common: list[type[AppError]] = [*_OF_ALL]
    if "security" in operation:
        common += _OF_CALLERS
    if method not in ("get", "head"):
        common += _OF_WRITES
    if "requestBody" in operation:
        common.append(UnsupportedType)
    responses = cast("dict[str, Document]", operation["responses"])
    if _FRAMEWORKS_OWN in str(responses.get("422")):
        del responses["422"]
    for error in common:
        known = responses.setdefault(str(error.status), _plain(error.status))
        examples = known["content"]["application/json"].setdefault("examples", {})
        examples.setdefault(error.code, _example(error))
    responses.setdefault("500", _plain(500))
    responses["500"]["content"]["application/json"]["examples"] = {"internal": INTERNAL}
    for status, response in responses.items():
        if status in ("401", "429"):
            response["headers"] = _HEADERS[status]


_HEADERS: Mapping[str, Document] = {
    "401": {"WWW-Authenticate": {"description": "How to sign in", "schema": {"type": "string"}}},
    "429": {
        "Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}},
        "RateLimit-Limit": {"description": "Tries in a minute", "schema": {"type": "integer"}},
        "RateLimit-Remaining": {"description": "Tries left", "schema": {"type": "integer"}},
        "RateLimit-Reset": {"description": "Seconds to the next minute", "schema": {"type": "integer"}},
    },
}

INTERNAL: Document = {
    "summary": "Something broke",
    "value": {
        "error": {
            "code": "internal",
            "message": "Something broke on our side. The log has the reference.",
            "details": {"reference": "9f2c41aa"},
        }
    },
}


def _plain(status: int) -> Document:
    return {
        "description": http.HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _give_examples(operation: Document, schemas: Document) -> None:
    """Give each body and answer an example of its own."""
    contents = [operation.get("requestBody", {}).get("content", {})]
    contents += [response.get("content", {}) for response in operation["responses"].values()]
    for content in contents:
        for media in content.values():
            if "example" not in media and "examples" not in media:
                media["example"] = sample(media.get("schema", {}), schemas)


_BY_FORMAT: Mapping[str, object] = {
    "uuid": "0193a5c2-7c1e-7b44-9d52-3f2a9a1c0b77",
    "date": "2030-01-31",
    "date-time": "2030-01-31T09:30:00Z",
    "binary": "(bytes)",
    "password": "correct horse battery",
}
_BY_TYPE: Mapping[str, object] = {
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "null": None,
    "string": "text",
}


def sample(schema: Document, schemas: Document, name: str = "") -> Any:
    """Return a value that fits a schema, of properties with a known name one that people recognise."""
    if "$ref" in schema:
        kind = schema["$ref"].rpartition("/")[2]
        return EXAMPLES.get(kind) or sample(schemas[kind], schemas, name)
    if one_of := schema.get("anyOf") or schema.get("oneOf"):
        return sample(one_of[0], schemas, name)
    for given in ("const", "default"):
        if schema.get(given) not in (None, "", [], {}):
            return schema[given]
    if "enum" in schema:
        return schema["enum"][0]
    if name in VALUES:
        return VALUES[name]
    return _made(schema, schemas, name)


def _made(schema: Document, schemas: Document, name: str) -> Any:
    kind = schema.get("type")
    if kind == "array":
        return [sample(schema["items"], schemas, name)]
    if kind == "object":
        inner = schema.get("properties", {})
        return {key: sample(one, schemas, key) for key, one in inner.items()}
    if kind == "string":
        return _BY_FORMAT.get(schema.get("format", ""), "text")
    return _BY_TYPE.get(str(kind), "text")
