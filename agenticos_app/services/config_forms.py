"""A capability's settings as a JSON Schema from which a form can be drawn, in one language."""

from collections.abc import Mapping
from typing import Any

from agenticos_app.catalogue import said
from agenticos_app.contracts.capability import AnyCapability

Schema = dict[str, Any]

TYPES = frozenset({"string", "integer", "number", "boolean", "array"})
"""Kinds of settings that a form can draw; an array is one of strings."""

FORMATS = frozenset({"timezone", "multiline"})

KEYWORDS = frozenset(
    {
        "title", "description", "default", "type", "format", "enum", "items", "pattern", "advanced",
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
        "minItems", "maxItems", "uniqueItems", "x-enum-labels", "x-enum-icons",
    }
)  # fmt: skip
"""All that a form understands of a setting. What else a model's schema says, a form could not draw."""


def form_of(capability: AnyCapability, language: str) -> dict[str, object]:
    """Return the schema of a capability's settings with titles, descriptions and names of choices.

    A setting that may be left open has `null` among its types.
    """
    schema = capability.config.model_json_schema()
    properties: Mapping[str, Schema] = schema.get("properties", {})
    return {
        "type": "object",
        "additionalProperties": False,
        "required": schema.get("required", []),
        "properties": {
            name: _field(_plain(one), capability.id, name, language) for name, one in properties.items()
        },
    }


def _plain(field: Schema) -> Schema:
    """Return a field with `null` as one of its types instead of as an alternative."""
    if "anyOf" not in field:
        return field
    rest = {name: value for name, value in field.items() if name != "anyOf"}
    (kept,) = (one for one in field["anyOf"] if one != {"type": "null"})
    if "enum" in kept:
        kept = {**kept, "enum": [*kept["enum"], None]}
    return {**kept, **rest, "type": [kept["type"], "null"]}


def _field(field: Schema, capability: str, name: str, language: str) -> Schema:
    named: Schema = {
        "title": said(language, f"capability.{capability}.config.{name}.label"),
        "description": said(language, f"capability.{capability}.config.{name}.help"),
    }
    choices = field.get("enum") or field.get("items", {}).get("enum")
    if choices:
        named["x-enum-labels"] = {
            one: said(language, f"capability.{capability}.config.{name}.options.{one}")
            for one in choices
            if one is not None
        }
    return {**field, **named}
