"""Answers that are data, and how an agent asks its model."""

import json

import pytest

from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding, ModelSettings
from agenticos_app.kernel.ids import AgentId, ConversationId
from agenticos_app.runner.answer import TOOL, AnswerSchema, UnusableSchema
from agenticos_app.schemas.runs import AskTest, RunDetail, RunResult
from agenticos_app.security.actor import Surface
from agenticos_app.services import asking as api
from agenticos_app.services import conversations
from agenticos_app.services.work import Credentials
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_wire import Behaviour
from tests.runs.conftest import Asking
from tests.runs.test_test_runs import begin, change_draft, ended
from tests.world import acting_as

CITY: dict[str, object] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "people": {"type": "integer", "minimum": 1}},
    "required": ["city", "people"],
    "additionalProperties": False,
}
WARSAW = {"city": "Warszawa", "people": 1_860_000}
GOOD, BAD = json.dumps(WARSAW), '{"city": "Warszawa", "people": "many"}'


async def answered(asking: Asking, server: OpenAIServer, behaviour: Behaviour) -> RunDetail:
    server.behaviour = behaviour
    await asking.use(server, "stub")
    await change_draft(asking, AgentSpec(output_schema=CITY))
    return await ended(asking, await begin(asking, "Which city?"))


@pytest.mark.req("DOM-RUN-28")
@pytest.mark.parametrize(
    ("behaviour", "requests"),
    [
        (Behaviour(tool=TOOL, arguments=GOOD), 1),
        (Behaviour(text=f"```json\n{GOOD}\n```"), 1),
        (Behaviour(tool=TOOL, arguments=BAD, text=GOOD), 2),
    ],
    ids=["by the tool", "as text", "after a correction"],
)
async def test_an_answer_that_fits_is_data_everywhere(
    asking: Asking, server: OpenAIServer, behaviour: Behaviour, requests: int
) -> None:
    detail = await answered(asking, server, behaviour)
    assert (detail.status, detail.requests, detail.structured) == (RunStatus.COMPLETED, requests, WARSAW)
    (part,) = detail.parts
    assert part.kind == "data"
    assert json.loads(part.text) == json.loads(detail.output) == WARSAW
    assert not any(row.kind == "tool" for row in detail.timeline)
    live, _ = await asking.answer(detail.id)  # type: ignore[arg-type]
    assert live == detail.parts
    async with acting_as(asking.person) as tx:
        opened = await conversations.open_conversation(
            tx,
            ConversationId(detail.conversation_id),
            is_test=True,  # type: ignore[arg-type]
        )
    assert opened.turns[0].parts == detail.parts


@pytest.mark.req("DOM-RUN-28")
async def test_the_model_is_held_to_the_schema_and_told_what_does_not_fit(
    asking: Asking, server: OpenAIServer
) -> None:
    await answered(asking, server, Behaviour(tool=TOOL, arguments=BAD, text=GOOD))
    first, second = (seen.body for seen in server.chats[-2:])
    tool = next(one for one in first["tools"] if one["function"]["name"] == TOOL)  # type: ignore[union-attr,index]
    assert tool["function"]["parameters"]["required"] == ["city", "people"]  # type: ignore[index]
    assert first["tool_choice"] == "required"
    assert "people:" in str(second["messages"])
    assert "not of type" in str(second["messages"])


@pytest.mark.req("DOM-RUN-28")
@pytest.mark.parametrize(
    "behaviour",
    [Behaviour(text="It is Warszawa."), Behaviour(tool=TOOL, arguments=BAD, calls=2), Behaviour(text="[1]")],
    ids=["prose", "wrong twice", "no object"],
)
async def test_an_answer_that_does_not_fit_is_corrected_once_and_then_fails(
    asking: Asking, server: OpenAIServer, behaviour: Behaviour
) -> None:
    detail = await answered(asking, server, behaviour)
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "answer_invalid")
    assert (detail.requests, detail.structured) == (2, None)


@pytest.mark.req("DOM-RUN-28")
async def test_the_api_returns_data_also_without_a_conversation(asking: Asking, server: OpenAIServer) -> None:
    server.behaviour = Behaviour(tool=TOOL, arguments=GOOD)
    await asking.use(server, "stub")
    await change_draft(asking, AgentSpec(output_schema=CITY))
    credentials = Credentials(secret=asking.person.cookie, surface=Surface.API)

    async def ask(name: str) -> RunResult:
        agent_id = AgentId(asking.house.agent_id)
        return await api.ask(credentials, agent_id, AskTest(prompt="Which city?"), name=name)

    first, again = await ask("once"), await ask("once")
    assert (first.structured, first.conversation_id) == (WARSAW, None)
    assert again == first
    detail = await asking.detail(first.run_id)  # type: ignore[arg-type]
    assert (detail.structured, json.loads(detail.output)) == (WARSAW, WARSAW)


async def test_tools_work_before_the_answer(asking: Asking, server: OpenAIServer) -> None:
    server.behaviour = Behaviour(tool="run_python", arguments='{"code": "6*7"}', text=GOOD)
    await asking.use(server, "stub")
    spec = AgentSpec(output_schema=CITY, capabilities=(CapabilityBinding(id="code_execution"),))
    await change_draft(asking, spec)
    detail = await ended(asking, await begin(asking, "Which city?"))
    assert [part.kind for part in detail.parts] == ["tool", "data"]
    assert detail.structured == WARSAW


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"a": {"type": "string", "pattern": "("}}},
    ],
)
async def test_a_schema_that_cannot_be_used_fails_before_a_request_and_fetches_nothing(
    asking: Asking, schema: dict[str, object]
) -> None:
    with pytest.raises(UnusableSchema):
        AnswerSchema(schema)
    await change_draft(asking, AgentSpec(output_schema=schema))
    detail = await ended(asking, await begin(asking, "Which city?"))
    assert (detail.error_code, detail.requests) == ("assembly", 0)


async def test_the_agents_settings_go_before_the_profiles(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub:tokens=5")
    chosen = ModelSettings(temperature=0.3, top_p=0.5, max_tokens=77, parallel_tool_calls=False)
    spec = AgentSpec(model_settings=chosen, capabilities=(CapabilityBinding(id="code_execution"),))
    await change_draft(asking, spec)
    await ended(asking, await begin(asking, "Hello"))
    sent = server.chats[-1].body
    assert (sent["temperature"], sent["top_p"], sent["parallel_tool_calls"]) == (0.3, 0.5, False)
    assert 77 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))


async def test_settings_that_are_not_set_are_not_sent(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub:tokens=5")
    await change_draft(asking, AgentSpec())
    await ended(asking, await begin(asking, "Hello"))
    assert not {"temperature", "top_p", "parallel_tool_calls"} & set(server.chats[-1].body)
