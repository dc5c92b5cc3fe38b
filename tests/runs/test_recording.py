"""What is kept of a run, whatever becomes of it."""

import asyncio

import pytest

from agenticos_app.contracts.events import RunStatus, ToolStatus
from agenticos_app.errors import Conflict
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, ConversationId, RunId
from agenticos_app.schemas.runs import Ask
from agenticos_app.security.actor import Surface
from agenticos_app.services import asking as api
from agenticos_app.services import conversations, runs
from agenticos_app.services.work import Credentials
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_wire import Behaviour
from tests.runs.conftest import Asking
from tests.world import acting_as, actor_of

TEN_WORDS = "stub:tokens=10"


@pytest.mark.req("CH-REC-01", "CH-REC-02", "CH-REC-03", "CH-REC-06", "DOM-RUN-13")
async def test_a_completed_run_keeps_question_steps_and_answer_in_order(
    asking: Asking, server: OpenAIServer
) -> None:
    server.behaviour = Behaviour(tool="run_python", thinking=5, arguments='{"code": "6*7"}')
    await asking.use(server, "stub")
    detail = await asking.ask("How much is 6*7?")
    assert detail.status is RunStatus.COMPLETED
    assert [part.kind for part in detail.parts] == ["thinking", "tool", "thinking", "text"]
    tool = next(part for part in detail.parts if part.kind == "tool")
    (call,) = [row for row in detail.timeline if row.kind == "tool"]
    assert (tool.tool, tool.text, tool.status) == ("run_python", "Value: 42", ToolStatus.DONE)
    assert (call.name, call.result, call.status) == ("run_python", "Value: 42", "done")
    assert '"6*7"' in call.arguments
    assert detail.version == 2  # the first one that has this model
    assert detail.model_label
    assert detail.requests == 2
    assert detail.input_tokens > 0
    assert detail.output_tokens > 0
    async with acting_as(asking.person) as tx:
        (turn,) = (
            await conversations.open_conversation(tx, ConversationId(detail.conversation_id))  # type: ignore[arg-type]
        ).turns
    assert (turn.text, turn.run_id, turn.parts) == ("How much is 6*7?", detail.id, detail.parts)


@pytest.mark.req("CH-REC-04", "DOM-RUN-01", "DOM-RUN-04")
async def test_the_console_and_the_api_leave_the_same_transcript(
    asking: Asking, server: OpenAIServer
) -> None:
    await asking.use(server, TEN_WORDS)
    first = await asking.ask("One")
    credentials = Credentials(secret=asking.person.cookie, surface=Surface.API)
    answer = await api.ask(
        credentials,
        AgentId(asking.house.agent_id),
        Ask(prompt="Two", conversation_id=first.conversation_id),
    )
    second = await asking.detail(RunId(answer.run_id))
    assert (second.surface, first.surface) == ("api", "web")
    assert {surface.value for surface in Surface} == {second.surface, first.surface}
    assert [part.text for part in second.parts] == [part.text for part in first.parts] == [answer.output]
    async with acting_as(asking.person) as tx:
        detail = await conversations.open_conversation(tx, ConversationId(first.conversation_id))  # type: ignore[arg-type]
    assert [(turn.text, turn.status) for turn in detail.turns] == [("One", "completed"), ("Two", "completed")]


@pytest.mark.req("CH-REC-18")
async def test_what_the_person_wrote_is_stored_not_the_prompt_around_it(
    asking: Asking, server: OpenAIServer
) -> None:
    from agenticos_app.services import files

    await asking.use(server, TEN_WORDS)
    actor = await actor_of(asking.person)
    file = await files.take_in(actor, name="notes.txt", body=b"alpha\nbeta\n")
    written = "  What do the notes say?\n\nThanks  "
    detail = await asking.ask(written, file_ids=[str(file.id)])
    sent = str(server.chats[-1].body)
    assert "notes.txt" in sent
    assert "UTC" in sent
    assert detail.full_prompt == written


@pytest.mark.req("CH-REC-07", "CH-REC-08", "DOM-RUN-11")
async def test_a_stopped_run_keeps_exactly_what_was_streamed(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub:tokens=2000:rate=200")
    started = await asking.start("Tell me a long story")
    run_id = RunId(started.run_id)
    following = asyncio.create_task(asking.answer(run_id))
    await asyncio.sleep(0.6)
    stopped_at = asyncio.get_running_loop().time()
    async with acting_as(asking.person) as tx:
        await runs.stop(tx, run_id)
    parts, end = await following
    assert asyncio.get_running_loop().time() - stopped_at < 1
    assert end.status is RunStatus.CANCELLED
    detail = await asking.detail(run_id)
    assert detail.status is RunStatus.CANCELLED
    assert detail.parts == parts
    assert 0 < len(detail.parts[-1].text.split()) < 2000
    assert detail.input_tokens > 0
    assert detail.output_tokens >= len(detail.parts[-1].text) // 4
    assert detail.version == 2  # the first one that has this model
    await server.wait_gone(1)


@pytest.mark.req("CH-REC-07", "DOM-RUN-10")
async def test_a_failed_run_names_its_reason_in_our_words(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub:status=401")
    detail = await asking.ask("Hello")
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "model_unauthorized")
    assert detail.error == "The model request failed (ModelAuthenticationError)."
    (request,) = detail.timeline
    assert request.status == "failed"
    assert "canary" not in detail.model_dump_json()


async def test_a_half_answer_is_kept_when_the_model_breaks_off(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub:tokens=50:rate=200:cut=20")
    detail = await asking.ask("Hello")
    assert detail.status is RunStatus.FAILED
    assert detail.parts
    assert detail.parts[-1].text.strip()


@pytest.mark.req("DOM-RUN-09")
async def test_the_step_limit_ends_a_run_with_its_own_message(asking: Asking, server: OpenAIServer) -> None:
    server.behaviour = Behaviour(calls=50, tool="run_python", arguments='{"code": "1"}')
    await asking.use(server, "stub")
    await asking.amend(max_steps=3)
    detail = await asking.ask("Go on and on")
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "step_limit")
    assert detail.error == "The step limit of 3 model requests was reached."
    assert len(server.chats) == 3


async def test_a_second_question_waits_for_the_first(asking: Asking, server: OpenAIServer) -> None:
    await asking.use(server, "stub:tokens=2000:rate=100")
    started = await asking.start("First")
    with pytest.raises(Conflict) as refusal:
        await asking.start("Second", conversation_id=str(started.conversation_id))
    assert refusal.value.details["reason"] == "run_in_progress"
    async with acting_as(asking.person) as tx:
        await runs.stop(tx, RunId(started.run_id))
    await asking.events(RunId(started.run_id))


async def test_history_reaches_the_model_with_its_calls(asking: Asking, server: OpenAIServer) -> None:
    first = await asking.ask("What is 17% of 2340?")
    await asking.use(server, TEN_WORDS)
    await asking.ask("And now?", conversation_id=str(first.conversation_id))
    messages = server.chats[-1].body["messages"]
    roles = [message["role"] for message in messages]  # type: ignore[index, union-attr]
    assert roles[-5:] == ["user", "assistant", "tool", "assistant", "user"]
    assert "397.8" in str(messages[-3])  # type: ignore[index]


@pytest.mark.req("DOM-RUN-02", "DOM-RUN-07")
async def test_a_run_that_cannot_be_assembled_ends_before_any_token(
    asking: Asking, server: OpenAIServer
) -> None:
    await asking.use(server, TEN_WORDS)
    await asking.amend(capabilities=[{"id": "time_travel"}])
    detail = await asking.ask("Hello")
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "assembly")
    assert detail.error == "This server has no capability time_travel."
    assert detail.full_prompt == "Hello"
    assert not server.chats


@pytest.mark.parametrize("text", ["hello \x00 world", "half \ud83d an emoji"])
async def test_text_that_no_database_can_hold_neither_breaks_nor_blocks(
    asking: Asking, server: OpenAIServer, text: str
) -> None:
    server.behaviour = Behaviour(text=text)
    await asking.use(server, "stub")
    detail = await asking.ask("Say it")
    assert detail.status is RunStatus.COMPLETED
    assert "\ufffd" in detail.parts[-1].text
    again = await asking.ask("And again", conversation_id=str(detail.conversation_id))
    assert again.status is RunStatus.COMPLETED


async def test_a_run_that_cannot_be_recorded_ends_as_failed(
    asking: Asking, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agenticos_app.repos import records

    async def broken(*_: object, **__: object) -> None:
        raise ValueError

    await asking.use(server, TEN_WORDS)
    monkeypatch.setattr(records, "end", broken)
    detail = await asking.ask("Hello")
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "internal")


async def test_the_model_is_told_the_date_and_what_the_author_wrote(
    asking: Asking, server: OpenAIServer
) -> None:
    await asking.use(server, "stub")
    await asking.ask("Hello")
    told = str(server.chats[-1].body["messages"])
    assert f"{now():%Y-%m-%d}" in told
    assert "You are a helpful assistant." in told
