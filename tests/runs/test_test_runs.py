"""Trying out a draft or a version: a run like others, but flagged and kept apart."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from agenticos_app.contracts.events import RunStatus
from agenticos_app.contracts.spec import AgentSpec, CapabilityBinding
from agenticos_app.errors import Conflict, Forbidden, NotFound
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, ConversationId, RunId
from agenticos_app.models import Agent, Run
from agenticos_app.repos import runs as run_repo
from agenticos_app.schemas.runs import AskTest, RunDetail, Started
from agenticos_app.services import conversations, following, runs
from tests.api.keys import api_with, key_of
from tests.runs.conftest import Asking
from tests.world import Person, acting_as, api_of

pytestmark = pytest.mark.req("DOM-RUN-06")


async def change_draft(asking: Asking, spec: AgentSpec | None, **more: object) -> None:
    values = more | ({"draft": spec.model_dump(mode="json")} if spec else {})
    async with acting_as(asking.house.owner) as tx:
        await tx.session.execute(update(Agent).where(col(Agent.id) == asking.house.agent_id).values(**values))


async def begin(asking: Asking, prompt: str, *, person: Person | None = None, **more: object) -> Started:
    ask = AskTest.model_validate({"prompt": prompt, **more})
    async with acting_as(person or asking.person) as tx:
        return await runs.start_test(tx, AgentId(asking.house.agent_id), ask)


async def ended(asking: Asking, started: Started) -> RunDetail:
    async with acting_as(asking.person) as tx:
        watched = await following.watch(tx, RunId(started.run_id))
    async for _ in following.follow(watched):
        pass
    return await asking.detail(RunId(started.run_id))


async def listed(asking: Asking, *, is_test: bool) -> set[object]:
    async with acting_as(asking.person) as tx:
        return {row.id for row in (await runs.list_runs(tx, is_test=is_test)).rows}


async def test_the_draft_runs_as_it_is_now_and_is_kept_with_the_run(asking: Asking) -> None:
    await change_draft(asking, AgentSpec(capabilities=(CapabilityBinding(id="charts"),)))
    started = await begin(asking, "What is 17% of 2340?")
    await change_draft(asking, AgentSpec(instructions="Something else"))
    detail = await ended(asking, started)
    assert (detail.status, detail.is_test, detail.version) == (RunStatus.COMPLETED, True, 0)
    assert not any(row.kind == "tool" for row in detail.timeline), "the draft cannot calculate"
    async with acting_as(asking.person) as tx:
        run = await run_repo.get(tx, detail.id)
    assert run is not None
    assert AgentSpec.model_validate(run.spec).capabilities == (CapabilityBinding(id="charts"),)


async def test_a_version_runs_by_its_number_whatever_the_draft_is(asking: Asking) -> None:
    await change_draft(asking, AgentSpec())
    detail = await ended(asking, await begin(asking, "What is 17% of 2340?", tested=1))
    assert (detail.is_test, detail.version) == (True, 1)
    assert "397.8" in detail.output
    with pytest.raises(NotFound):
        await begin(asking, "Hello", tested=7)


async def test_a_draft_without_a_published_version_can_be_tested_an_archived_agent_not(
    asking: Asking,
) -> None:
    await change_draft(asking, None, live_version_id=None, live_version=0)
    detail = await ended(asking, await begin(asking, "Hello"))
    assert detail.status is RunStatus.COMPLETED
    await change_draft(asking, None, archived_at=now())
    with pytest.raises(Conflict) as refused:
        await begin(asking, "Hello")
    assert refused.value.details["reason"] == "archived"


async def test_a_draft_that_does_not_assemble_ends_with_its_reason(asking: Asking) -> None:
    await change_draft(asking, AgentSpec(capabilities=(CapabilityBinding(id="gone"),)))
    detail = await ended(asking, await begin(asking, "Hello"))
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "assembly")


async def test_tests_are_listed_apart_and_hold_their_conversations_together(asking: Asking) -> None:
    real = await asking.ask("Hello")
    first = await begin(asking, "What is 17% of 2340?")
    await ended(asking, first)
    second = await begin(asking, "Hello", conversation_id=first.conversation_id)
    await ended(asking, second)
    assert second.conversation_id == first.conversation_id
    assert await listed(asking, is_test=False) == {real.id}
    assert await listed(asking, is_test=True) == {first.run_id, second.run_id}
    assert first.conversation_id is not None
    conversation = ConversationId(first.conversation_id)
    async with acting_as(asking.person) as tx:
        assert [row.id for row in (await conversations.list_conversations(tx)).rows] == [real.conversation_id]
        opened = await conversations.open_conversation(tx, conversation, is_test=True)
        with pytest.raises(NotFound):
            await conversations.open_conversation(tx, conversation)
        with pytest.raises(NotFound):
            await conversations.open_conversation(tx, ConversationId(real.conversation_id), is_test=True)  # type: ignore[arg-type]
    assert [turn.text for turn in opened.turns] == ["What is 17% of 2340?", "Hello"]
    assert not (await asking.detail(RunId(first.run_id))).is_own_conversation


async def test_a_conversation_holds_either_tests_or_none(asking: Asking) -> None:
    real = await asking.ask("Hello")
    test = await begin(asking, "Hello")
    await ended(asking, test)
    with pytest.raises(NotFound):
        await begin(asking, "Hello", conversation_id=real.conversation_id)
    with pytest.raises(NotFound):
        await asking.start("Hello", conversation_id=test.conversation_id)


async def test_only_who_may_edit_the_agent_may_test_it(asking: Asking) -> None:
    for role in ("member", "viewer"):
        with pytest.raises((Forbidden, NotFound)):
            await begin(asking, "Hello", person=asking.house.people[role])


async def test_a_test_books_what_it_costs_like_any_run(asking: Asking) -> None:
    detail = await ended(asking, await begin(asking, "Hello"))
    async with acting_as(asking.person) as tx:
        run = await run_repo.get(tx, detail.id)
    assert isinstance(run, Run)
    assert (run.requests, run.cost_micros, run.cost_is_partial) == (1, 0, False)


async def test_the_api_tests_like_it_runs(asking: Asking) -> None:
    address = f"/api/v1/agents/{asking.house.agent_id}/test"
    async with api_of(asking.person) as client:
        client.headers["origin"] = "http://console.test"
        answered = await client.post(address, json={"prompt": "What is 17% of 2340?", "tested": 1})
        assert answered.status_code == 200, answered.text
        assert "397.8" in answered.json()["output"]
        rows = (await client.get("/api/v1/runs", params={"is_test": True})).json()["rows"]
        assert [(row["id"], row["is_test"]) for row in rows] == [(answered.json()["run_id"], True)]
        assert (await client.get("/api/v1/runs")).json()["rows"] == []
        streamed = await client.post(
            address, json={"prompt": "Hello"}, headers={"accept": "text/event-stream"}
        )
        assert '"type":"end"' in streamed.text
        assert (await client.post(address, json={"prompt": "Hello", "tested": "live"})).status_code == 422


async def test_a_key_that_may_only_run_cannot_test(asking: Asking) -> None:
    issued = await key_of(asking.person)
    async with api_with(issued.token) as client:
        refused = await client.post(f"/api/v1/agents/{asking.house.agent_id}/test", json={"prompt": "Hello"})
    assert refused.status_code in (403, 404)
