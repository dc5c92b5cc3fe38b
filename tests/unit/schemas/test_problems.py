"""What is wrong with a form, in codes that have texts."""

import pytest
from pydantic import BaseModel, Field, ValidationError

from agenticos_app.schemas.accounts import EmailAddress, SetUp
from agenticos_app.schemas.problems import FIELD_CODES, problems_of


class _Form(BaseModel):
    email: EmailAddress
    count: int = Field(ge=1, le=9)


def problems(kind: type[BaseModel], given: dict[str, object]) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate(given)
    found = problems_of(caught.value)
    assert {problem["message"] for problem in found} <= FIELD_CODES
    return {problem["field"]: problem["message"] for problem in found}


@pytest.mark.req("DOM-UI-29")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"email": "missing", "count": "missing"}),
        ({"email": "", "count": 0}, {"email": "missing", "count": "too_small"}),
        ({"email": "ada@", "count": 10}, {"email": "address", "count": "too_large"}),
        ({"email": "a@" + "b" * 300, "count": "many"}, {"email": "too_long", "count": "invalid"}),
        ({"email": ["a@b"], "count": None}, {"email": "invalid", "count": "invalid"}),
    ],
)
def test_each_field_is_named_with_one_code(given: dict[str, object], expected: dict[str, str]) -> None:
    assert problems(_Form, given) == expected


def test_an_empty_set_up_marks_every_field() -> None:
    empty = dict.fromkeys(SetUp.model_fields, "")
    expected = dict.fromkeys(("email", "password", "full_name", "organization_name"), "missing")
    assert problems(SetUp, empty) == expected


def test_a_problem_of_the_whole_form_belongs_to_the_form() -> None:
    with pytest.raises(ValidationError) as caught:
        _Form.model_validate("not a form")
    assert problems_of(caught.value) == [{"field": "form", "message": "invalid"}]
