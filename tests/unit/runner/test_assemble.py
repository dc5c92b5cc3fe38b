"""From a spec to an agent: what it can do, under which names, and what it is told of itself."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai import ToolDefinition
from pydantic_ai.messages import ToolCallPart

from agenticos_app.contracts.capability import AnyCapability, Shown
from agenticos_app.contracts.recording import PastCall, PastTurn
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.kernel.ids import VersionId, new_id
from agenticos_app.kernel.scopes import Scope
from agenticos_app.runner.assemble import Assembled, Assembler
from agenticos_app.runner.failures import AssemblyFailed
from agenticos_app.runner.history import messages_of
from agenticos_app.runner.setup import suggesting
from agenticos_app.wiring import CAPABILITIES
from tests.fakes.capabilities import WEATHER, offering
from tests.fakes.run_deps import run_deps, run_tools


@pytest.fixture(autouse=True)
def offered() -> Iterator[Mapping[str, AnyCapability]]:
    with offering(WEATHER) as offered:
        yield offered


def spec(*bindings: dict[str, Any], **fields: Any) -> AgentSpec:
    return AgentSpec.model_validate({"capabilities": bindings, **fields})


@pytest.fixture
def assembler(offered: Mapping[str, AnyCapability]) -> Assembler:
    return Assembler(offered, frozenset(Scope))


async def tools_of(agent: Assembled) -> dict[str, ToolDefinition]:
    return {tool.name: tool for tool in await run_tools(agent.toolset, run_deps()).offer()}


def told(agent: Assembled, **variables: str) -> str:
    deps = replace(run_deps(), variables=variables)
    return "\n\n".join(part.content for part in agent.told(deps))


@pytest.mark.req("CAP-BIND-11", "CAP-REG-16")
async def test_only_what_is_switched_on_contributes(assembler: Assembler) -> None:
    agent = assembler.build(spec({"id": "weather"}, {"id": "code_execution", "enabled": False}))
    assert set(await tools_of(agent)) == {"ask_weather", "warn_all", "suggest_capability"}
    off = {"enabled": False}
    broken = spec({"id": "weather", "config": {"days": 99}, **off}, {"id": "gone", **off})
    assert set(await tools_of(assembler.build(broken))) == {"suggest_capability"}


@pytest.mark.req("CAP-BIND-07", "CAP-BIND-08", "DOM-AGENT-37")
async def test_a_tool_in_the_authors_words_keeps_its_id(assembler: Assembler) -> None:
    words = {
        "ask_weather": {"name": "pogoda", "description": "Pyta o pogodę."},
        "warn_all": {"name": "ask_weather"},
    }
    agent = assembler.build(spec({"id": "weather", "tool_overrides": words}))
    tools = await tools_of(agent)
    assert tools["pogoda"].description == "Pyta o pogodę."
    assert tools["ask_weather"].description == WEATHER.tools[1].text
    assert {name: info.id for name, info in agent.tools.items()} == {
        "pogoda": "ask_weather", "ask_weather": "warn_all", "suggest_capability": "suggest_capability"
    }  # fmt: skip
    calls = run_tools(agent.toolset, run_deps())
    await calls.offer()
    assert "Gdynia: sun" in (await calls.call(ToolCallPart("pogoda", {"place": "Gdynia"}))).text
    assert (await calls.call(ToolCallPart("ask_weather", {}))).text == "warned"


@pytest.mark.req("CAP-BIND-08")
def test_a_conversation_goes_on_under_the_new_name(assembler: Assembler) -> None:
    agent = assembler.build(spec({"id": "weather", "tool_overrides": {"ask_weather": {"name": "pogoda"}}}))
    calls = [
        PastCall(reference=tool, tool=tool, arguments={}, result="") for tool in ("ask_weather", "removed")
    ]
    messages = messages_of([PastTurn(role="assistant", steps=calls)], agent.name_of)
    assert [part.tool_name for part in messages[0].parts] == ["pogoda", "removed"]  # type: ignore[union-attr]


@pytest.mark.req("CAP-REG-03")
async def test_what_is_set_for_a_tool_that_is_no_more_does_no_harm(assembler: Assembler) -> None:
    old = {
        "id": "weather",
        "tool_overrides": {"tell_tides": {"name": "tides", "description": "Tides."}},
        "tool_approval": {"tell_tides": "required"},
    }
    assert {"ask_weather", "warn_all"} < set(await tools_of(assembler.build(spec(old))))


@pytest.mark.req("CAP-SCOPE-01", "CAP-SCOPE-02", "DOM-PERM-21")
def test_a_withdrawn_scope_stops_every_agent_that_needs_it(offered: Mapping[str, AnyCapability]) -> None:
    granted = {Scope.WEB_READ}
    assembler, version = Assembler(offered, granted), VersionId(new_id())
    needing = spec({"id": "weather"})
    assembler.agent_for(version, needing)
    granted.clear()
    with pytest.raises(AssemblyFailed, match="web:read") as refused:
        assembler.agent_for(version, needing)
    assert refused.value.code == "scope_missing"


@pytest.mark.parametrize(
    ("bindings", "said"),
    [
        ([{"id": "telepathy"}], "no capability telepathy"),
        ([{"id": "weather", "config": {"days": 99}}], "settings of weather"),
        ([{"id": "weather", "tool_overrides": {"warn_all": {"name": "ask_weather"}}}], "called ask_weather"),
    ],
)
def test_a_spec_that_makes_no_agent_says_why(
    assembler: Assembler, bindings: list[dict[str, Any]], said: str
) -> None:
    with pytest.raises(AssemblyFailed, match=said):
        assembler.build(spec(*bindings))


@pytest.mark.req("DOM-MODEL-16", "CAP-THINK-01", "CAP-THINK-02")
def test_only_what_is_set_is_asked_of_the_model(assembler: Assembler) -> None:
    assert assembler.build(spec({"id": "clock"})).settings is None
    assert assembler.build(spec({"id": "thinking"})).settings == {"thinking": True}
    both = spec({"id": "thinking", "config": {"effort": "high"}}, model_settings={"temperature": 0.2})
    assert assembler.build(both).settings == {"temperature": 0.2, "thinking": "high"}


@pytest.mark.req("CAP-REG-17", "CAP-REG-18")
def test_an_agent_is_told_what_it_has_and_what_it_lacks(assembler: Assembler) -> None:
    text = told(assembler.build(spec({"id": "clock"}, {"id": "weather", "enabled": False})))
    has, lacks = text.split("that you do not have")
    assert "# Your setup" in has
    assert "- Date and time: Tells the agent" in has
    assert "- weather, Weather: Asks for the weather." in lacks
    assert "- code_execution, Calculations" in lacks
    assert "clock" not in lacks
    assert "Describe as your abilities only what you have." in lacks
    assert "what would have to be enabled" in lacks
    bare = told(assembler.build(spec()))
    assert "that you have:\n- none" in bare


async def test_an_agent_that_has_everything_has_nothing_to_suggest(
    assembler: Assembler, offered: Mapping[str, AnyCapability]
) -> None:
    agent = assembler.build(spec(*({"id": name} for name in offered)))
    assert "suggest_capability" not in await tools_of(agent)
    assert "suggest_capability" not in told(agent)


async def test_what_is_lacking_can_be_shown_to_the_person(assembler: Assembler) -> None:
    agent = assembler.build(spec({"id": "clock"}))
    schema = (await tools_of(agent))["suggest_capability"].parameters_json_schema["properties"]
    assert set(schema["capability"]["enum"]) == {*CAPABILITIES, "weather"} - {"clock"}
    function = suggesting([WEATHER]).tools["suggest_capability"].function
    shown = await function("weather", "You asked for tomorrow's weather.")  # type: ignore[call-arg, misc]
    assert isinstance(shown, Shown)
    assert (shown.card.kind, shown.card.capability) == ("capability", "weather")  # type: ignore[union-attr]
    assert "Weather" in shown.text
    calls = run_tools(agent.toolset, run_deps())
    await calls.offer()
    for wrong in ({"capability": "clock", "reason": "r"}, {"capability": "weather", "reason": "r" * 501}):
        assert (await calls.call(ToolCallPart("suggest_capability", wrong))).outcome != "success"


def test_variables_of_instructions_are_filled(assembler: Assembler) -> None:
    written = "{{agent_name}} of {{ organization_name }}, {{tone}}, {{other}}, {{date}}"
    agent = assembler.build(spec(instructions=written, variables=[{"name": "tone", "default": "{{date}}"}]))
    first = told(agent, agent_name="Ada", organization_name="Harbor", date="2026-11-30").split("\n")[0]
    assert first == "Ada of Harbor, {{date}}, {{other}}, 2026-11-30"


@pytest.mark.req("CAP-CLOCK-01", "CAP-CLOCK-02")
def test_the_clock_tells_the_time_of_its_zone_and_nobody_else_does(assembler: Assembler) -> None:
    warsaw = {"id": "clock", "config": {"timezone": "Europe/Warsaw"}}
    assert "Now it is Monday, 2026-11-30 15:05 Europe/Warsaw." in told(assembler.build(spec(warsaw)))
    assert "Now it is Monday, 2026-11-30 14:05 UTC." in told(assembler.build(spec({"id": "clock"})))
    assert "Now it is" not in told(assembler.build(spec()))


def test_what_varies_stands_behind_what_providers_keep(assembler: Assembler) -> None:
    parts = assembler.build(spec({"id": "clock"}, instructions="Be kind.")).told(run_deps())
    assert [part.dynamic for part in parts] == [False, False, True]
    parts = assembler.build(spec(instructions="It is {{time}}.")).told(run_deps())
    assert [part.dynamic for part in parts] == [True, False]
