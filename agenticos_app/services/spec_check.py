"""Whether a spec can be published: everything that is in the way, at once, with the publisher's access."""

import json
from collections.abc import Iterator, Sequence
from typing import cast

from jsonschema_rs import ReferencingError, ValidationError, meta, validator_for

from agenticos_app.contracts.spec import LONGEST_OUTPUT_SCHEMA, AgentSpec, Problem
from agenticos_app.db.work import Tx
from agenticos_app.errors import Forbidden, InvalidInput, NotFound
from agenticos_app.kernel.ids import SecretId
from agenticos_app.repos import model_profiles
from agenticos_app.services import registry, secrets

_REFERRING = ("$ref", "$dynamicRef", "$recursiveRef")


async def problems_of(tx: Tx, spec: AgentSpec) -> list[Problem]:
    """Return every reason why the actor cannot publish this spec."""
    own = [*await _of_model(tx, spec), *await _of_keys(tx, spec), *_of_output_schema(spec)]
    return [*own, *registry.check(spec)]


async def _of_model(tx: Tx, spec: AgentSpec) -> list[Problem]:
    if spec.model_profile_id is None:
        return [Problem(at="model_profile_id", code="model_missing")]
    if await model_profiles.get(tx, spec.model_profile_id) is None:
        return [Problem(at="model_profile_id", code="model_unknown")]
    return []


async def _of_keys(tx: Tx, spec: AgentSpec) -> list[Problem]:
    """Return keys that the actor may not bind or that are for other services."""
    found: list[Problem] = []
    for binding in spec.enabled:
        need = registry.needs_key(binding)
        if need is not None and binding.secret_id is not None:
            code = await _key_problem(tx, binding.secret_id, need.purposes)
            if code:
                at = f"capabilities.{binding.id}.secret_id"
                found.append(Problem(at=at, code=code, details={"capability": binding.id}))
    return found


async def _key_problem(tx: Tx, secret_id: SecretId, purposes: Sequence[str]) -> str:
    """Return what is wrong with a key; one that the actor may not bind is like one that does not exist."""
    try:
        await secrets.require_bindable(tx, secret_id, purposes=purposes)
    except (NotFound, Forbidden):
        return "key_unknown"
    except InvalidInput:
        return "key_purpose"
    return ""


def _of_output_schema(spec: AgentSpec) -> list[Problem]:
    schema = spec.output_schema
    if schema is None:
        return []
    size = len(json.dumps(schema, ensure_ascii=False).encode())
    if size > LONGEST_OUTPUT_SCHEMA:
        return [_schema_problem("too_long", limit_bytes=LONGEST_OUTPUT_SCHEMA)]
    if schema.get("type") != "object":
        return [_schema_problem("no_object")]
    if any(not reference.startswith("#") for reference in _references(schema)):
        return [_schema_problem("elsewhere")]
    try:
        meta.validate(schema)
        validator_for(schema)
    except (ValidationError, ReferencingError, ValueError):
        return [_schema_problem("invalid")]
    return []


def _schema_problem(what: str, **details: object) -> Problem:
    return Problem(at="output_schema", code=f"output_schema_{what}", details=details)


def _references(value: object) -> Iterator[str]:
    """Yield what a schema refers to; another document is never fetched."""
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            if name in _REFERRING and isinstance(inner, str):
                yield inner
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _references(inner)
