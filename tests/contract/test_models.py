"""What every family of models must do."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from pydantic import SecretStr
from pydantic_ai import Agent, AgentRunResult, AgentRunResultEvent, PartDeltaEvent, PartStartEvent, models
from pydantic_ai.messages import TextPart, TextPartDelta

from agenticos_app.contracts.models import ModelAccess, ModelFamily
from agenticos_app.contracts.secrets import ApiKey
from integrations.models.practice import Practice
from integrations.models.providers import Providers
from tests.fakes.openai_server import OpenAIServer


@dataclass
class Case:
    family: ModelFamily
    quick: ModelAccess
    slow: ModelAccess
    calling: ModelAccess
    server: OpenAIServer | None = None


def practice(pace_s: float = 0) -> Case:
    access = ModelAccess(provider="practice", model_name="practice")
    return Case(Practice(pace_s=pace_s), access, access, access)


def compatible(server: OpenAIServer) -> Case:
    def named(name: str) -> ModelAccess:
        return ModelAccess(
            provider="openai",
            model_name=name,
            base_url=server.base_url,
            credential=ApiKey(api_key=SecretStr("key")),
        )

    return Case(
        Providers(),
        named("stub:tokens=30:rate=100"),
        named("stub:tokens=900:rate=30"),
        named("stub:tool=run_python"),
        server,
    )


@pytest.fixture(params=["practice", "openai"])
async def case(request: pytest.FixtureRequest) -> AsyncIterator[Case]:
    async with OpenAIServer(api_key="key") as server:
        made = practice(pace_s=0.01) if request.param == "practice" else compatible(server)
        with models.override_allow_model_requests(True):
            yield made
        await made.family.close()


async def streamed(agent: Agent[None, str], prompt: str) -> tuple[list[str], AgentRunResult[str]]:
    """Return the pieces of text and the result of one streamed run."""
    pieces: list[str] = []
    result: AgentRunResult[str] | None = None
    async with agent.run_stream_events(prompt) as events:
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                pieces.append(event.part.content)
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                pieces.append(event.delta.content_delta)
            elif isinstance(event, AgentRunResultEvent):
                result = event.result
    assert result is not None
    return pieces, result


async def test_it_opens_a_model_and_streams_text_in_pieces(case: Case):
    pieces, result = await streamed(Agent(case.family.open(case.quick)), "Hello!")
    assert "".join(pieces) == result.output
    assert len(pieces) > 3


async def test_it_answers_in_one_piece_with_the_same_words(case: Case):
    agent = Agent(case.family.open(case.quick))
    whole = await agent.run("Hello!")
    pieces, _ = await streamed(agent, "Hello!")
    assert "".join(pieces).strip() == whole.output.strip()


async def test_it_calls_a_tool_and_goes_on_with_its_result(case: Case):
    agent = Agent(case.family.open(case.calling))
    programs: list[str] = []

    @agent.tool_plain
    def run_python(code: str) -> str:  # pyright: ignore[reportUnusedFunction]
        programs.append(code)
        return "42"

    _, result = await streamed(agent, "What is 6*7?")
    assert len(programs) == 1
    assert "6" in programs[0]
    assert result.output
    assert result.usage.requests == 2


async def test_it_reports_what_was_used(case: Case):
    _, result = await streamed(Agent(case.family.open(case.quick)), "Hello!")
    assert result.usage.input_tokens > 0
    assert result.usage.output_tokens > 0


async def test_an_answer_that_is_cancelled_ends_within_a_second(case: Case):
    begun = asyncio.Event()

    async def follow() -> None:
        async with Agent(case.family.open(case.slow)).run_stream_events("Hello!") as events:
            async for _ in events:
                begun.set()

    task = asyncio.create_task(follow())
    await asyncio.wait_for(begun.wait(), 5)
    cancelled_at = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - cancelled_at < 1
    if case.server is not None:
        seen = await case.server.wait_gone()
        assert seen.disconnected_at is not None
        assert seen.disconnected_at - cancelled_at < 1


async def test_its_check_says_that_the_model_answers(case: Case):
    found = await case.family.check(case.quick)
    assert found.ok
    assert found.reply
    assert not found.problem
    assert found.models


async def test_it_closes_and_can_be_opened_again(case: Case):
    await Agent(case.family.open(case.quick)).run("Hello!")
    await case.family.close()
    await case.family.close()
    if case.server is not None:
        async with asyncio.timeout(1):
            while case.server.open_connections:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert (await Agent(case.family.open(case.quick)).run("Hello!")).output
