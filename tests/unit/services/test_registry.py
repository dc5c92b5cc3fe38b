"""What keeps a spec from publication, as far as its capabilities and variables go."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from agenticos_app.catalogue import LANGUAGES, said
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding, Problem
from agenticos_app.kernel.ids import new_id
from agenticos_app.kernel.scopes import Scope
from agenticos_app.services import registry
from tests.fakes.capabilities import WEATHER, offering

KEY = str(new_id())


@pytest.fixture(autouse=True)
def _weather() -> Iterator[None]:
    with offering(WEATHER):
        yield


def spec(*bindings: dict[str, Any], **fields: Any) -> AgentSpec:
    return AgentSpec.model_validate({"capabilities": bindings, **fields})


def found(one: AgentSpec) -> list[tuple[str, str]]:
    return [(problem.at, problem.code) for problem in registry.check(one)]


@pytest.mark.req("CAP-REG-01", "CAP-REG-02", "CAP-EXT-01")
def test_a_spec_binds_what_is_registered_and_each_once() -> None:
    twice = spec({"id": "clock"}, {"id": "clock", "enabled": False}, {"id": "telepathy"})
    assert found(twice) == [
        ("capabilities.clock", "capability_twice"),
        ("capabilities.telepathy", "capability_unknown"),
    ]
    assert found(spec({"id": "clock"}, {"id": "weather"})) == []


@pytest.mark.req("CAP-BIND-01")
def test_a_binding_says_how_an_agent_uses_a_capability_and_nothing_of_what_it_is() -> None:
    fields = {"enabled", "config", "secret_id", "approval", "tool_approval", "tool_overrides"}
    assert set(CapabilityBinding.model_fields) - {"id"} == fields
    for other in ({"scopes": []}, {"tools": ["ask_weather"]}, {"key": None}):
        with pytest.raises(ValidationError):
            spec({"id": "weather", **other})


@pytest.mark.req("CAP-BIND-02")
def test_settings_are_checked_with_the_field_named() -> None:
    wrong = spec({"id": "weather", "config": {"days": 40, "source": "rumour", "wind": True}})
    assert found(wrong) == [
        ("capabilities.weather.config.source", "config"),
        ("capabilities.weather.config.days", "config"),
        ("capabilities.weather.config.wind", "config_unexpected"),
    ]
    reasons = {one.details["field"]: one.details["reason"] for one in registry.check(wrong)}
    assert reasons == {"source": "invalid", "days": "too_large", "wind": "unexpected"}


@pytest.mark.req("CAP-CLOCK-02")
@pytest.mark.parametrize("zone", ["Europe/Atlantis", "", "../../etc/passwd", "utc+2", "Europe"])
def test_an_unknown_time_zone_is_refused(zone: str) -> None:
    assert found(spec({"id": "clock", "config": {"timezone": zone}})) == [
        ("capabilities.clock.config.timezone", "config")
    ]
    assert found(spec({"id": "clock", "config": {"timezone": "Europe/Warsaw"}})) == []


@pytest.mark.req("CAP-SCOPE-02", "CAP-SCOPE-03", "DOM-PERM-21")
def test_a_withdrawn_scope_is_reported_by_name() -> None:
    needing = spec({"id": "weather"}, {"id": "code_execution"})
    assert found(needing) == []
    with offering(WEATHER, granted=[Scope.CODE_EXECUTE]):
        (problem,) = registry.check(needing)
    assert problem == Problem(
        at="capabilities.weather",
        code="scope_missing",
        details={"capability": "weather", "scope": "web:read"},
    )


@pytest.mark.req("CAP-BIND-08", "CAP-BIND-09", "DOM-AGENT-37")
def test_what_is_set_for_a_tool_names_it_by_its_permanent_id() -> None:
    renamed = {"tool_overrides": {"warn_all": {"name": "alarm"}}}
    gated = spec({"id": "weather", **renamed, "tool_approval": {"warn_all": "required"}})
    assert found(gated) == []
    by_name = spec({"id": "weather", **renamed, "tool_approval": {"alarm": "required"}})
    assert found(by_name) == [("capabilities.weather.tool_approval.alarm", "tool_unknown")]
    unknown = spec({"id": "clock", "tool_overrides": {"tick": {"description": "Ticks."}}})
    assert found(unknown) == [("capabilities.clock.tool_overrides.tick", "tool_unknown")]


@pytest.mark.req("CAP-BIND-10")
@pytest.mark.parametrize("name", ["the weather", "wetter.de", "pogoda!", "żar", "x\n", ""])
def test_a_name_that_no_model_could_call_is_refused(name: str) -> None:
    bound = {"id": "weather", "tool_overrides": {"ask_weather": {"name": name}}}
    assert found(spec(bound)) == [("capabilities.weather.tool_overrides.ask_weather.name", "tool_name")]


def test_two_tools_never_end_with_one_name() -> None:
    at = "capabilities.weather.tool_overrides.warn_all.name"
    for name in ("ask_weather", "run_python", "suggest_capability"):
        bound = {"id": "weather", "tool_overrides": {"warn_all": {"name": name}}}
        assert found(spec({"id": "code_execution"}, bound)) == [(at, "tool_name_twice")]
    swapped = {"ask_weather": {"name": "warn_all"}, "warn_all": {"name": "ask_weather"}}
    assert found(spec({"id": "weather", "tool_overrides": swapped})) == []


@pytest.mark.req("CAP-BIND-12")
def test_a_key_is_given_exactly_where_the_settings_need_one() -> None:
    paid = {"id": "weather", "config": {"source": "paid"}}
    assert found(spec(paid)) == [("capabilities.weather.secret_id", "key_missing")]
    assert found(spec({**paid, "secret_id": KEY})) == []
    for unused in ({"id": "weather", "secret_id": KEY}, {"id": "clock", "secret_id": KEY}):
        assert found(spec(unused)) == [(f"capabilities.{unused['id']}.secret_id", "key_unused")]


def test_who_publishes_learns_which_keys_fit() -> None:
    free, paid = (
        spec({"id": "weather", "config": {"source": source}}).capabilities[0] for source in ("free", "paid")
    )
    assert registry.needs_key(free) is None
    need = registry.needs_key(paid)
    assert need is not None
    assert need.purposes == ("brave",)
    assert registry.needs_key(paid.model_copy(update={"id": "gone"})) is None


@pytest.mark.req("CAP-BIND-11")
def test_what_is_switched_off_keeps_its_settings_and_hinders_nobody() -> None:
    off = spec({"id": "weather", "enabled": False, "config": {"days": 40}, "secret_id": KEY})
    with offering(WEATHER, granted=[]):
        assert found(off) == []
    assert str(off.capabilities[0].secret_id) == KEY
    assert off.enabled == ()


@pytest.mark.req("DOM-AGENT-23")
def test_instructions_name_only_variables_that_somebody_fills() -> None:
    text = "{{date}} {{ agent_name }} {{tone}} {{Tone}} {{tone}} {{ }} {{1}} style={{a: 1}}"
    assert found(spec(instructions=text)) == [("instructions", "variable_unknown")] * 2
    declared = [{"name": "tone", "default": "calm"}]
    (problem,) = registry.check(spec(instructions=text, variables=declared))
    assert problem.details == {"name": "Tone"}


def test_all_problems_come_at_once_and_each_has_its_sentence() -> None:
    everything = spec(
        {"id": "telepathy"},
        {"id": "clock", "config": {"timezone": "Mars", "alarm": 1}, "secret_id": KEY},
        {"id": "clock"},
        {"id": "code_execution", "tool_approval": {"fly": "never"}},
        {
            "id": "weather",
            "config": {"source": "paid"},
            "tool_overrides": {"warn_all": {"name": "run_python"}, "ask_weather": {"name": "?"}},
        },
        instructions="{{mood}}",
    )
    with offering(WEATHER, granted=[]):
        problems = registry.check(everything)
    codes = {one.code for one in problems}
    assert codes == {
        "capability_unknown", "capability_twice", "scope_missing", "config", "config_unexpected",
        "key_missing", "key_unused", "tool_unknown", "tool_name", "tool_name_twice", "variable_unknown",
    }  # fmt: skip
    for one in problems:
        for language in LANGUAGES:
            sentence = said(language, f"problem.{one.code}", one.details)
            assert sentence.endswith((".", "!")), sentence
            assert "$t(" not in sentence
            assert "{{" not in sentence
