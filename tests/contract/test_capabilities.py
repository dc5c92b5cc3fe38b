"""What every capability must do."""

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from pydantic_ai import ToolDefinition

import capabilities
from agenticos_app.contracts.capability import AnyCapability
from tests.fakes.run_deps import run_deps, run_tools

EVERY: list[AnyCapability] = [
    import_module(f"capabilities.{module.name}").CAPABILITY for module in iter_modules(capabilities.__path__)
]
SHAPE = re.compile(
    r"<summary>[A-Z][^<>]+\.</summary>\n<returns>\n<description>[^<>]+\.</description>\n</returns>"
)


async def offered_by(capability: AnyCapability) -> dict[str, ToolDefinition]:
    toolset = capability.build(capability.config()).toolset
    if toolset is None:
        return {}
    offered = await run_tools(toolset, run_deps({"notes.txt": "one line"})).offer()
    return {tool.name: tool for tool in offered}


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
async def test_a_capability_offers_exactly_the_tools_it_declares(capability: AnyCapability):
    offered = await offered_by(capability)
    assert {name: tool.description for name, tool in offered.items()} == {
        tool.id: tool.text for tool in capability.tools
    }


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
async def test_every_argument_says_what_it_means_and_the_subject_is_one_of_them(capability: AnyCapability):
    tools = await offered_by(capability)
    for info in capability.tools:
        properties = tools[info.id].parameters_json_schema["properties"]
        assert all(argument.get("description") for argument in properties.values())
        assert not info.subject or info.subject in properties


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
def test_every_tool_text_has_the_one_shape_with_what_comes_back(capability: AnyCapability):
    for tool in capability.tools:
        assert SHAPE.fullmatch(tool.text), tool.id


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
def test_settings_are_closed_frozen_and_complete_without_any(capability: AnyCapability):
    assert capability.config.model_config.get("extra") == "forbid"
    assert capability.config.model_config.get("frozen")
    assert capability.config.model_validate({}) == capability.config()


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
def test_the_id_is_the_name_of_the_folder(capability: AnyCapability):
    assert import_module(f"capabilities.{capability.id}").CAPABILITY is capability
