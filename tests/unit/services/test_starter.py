"""What a new organization's agent is told and can do."""

import pytest

from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.services import registry, templates
from tests.fakes.capabilities import offering


@pytest.mark.req("DOM-AGENT-06")
def test_the_default_instructions_hold_the_four_rules_and_are_the_authors_to_change() -> None:
    for rule in ("Answer first", "Invent nothing", "Cite what you looked up", "Stop before you destroy"):
        assert f"- {rule}" in templates.STARTER.spec.instructions
    edited = {
        **templates.STARTER.spec.model_dump(mode="json"),
        "instructions": templates.INSTRUCTIONS + "\nBe kind.",
    }
    assert AgentSpec.model_validate(edited).instructions.startswith(templates.INSTRUCTIONS)


@pytest.mark.req("CAP-REG-14")
def test_the_starter_agent_can_be_published_here() -> None:
    with offering():
        assert registry.check(templates.STARTER.spec) == []
    assert {one.id for one in templates.STARTER.spec.enabled} >= {"attachments", "clock", "code_execution"}
