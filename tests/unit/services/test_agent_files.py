"""Specs as files, and how two specs differ."""

import json
from uuid import UUID

import pytest

from agenticos_app.contracts.spec import (
    AgentSpec,
    CapabilityBinding,
    ModelSettings,
    ToolOverride,
    Variable,
)
from agenticos_app.errors import BadDocument
from agenticos_app.kernel.ids import ModelProfileId, SecretId, new_id
from agenticos_app.services.agent_files import read, written
from agenticos_app.services.spec_diff import differences

SPEC = AgentSpec(
    instructions="You answer.\n\n- Briefly: yes\n- \"Zażółć\" 'gęślą' # jaźń\n  \ttail  \nno: on",
    variables=(Variable(name="region", description="Where", default="yes"),),
    model_profile_id=ModelProfileId(new_id()),
    model_settings=ModelSettings(temperature=0.2),
    capabilities=(
        CapabilityBinding(
            id="attachments",
            secret_id=SecretId(new_id()),
            tool_approval={"read_attachment": "required"},
            tool_overrides={"read_attachment": ToolOverride(name="open")},
        ),
        CapabilityBinding(
            id="code_execution", enabled=False, config={"timeout_secs": 3, "day": "2030-01-31"}
        ),
    ),
    output_schema={"type": "object", "properties": {"total": {"type": "number", "default": 1.0}}},
    monthly_budget_micros=5_000_000,
)


@pytest.mark.req("DOM-AGENT-27")
@pytest.mark.parametrize("spec", [SPEC, AgentSpec()])
def test_a_file_that_is_read_and_written_again_is_the_same(spec: AgentSpec) -> None:
    text = written(spec)
    assert read(text) == spec
    assert written(read(text)) == text


@pytest.mark.req("DOM-AGENT-27")
def test_a_file_has_the_specs_order_ids_as_text_and_no_nulls() -> None:
    text = written(SPEC)
    keys = [line.partition(":")[0] for line in text.splitlines() if line[:1].isalpha()]
    assert keys[0] == "spec_version"
    wanted = [name for name in AgentSpec.model_fields if name in keys]
    assert [key for key in keys if key in AgentSpec.model_fields] == wanted
    assert f"model_profile_id: {SPEC.model_profile_id}" in text
    assert "null" not in text
    assert "run_budget_micros" not in text
    assert "Zażółć" in text


CANARY = "canary-4711"


@pytest.mark.req("DOM-AGENT-27")
@pytest.mark.parametrize(
    ("text", "field", "problem"),
    [
        (f"- {CANARY}", "document", "no_mapping"),
        (CANARY, "document", "no_mapping"),
        ("", "document", "no_mapping"),
        (f"a: [{CANARY}", "document", "invalid"),
        (f"instructions: &a {CANARY}\nvariables: *a", "document", "invalid"),
        (f"!!python/object/apply:os.system [{CANARY}]", "document", "invalid"),
        ("instructions: !!binary aGVsbG8=", "document", "invalid"),
        ("1: 2", "document", "invalid"),
        ("instructions: a\ninstructions: b", "document", "invalid"),
        ("output_schema: " + "[" * 5_000, "document", "invalid"),
        ("max_steps: " + "9" * 5_000, "document", "invalid"),
        ("a: \x00", "document", "invalid"),
        (f"spec_version: 3\nfuture: {CANARY}", "spec_version", "newer"),
        (f"spec_version: {CANARY}", "spec_version", "invalid"),
        ("spec_version: true", "spec_version", "invalid"),
        ("spec_version: 0", "spec_version", "invalid"),
        ("format: 2", "format", "unexpected"),
        (f"colour: {CANARY}", "colour", "unexpected"),
        (f"capabilities: [{{id: x, colour: {CANARY}}}]", "capabilities.0.colour", "unexpected"),
        (f"max_steps: {CANARY}", "max_steps", "invalid"),
        ("instructions: " + "x" * 100_001, "instructions", "too_long"),
    ],
)
def test_what_is_no_spec_is_refused_by_the_name_of_the_field(text: str, field: str, problem: str) -> None:
    with pytest.raises(BadDocument) as refusal:
        read(text)
    assert refusal.value.details == {"field": field, "problem": problem}
    assert refusal.value.status == 400
    assert CANARY not in str(refusal.value.details)


def test_aliases_cannot_unfold() -> None:
    bomb = "a: &a [x]\n" + "\n".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)}]" for n in range(20)
    )
    with pytest.raises(BadDocument):
        read(bomb)


@pytest.mark.req("DOM-AGENT-28")
def test_a_file_of_the_first_format_is_read() -> None:
    spec = read("spec_version: 1\ninstructions: Be brief.\ncapabilities:\n- id: attachments\n  config: {}\n")
    assert (spec.format, spec.instructions, spec.enabled[0].id) == (2, "Be brief.", "attachments")


def test_differences_are_lines_with_names_for_ids() -> None:
    other = ModelProfileId(UUID(int=7))
    names = {str(SPEC.model_profile_id): "Sea", str(other): "Lake"}
    after = SPEC.model_copy(
        update={
            "instructions": SPEC.instructions.replace("- Briefly: yes", "- Briefly: always"),
            "model_profile_id": other,
            "monthly_budget_micros": None,
            "capabilities": (
                SPEC.capabilities[0].model_copy(update={"secret_id": None, "tool_approval": {}}),
                CapabilityBinding(id="clock", config={"timezone": "Europe/Warsaw"}),
            ),
        }
    )
    found = {(one.at, one.before, one.after) for one in differences(SPEC, after, names)}
    secret = str(SPEC.capabilities[0].secret_id)
    assert found == {
        ("instructions", "- Briefly: yes", "- Briefly: always"),
        ("model_profile_id", "Sea", "Lake"),
        ("monthly_budget_usd", "5", ""),
        ("capabilities.attachments.secret_id", secret, ""),
        ("capabilities.attachments.tool_approval.read_attachment", "required", ""),
        ("capabilities.clock", "", "on"),
        ("capabilities.clock.config.timezone", "", "Europe/Warsaw"),
        ("capabilities.code_execution", "off", ""),
        ("capabilities.code_execution.config.timeout_secs", "3", ""),
        ("capabilities.code_execution.config.day", "2030-01-31", ""),
    }
    assert differences(SPEC, SPEC, names) == []
    long = SPEC.model_copy(update={"instructions": "x" * 50_000})
    assert all(len(one.before) <= 2_000 and len(one.after) <= 2_000 for one in differences(SPEC, long, names))
    assert json.dumps([one.model_dump() for one in differences(AgentSpec(), SPEC, {})])
