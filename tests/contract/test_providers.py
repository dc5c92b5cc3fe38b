"""Every family against a server of its dialect, on good and on bad days."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from pydantic_ai import Agent, models
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.run import AgentRunResult, AgentRunResultEvent

from agenticos_app.contracts.models import ModelAccess
from agenticos_app.runner.failures import outcome_of
from integrations.models import google_gemini, pool
from integrations.models.providers import Providers
from tests.fakes.model_access import KINDS
from tests.fakes.provider_server import ProviderServer
from tests.fakes.wires import bedrock
from tests.fakes.wires.wire import ARGUMENTS, SPOKEN_ERROR, TEXT, TOOL, Situation

REFUSALS = {
    Situation.UNAUTHORIZED: "model_unauthorized",
    Situation.RATE_LIMITED: "model_rate_limited",
    Situation.RATE_LIMITED_WITH_TIME: "model_rate_limited",
    Situation.SERVER_ERROR: "model_failed",
    Situation.HANG: "model_timeout",
    Situation.CONTEXT_OVERFLOW: "model_context",
}
BREAKS = {
    Situation.SILENCE: {"model_timeout"},
    Situation.HALF_STREAM: {"model_unreachable"},
    Situation.GARBAGE: {"model_failed", "model_confused"},
}


@dataclass
class Place:
    server: ProviderServer
    family: Providers
    access: ModelAccess
    text: list[str] = field(default_factory=list[str])
    calls: list[str] = field(default_factory=list[str])

    def agent(self) -> Agent[None, str]:
        """Return an agent with one tool."""
        agent = Agent(self.family.open(self.access))

        @agent.tool_plain(name=TOOL)
        def look_up(word: str) -> str:  # pyright: ignore[reportUnusedFunction]
            self.calls.append(word)
            return f"{word}: a large body of salt water"

        return agent

    async def stream(self) -> AgentRunResult[str]:
        """Run one streamed run to its end."""
        result: AgentRunResult[str] | None = None
        async with asyncio.timeout(30), self.agent().run_stream_events("Hi") as events:
            async for event in events:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    self.text.append(event.part.content)
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    self.text.append(event.delta.content_delta)
                elif isinstance(event, AgentRunResultEvent):
                    result = event.result
        assert result is not None
        return result


@pytest.fixture(params=list(KINDS))
async def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    monkeypatch.setattr(pool, "READ_TIMEOUT_S", 0.3)
    kind = KINDS[request.param]
    async with ProviderServer(kind.wire()) as server:
        server.extra["/token"] = json.dumps({"access_token": "bought", "expires_in": 3600}).encode()
        monkeypatch.setattr(google_gemini, "TOKEN_URL", f"{server.url}/token")
        made = Place(server, Providers(), kind.to(server.url))
        with models.override_allow_model_requests(True):
            yield made
        await made.family.close()


@pytest.mark.req("DOM-MODEL-02", "DOM-MODEL-08")
async def test_words_come_in_pieces_and_are_counted(place: Place):
    result = await place.stream()
    assert (result.output, "".join(place.text)) == (TEXT, TEXT)
    usage = result.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (100, 8, 20)
    assert len(place.server.questions) == 1


async def test_one_piece_has_the_same_words_and_counts(place: Place):
    result = await place.agent().run("Hi")
    usage = result.usage
    assert (result.output, usage.input_tokens, usage.output_tokens) == (TEXT, 100, 8)
    assert usage.cache_read_tokens == 20


async def test_a_call_is_made_and_its_result_goes_back(place: Place):
    place.server.situation = Situation.TOOL_CALL
    result = await place.stream()
    assert place.calls == [ARGUMENTS["word"]]
    assert (result.output, result.usage.requests) == (TEXT, 2)
    assert "salt water" in place.server.questions[1].raw.decode()


@pytest.mark.parametrize("situation", list(REFUSALS))
async def test_a_refusal_is_told_in_our_words_and_sent_once(place: Place, situation: Situation):
    place.server.situation = situation
    with pytest.raises(ModelAPIError) as caught:
        await place.stream()
    outcome = outcome_of(caught.value, "model")
    assert outcome.error_code == REFUSALS[situation]
    assert SPOKEN_ERROR not in (outcome.error or "")
    waits_s = 7 if situation is Situation.RATE_LIMITED_WITH_TIME else None
    assert caught.value.retry_after == waits_s
    assert (len(place.server.questions), place.text) == (1, [])


@pytest.mark.parametrize("situation", list(BREAKS))
async def test_an_answer_that_breaks_off_fails_and_keeps_what_came(place: Place, situation: Situation):
    place.server.situation = situation
    with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is what is asserted
        await place.stream()
    assert outcome_of(caught.value, "model").error_code in BREAKS[situation]
    assert TEXT.startswith("".join(place.text))
    assert len(place.server.questions) == 1


@pytest.mark.filterwarnings("ignore::pydantic_ai._warnings.UsageExtractionFailedWarning")
async def test_usage_that_is_not_told_is_marked_and_not_zero_by_accident(place: Place):
    place.server.situation = Situation.NO_USAGE
    result = await place.stream()
    assert (result.output, result.usage.input_tokens, result.usage.output_tokens) == (TEXT, 0, 0)
    # Anthropic's dialect has no answer without usage; one whose usage is empty counts nothing.
    assert result.usage.unmeasured_requests == (0 if place.access.provider == "anthropic" else 1)


async def test_usage_of_zero_is_taken_as_told(place: Place):
    place.server.situation = Situation.ZERO_USAGE
    result = await place.stream()
    assert (result.output, result.usage.input_tokens, result.usage.output_tokens) == (TEXT, 0, 0)
    assert result.usage.unmeasured_requests == 0


@pytest.mark.parametrize("situation", [Situation.HANG, Situation.SILENCE])
async def test_who_stops_waiting_closes_the_connection(
    place: Place, situation: Situation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pool, "READ_TIMEOUT_S", 60)
    place.server.situation = situation
    task = asyncio.create_task(place.stream())
    async with asyncio.timeout(10):
        while not place.server.questions:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    task.cancel()
    async with asyncio.timeout(1):
        with pytest.raises(asyncio.CancelledError):
            await task
        await place.server.gone.wait()


async def test_a_check_says_what_came_back(place: Place):
    found = await place.family.check(place.access)
    assert (found.ok, found.reply, found.problem) == (True, TEXT, "")


async def test_what_the_environment_holds_changes_nothing(place: Place, monkeypatch: pytest.MonkeyPatch):
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "GEMINI", "MISTRAL", "AZURE_OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", "canary-key")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-custom: canary-header")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.setenv(name, "canary-account")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "canary-aws")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "canary-aws")
    await place.stream()
    assert "canary" not in str([(seen.path, seen.headers, seen.raw) for seen in place.server.seen])


async def test_no_secret_shows_in_a_representation(place: Place):
    model = place.family.open(place.access)
    shown = repr(place.access) + repr(model) + repr(vars(place.family))
    assert bedrock.SECRET not in shown
    assert "PRIVATE KEY" not in shown
    assert "'key'" not in shown
