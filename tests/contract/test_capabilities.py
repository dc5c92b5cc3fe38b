"""What every capability must do."""

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

import capabilities
from agenticos_app.contracts.capability import AnyCapability, RunDeps
from tests.fakes.run_deps import run_deps

EVERY: list[AnyCapability] = [
    import_module(f"capabilities.{module.name}").CAPABILITY for module in iter_modules(capabilities.__path__)
]
SHAPE = re.compile(
    r"<summary>[A-Z][^<>]+\.</summary>\n<returns>\n<description>[^<>]+\.</description>\n</returns>"
)


def offered_by(model: TestModel) -> dict[str, str | None]:
    assert model.last_model_request_parameters is not None
    return {tool.name: tool.description for tool in model.last_model_request_parameters.function_tools}


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
async def test_a_capability_offers_exactly_the_tools_it_declares(capability: AnyCapability):
    model = TestModel(call_tools=[])
    agent = Agent(model, deps_type=RunDeps, capabilities=[capability.build(capability.config())])
    await agent.run("go", deps=run_deps({"notes.txt": "one line"}))
    assert offered_by(model) == {tool.id: tool.text for tool in capability.tools}


@pytest.mark.parametrize("capability", EVERY, ids=lambda one: one.id)
async def test_every_argument_says_what_it_means_and_the_subject_is_one_of_them(capability: AnyCapability):
    model = TestModel(call_tools=[])
    agent = Agent(model, deps_type=RunDeps, capabilities=[capability.build(capability.config())])
    await agent.run("go", deps=run_deps({"notes.txt": "one line"}))
    assert model.last_model_request_parameters is not None
    tools = {tool.name: tool for tool in model.last_model_request_parameters.function_tools}
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
