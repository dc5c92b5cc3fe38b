"""Refusals as the API tells them; what is wrong with a form in words of the catalogue (`error.field.*`)."""

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agenticos_app.errors import FieldProblem


class ProblemBody(BaseModel):
    """What was refused, and why."""

    model_config = ConfigDict(frozen=True)

    code: str = Field(description="Stable; programs decide by it")
    message: str = Field(description="A sentence in English")
    details: dict[str, object] = Field(description="Values that belong to the code")


class Problem(BaseModel):
    """Every refusal of the API has this shape."""

    model_config = ConfigDict(frozen=True)

    error: ProblemBody


FIELD_CODES = frozenset(
    {
        "missing", "too_short", "too_long", "too_small", "too_large", "address", "wrong", "taken", "unseen",
        "invalid", "unexpected", "service_account", "not_accepted", "namespace",
    }
)  # fmt: skip
"""What may be wrong with a field of a form; each has its text in each language."""

_BY_KIND = {
    "missing": "missing",
    "extra_forbidden": "unexpected",
    "string_too_short": "too_short",
    "string_too_long": "too_long",
    "too_short": "too_short",
    "too_long": "too_long",
    "greater_than": "too_small",
    "greater_than_equal": "too_small",
    "less_than": "too_large",
    "less_than_equal": "too_large",
}


def problems_of(error: ValidationError) -> list[FieldProblem]:
    """Return one problem a field, without the submitted values."""
    found: dict[str, str] = {}
    for problem in error.errors(include_url=False, include_context=True):
        field = ".".join(str(part) for part in problem["loc"]) or "form"
        said = str(problem.get("ctx", {}).get("error", ""))
        found.setdefault(field, code_of(problem["type"], problem.get("input"), said))
    return [FieldProblem(field=field, message=code) for field, code in found.items()]


def code_of(kind: str, value: object, said: str) -> str:
    """Return the code: an empty field is missing, a validator of ours names its own."""
    is_empty = value is None or (isinstance(value, str) and not value.strip())
    if is_empty and kind in ("string_too_short", "too_short", "value_error"):
        return "missing"
    return said if kind == "value_error" and said in FIELD_CODES else _BY_KIND.get(kind, "invalid")
