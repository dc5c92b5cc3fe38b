"""The Toolbox as it is drawn: forms from schemas, what is typed as values, a draft's use of a capability."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from pydantic_ai import ToolDefinition

from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding
from agenticos_app.kernel.ids import SecretId, new_id
from agenticos_app.kernel.scopes import Scope
from agenticos_app.runner.assemble import Assembler
from agenticos_app.schemas.capabilities import CapabilityRow
from agenticos_app.schemas.toolbox import OpenedCapability, SettingRow
from agenticos_app.services import bindings, registry, toolbox
from agenticos_app.services.config_forms import FORMATS, KEYWORDS, TYPES
from tests.fakes.capabilities import GALLERY, WEATHER, offering
from tests.fakes.run_deps import run_deps, run_tools


@pytest.fixture(autouse=True)
def _offered() -> Iterator[None]:
    with offering(GALLERY, WEATHER):
        yield


def row_of(capability: str, language: str = "en") -> CapabilityRow:
    return next(row for row in registry.catalogue(language) if row.id == capability)


def opened(capability: str, spec: AgentSpec | None = None, language: str = "en") -> OpenedCapability:
    held = bindings.switched(spec or AgentSpec(), capability, on=True)
    return toolbox.opened(row_of(capability, language), held, registry.check(held), language)


def fields(one: OpenedCapability) -> dict[str, SettingRow]:
    return {row.name: row for row in [*one.settings, *one.advanced]}


def typed(**values: str) -> AgentSpec:
    spec = AgentSpec()
    for name, text in values.items():
        spec = toolbox.set_to(spec, row_of("gallery"), name, text)
    return spec


def config(spec: AgentSpec, capability: str = "gallery") -> dict[str, Any]:
    return bindings.binding_of(spec, capability).config


@pytest.mark.req("CAP-REG-06", "CAP-REG-11")
def test_each_kind_of_setting_has_a_field_of_its_own() -> None:
    one = opened("gallery")
    assert {name: row.control for name, row in fields(one).items()} == {
        "title": "line",
        "note": "lines",
        "count": "number",
        "ratio": "number",
        "strict": "switch",
        "maybe": "select",
        "mode": "segment",
        "tone": "select",
        "zone": "timezone",
        "words": "entries",
        "parts": "ticks",
        "code": "line",
        "limit": "number",
        "prompt": "lines",
    }
    assert [row.name for row in one.advanced] == ["limit", "prompt"]
    schema = cast("dict[str, dict[str, Any]]", row_of("gallery").config["properties"]).values()
    drawn = {word for field in schema for word in field}
    kinds = {kind for field in schema for kind in _kinds(field)}
    assert (kinds - {"null"}, {field["format"] for field in schema if "format" in field}) == (TYPES, FORMATS)
    assert {"enum", "items", "pattern", "minimum", "exclusiveMinimum", "maxItems"} <= drawn <= KEYWORDS


def _kinds(field: dict[str, Any]) -> list[str]:
    return field["type"] if isinstance(field["type"], list) else [field["type"]]


@pytest.mark.req("CAP-REG-06")
def test_a_field_says_what_it_is_what_fits_and_what_holds_without_it() -> None:
    rows = fields(opened("gallery"))
    assert (rows["count"].label, rows["count"].hint) == ("Count", "How many. From 1 to 14.")
    assert rows["ratio"].hint == "A part of one. More than 0, at most 1."
    assert rows["words"].hint == "What it looks for. One a line."
    assert (rows["title"].value, rows["title"].default, rows["title"].longest) == ("", "Plan", 40)
    assert (rows["count"].is_whole, rows["ratio"].is_whole) == (True, False)
    assert [(one.label, one.icon, one.chosen) for one in rows["mode"].options] == [
        ("Fast", "zap", True),
        ("Careful", "shield", False),
    ]
    assert [one.label for one in rows["maybe"].options] == ["Not set", "Yes", "No"]
    assert [(one.value, one.chosen) for one in rows["tone"].options] == [
        ("", False), ("plain", False), ("warm", True), ("formal", False), ("short", False)
    ]  # fmt: skip
    assert [(one.value, one.chosen) for one in rows["parts"].options] == [
        ("head", True), ("body", False), ("tail", False)
    ]  # fmt: skip
    assert fields(opened("gallery", language="pl"))["count"].hint == "How many. Od 1 do 14."


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("title", "A plan", "A plan"),
        ("note", "One\n\ntwo ", "One\n\ntwo "),
        ("count", " 12 ", 12),
        ("count", "2.5", 2.5),
        ("count", "many", "many"),
        ("ratio", "0,25", 0.25),
        ("ratio", "inf", "inf"),
        ("strict", "true", True),
        ("strict", "false", False),
        ("maybe", "false", False),
        ("mode", "careful", "careful"),
        ("mode", "hidden", "hidden"),
        ("tone", "", None),
        ("zone", "Europe/Warsaw", "Europe/Warsaw"),
        ("words", "alpha\n\n beta \nalpha", ["alpha", "beta"]),
    ],
)
def test_what_is_typed_becomes_the_value(name: str, text: str, value: object) -> None:
    assert config(typed(**{name: text})) == {name: value}
    shown = fields(opened("gallery", typed(**{name: text})))[name]
    again = toolbox.set_to(AgentSpec(), row_of("gallery"), name, shown.value)
    assert config(again).get(name) == value, "what is shown is typed again as the same"


def test_what_is_emptied_falls_back_to_the_default() -> None:
    for name in ("title", "note", "count", "ratio", "words", "code"):
        spec = typed(**{name: "7"})
        assert name in config(spec)
        assert config(toolbox.set_to(spec, row_of("gallery"), name, "  ")) == {}
    assert config(toolbox.set_to(AgentSpec(), row_of("gallery"), "no such setting", "x")) == {}


def test_one_value_of_several_comes_and_goes() -> None:
    row = row_of("gallery")
    spec = toolbox.ticked(AgentSpec(), row, "parts", "tail")
    assert config(spec) == {"parts": ["head", "tail"]}
    spec = toolbox.ticked(toolbox.ticked(spec, row, "parts", "head"), row, "parts", "tail")
    assert config(spec) == {"parts": []}
    assert [one.chosen for one in fields(opened("gallery", spec))["parts"].options] == [False, False, False]
    assert toolbox.ticked(spec, row, "no such setting", "tail") == spec
    assert config(toolbox.ticked(spec, row, "parts", "no such part")) == {"parts": []}


def test_what_does_not_fit_is_kept_and_said_beside_its_field() -> None:
    spec = typed(count="40", ratio="lots", tone="loud", words="a\nb\nc\nd", code="abc", title="Fine")
    rows = fields(opened("gallery", spec))
    assert {name: row.problem for name, row in rows.items() if row.problem} == {
        "count": "This is too large.",
        "ratio": "This value does not fit here.",
        "tone": "This value does not fit here.",
        "words": "This is too long.",
        "code": "This value does not fit here.",
    }
    assert (rows["ratio"].value, rows["tone"].value, rows["tone"].options[-1].label) == (
        "lots",
        "loud",
        "loud",
    )
    assert rows["count"].at == "capabilities.gallery.config.count"


@pytest.mark.req("CAP-REG-12")
def test_what_was_folded_is_shown_once_it_was_set() -> None:
    row = row_of("gallery")
    for spec, is_set in (
        (typed(title="A"), False),
        (typed(limit="10"), True),
        (typed(prompt="Be kind"), True),
    ):
        assert toolbox.advanced_is_set(row, bindings.binding_of(spec, "gallery")) == is_set


@pytest.mark.req("CAP-BIND-11", "CAP-REG-16")
def test_switching_off_keeps_all_that_was_set() -> None:
    spec = typed(title="Kept")
    spec = bindings.with_approval(spec, "weather", "warn_all", "required")
    on = bindings.switched(bindings.switched(spec, "gallery", on=True), "weather", on=True)
    off = bindings.switched(bindings.switched(on, "gallery", on=False), "weather", on=False)
    assert [one.enabled for one in off.capabilities] == [False, False]
    assert [(one.config, one.tool_approval) for one in off.capabilities] == [
        ({"title": "Kept"}, {}),
        ({}, {"warn_all": "required"}),
    ]
    assert bindings.switched(bindings.switched(off, "gallery", on=True), "weather", on=True) == on
    new = AgentSpec(capabilities=(CapabilityBinding(id="clock"),))
    assert bindings.switched(new, "clock", on=False).enabled == ()


def test_reset_leads_back_to_what_a_new_agent_has_and_touches_nothing_else() -> None:
    spec = bindings.with_approval(typed(title="Other"), "gallery", "any", "never")
    assert opened("gallery", spec).is_changed
    back = bindings.reset(spec, "gallery")
    assert (config(back), back.capabilities[0].tool_approval) == ({}, {"any": "never"})
    assert not opened("gallery", back).is_changed


def test_what_is_bound_twice_is_bound_once_after_a_change() -> None:
    twice = AgentSpec(
        capabilities=(
            CapabilityBinding(id="gallery", config={"title": "First"}),
            CapabilityBinding(id="clock"),
            CapabilityBinding(id="gallery"),
        )
    )
    once = bindings.switched(twice, "gallery", on=True)
    assert [(one.id, one.config) for one in once.capabilities] == [
        ("gallery", {"title": "First"}),
        ("clock", {}),
    ]


@pytest.mark.req("CAP-BIND-07", "CAP-BIND-08", "DOM-AGENT-37")
async def test_the_preview_is_what_the_model_is_told_and_a_new_name_keeps_the_gate() -> None:
    spec = bindings.with_approval(AgentSpec(), "weather", "warn_all", "required")
    spec = bindings.with_words(spec, "weather", "warn_all", name="alarm")
    spec = bindings.with_words(spec, "weather", "warn_all", description="Ring the bell.")
    spec = bindings.switched(spec, "weather", on=True)
    binding = spec.capabilities[0]
    assert binding.tool_approval == {"warn_all": "required"}
    assert [(one.id, one.name, one.approval) for one in opened("weather", spec).tools] == [
        ("ask_weather", "ask_weather", "default"),
        ("warn_all", "alarm", "required"),
    ]
    previews = [toolbox.words_of(tool, binding, "") for tool in row_of("weather").tools]
    told = await offered(spec)
    assert {one.told_name: one.told for one in previews} == {one.name: one.description for one in told}
    bare = bindings.with_words(spec, "weather", "warn_all", name="", description="")
    assert bare.capabilities[0].tool_overrides == {}


async def offered(spec: AgentSpec) -> list[ToolDefinition]:
    agent = Assembler({"weather": WEATHER}, frozenset(Scope)).build(spec)
    return await run_tools(agent.toolset, run_deps({})).offer()


@pytest.mark.req("CAP-BIND-10")
@pytest.mark.parametrize("name", ["ring bell", "ask_weather", "dzwoń"])
def test_a_name_that_does_not_work_is_said_beside_it(name: str) -> None:
    spec = bindings.with_words(AgentSpec(), "weather", "warn_all", name=name)
    said = opened("weather", spec).tools[1].problem
    assert name in said


@pytest.mark.req("CAP-BIND-12")
def test_a_key_is_asked_for_where_the_settings_need_one() -> None:
    assert opened("weather").key is None
    row = row_of("weather")
    paid = toolbox.set_to(AgentSpec(), row, "source", "paid")
    key = opened("weather", paid).key
    assert key is not None
    assert (key.is_needed, key.purposes, key.chosen) == (True, ["brave"], "")
    assert key.problem == "Weather needs a key. Choose one of the vault, or add one."
    given = bindings.with_key(paid, "weather", SecretId(new_id()))
    settled = opened("weather", given).key
    assert settled is not None
    assert settled.problem == ""
    unused = opened("weather", toolbox.set_to(given, row, "source", "free")).key
    assert unused is not None
    assert (unused.is_needed, unused.problem != "") == (False, True)


@pytest.mark.req("CAP-REG-08")
def test_a_card_says_in_red_what_is_not_met() -> None:
    def lacking(spec: AgentSpec) -> dict[str, str]:
        found = toolbox.cards(registry.catalogue("en"), spec, registry.check(spec), "en")
        return {card.id: card.lacking for card in found if card.lacking}

    paid = toolbox.set_to(AgentSpec(), row_of("weather"), "source", "paid")
    assert lacking(paid) == {}, "it is off"
    on = bindings.switched(paid, "weather", on=True)
    assert set(lacking(on)) == {"weather"}
    with offering(WEATHER, granted=[Scope.CODE_EXECUTE]):
        said = lacking(AgentSpec())
    assert said == {"weather": "This server does not grant: Search the web. Ask whoever runs it."}


@pytest.mark.req("CAP-BIND-09")
def test_what_a_capability_does_not_know_can_be_taken_away() -> None:
    spec = AgentSpec.model_validate(
        {
            "capabilities": [
                {
                    "id": "weather",
                    "config": {"wind": {"speed": 3}},
                    "tool_approval": {"rain": "never"},
                    "tool_overrides": {"rain": {"name": "wet"}},
                },
                {"id": "telepathy"},
            ]
        }
    )
    left = opened("weather", spec).leftovers
    assert [(one.kind, one.name, one.at) for one in left] == [
        ("setting", "wind", "capabilities.weather.config.wind"),
        ("tool", "rain", "capabilities.weather.tool_approval.rain"),
    ]
    spec = bindings.without_setting(bindings.without_tool(spec, "weather", "rain"), "weather", "wind")
    assert opened("weather", spec).leftovers == []
    rows = registry.catalogue("en")
    assert toolbox.unknown(rows, spec) == ["telepathy"]
    assert toolbox.unknown(rows, bindings.removed(spec, "telepathy")) == []


@pytest.mark.req("CAP-REG-08")
def test_a_search_looks_into_names_and_words_of_both_languages() -> None:
    def found(sought: str, language: str = "en") -> set[str]:
        return {row.id for row in registry.catalogue(language) if toolbox.matches(row, sought)}

    assert found("weather storm") == {"weather"}
    assert found("GALLERY") == {"gallery"}
    assert found("lak", "pl") == found("łąk", "pl") == {"gallery"}
    assert found("no such words") == set()
    assert len(found("")) == len(registry.catalogue("en"))
