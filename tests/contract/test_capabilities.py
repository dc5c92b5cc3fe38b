"""Every capability of this deployment conforms, and they go together."""

import ast
import dataclasses
import inspect
from collections import Counter
from pathlib import Path

import pytest

from agenticos_app.contracts.built_in import BUILT_IN
from agenticos_app.contracts.capability import AnyCapability, CapabilityDef
from agenticos_app.wiring import CAPABILITIES
from tests.contract.conformance import CHECKS, SHAPE, Check, passes

ROOT = Path(__file__).parents[2]
TOOLLESS = {
    "thinking", "clock", "tool_search", "guardrails", "compaction", "media", "system_reminders"
}  # fmt: skip


@pytest.mark.req("CAP-REG-08", "CAP-BIND-08", "CAP-TEXT-01", "CAP-TEXT-02", "CAP-TEXT-03")
@pytest.mark.req("CAP-TEXT-04", "CAP-TEXT-05", "CAP-TEXT-08")
@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("capability", CAPABILITIES.values(), ids=lambda one: one.id)
async def test_a_capability_conforms(capability: AnyCapability, check: Check) -> None:
    await passes(check, capability, ROOT / "capabilities" / capability.id)


def test_no_two_tools_of_the_deployment_have_one_id() -> None:
    ids = Counter(tool.id for one in CAPABILITIES.values() for tool in one.tools)
    ids.update(tool.id for tool in BUILT_IN)
    assert max(ids.values()) == 1


def test_built_in_tools_have_the_same_shape() -> None:
    assert all(SHAPE.fullmatch(tool.text) for tool in BUILT_IN)


@pytest.mark.req("CAP-REG-30", "CAP-REG-31")
def test_who_has_no_tools_says_so_and_offers_nothing_to_approve() -> None:
    (declared,) = [field for field in dataclasses.fields(CapabilityDef) if field.name == "tools"]
    assert declared.default is declared.default_factory is dataclasses.MISSING
    for one in CAPABILITIES.values():
        assert (not one.tools) == (one.id in TOOLLESS)
        if not one.tools:
            assert one.build(one.config()).toolset is None


CONTENT = ("templates.py", "examples.py")
"""Agents to begin with and examples of the API: what they say, not how they work, names capabilities."""


@pytest.mark.req("CAP-EXT-01", "CAP-EXT-02")
def test_a_capability_is_a_folder_and_one_line() -> None:
    """No other file of the product names a capability or a tool of one."""
    named = {one.id for one in CAPABILITIES.values()} | {
        tool.id for one in CAPABILITIES.values() for tool in one.tools
    }
    # Words of their own too: a part's kind, an icon, a setting.
    common = {"attachments", "clock", "thinking"}
    found = {
        f"{path.relative_to(ROOT)}: {node.value}"
        for folder in ("agenticos_app", "components", "state")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in CONTENT
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in named - common
    }
    assert found == set()


def test_the_checks_are_all_run() -> None:
    from tests.contract import conformance

    public = {
        function
        for name, function in inspect.getmembers(conformance, inspect.isfunction)
        if function.__module__ == conformance.__name__
        and "capability" in inspect.signature(function).parameters
    }
    helpers = {"passes", "form_properties"}
    assert {one for one in public if not one.__name__.startswith("_") and one.__name__ not in helpers} == set(
        CHECKS
    )
