"""Notices: what a failed handler tells the person."""

import pytest
from pydantic import BaseModel, ValidationError

from agenticos_app.errors import Conflict, InvalidInput, LimitReached, Unauthenticated
from state.notices import KEPT, NoticesState, notice_of
from tests.fakes.reflex_state import led_to, page_state


class _Form(BaseModel):
    name: str


def _told(failure: Exception) -> dict[str, object]:
    event = notice_of(failure, report="7f3k20")
    return {str(name): value._var_value for name, value in event.args}


def test_a_refusal_is_told_by_its_code_and_values() -> None:
    assert _told(LimitReached(24)) == {
        "code": "RATE_LIMIT_EXCEEDED",
        "details": {"retry_after_seconds": "24"},
        "report": "",
    }


def test_problems_of_fields_are_not_part_of_a_notice() -> None:
    assert _told(InvalidInput({"field": "name", "message": "missing"}))["details"] == {}


def test_a_form_that_nobody_validated_is_told_as_invalid_without_its_values() -> None:
    with pytest.raises(ValidationError) as caught:
        _Form.model_validate({"name": {"secret": 1}})
    assert _told(caught.value) == {"code": "invalid_input", "details": {}, "report": ""}


def test_a_bug_is_told_by_its_report_id_alone() -> None:
    told = _told(RuntimeError("password=hunter2"))
    assert told == {"code": "unexpected", "details": {}, "report": "7f3k20"}


def test_somebody_who_is_signed_out_is_led_to_the_sign_in_page() -> None:
    assert led_to(notice_of(Unauthenticated(), report="")) == "/sign-in"


def test_the_newest_notices_stay_and_the_same_one_is_shown_once() -> None:
    state = page_state(NoticesState, "/chat")
    for _ in range(2):
        state.show("conflict", {}, "")
    assert len(state.rows) == 1
    for number in range(5):
        state.show("not_found", {"agent": str(number)}, "")
    assert [row.details["agent"] for row in state.rows] == ["2", "3", "4"]
    assert len(state.rows) == KEPT


def test_a_notice_is_closed() -> None:
    state = page_state(NoticesState, "/chat")
    state.show(Conflict.code, {}, "")
    state.dismiss("no such notice")
    state.dismiss(state.rows[0].id)
    assert state.rows == []


def test_what_a_browser_sends_is_kept_short() -> None:
    state = page_state(NoticesState, "/chat")
    state.show("x" * 9_000, {f"k{number}": "v" * 9_000 for number in range(100)}, "r" * 9_000)
    assert len(state.rows[0].model_dump_json()) < 3_000
