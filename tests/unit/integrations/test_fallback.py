"""Repeats, and models that answer in another's place."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

import pytest
from pydantic_ai import models
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
)
from pydantic_ai.messages import ModelRequest, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from agenticos_app.contracts.models import Answering, Attempt, Candidate, ModelParams
from agenticos_app.kernel.ids import ModelProfileId
from integrations.models import fallback, pool
from integrations.models.fallback import Asking
from integrations.models.problems import is_the_providers
from integrations.models.providers import Providers
from tests.fakes.model_access import KINDS
from tests.fakes.provider_server import ProviderServer
from tests.fakes.wires.wire import TEXT, Situation

ASK = [ModelRequest.user_text_prompt("Hi")]


@dataclass
class Place:
    servers: Sequence[ProviderServer]
    candidates: list[Candidate]
    family: Providers
    text: str = ""
    before: list[Candidate] = field(default_factory=list[Candidate])
    failed: list[Attempt] = field(default_factory=list[Attempt])

    def plays(self, *situations: Situation) -> None:
        """Set what each candidate's server does."""
        for server, situation in zip(self.servers, situations, strict=True):
            server.situation = situation

    async def ask(self, settings: ModelSettings | None = None) -> Answering:
        """Read one answer to its end, asking all candidates if need be."""

        async def before(candidate: Candidate) -> ModelSettings:
            self.before.append(candidate)
            return ModelSettings(max_tokens=len(self.before))

        async def failed(attempt: Attempt) -> None:
            self.failed.append(attempt)

        stream = Asking(self.family.open, self.family.load).open_stream(
            self.candidates, ASK, settings, ModelRequestParameters(), before=before, failed=failed
        )
        async with asyncio.timeout(30), stream as answering:
            async for event in answering.stream:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    self.text += event.part.content
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    self.text += event.delta.content_delta
        return answering

    @property
    def asked(self) -> list[int]:
        """How often each candidate's server was asked."""
        return [len(server.questions) for server in self.servers]


@pytest.fixture
async def place(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Place]:
    """Three candidates of three families."""
    monkeypatch.setattr(pool, "READ_TIMEOUT_S", 0.3)
    monkeypatch.setattr(fallback, "FIRST_WAIT_S", 0.01)
    kinds = [KINDS[name] for name in ("openai", "anthropic", "mistral")]
    async with (
        ProviderServer(kinds[0].wire()) as one,
        ProviderServer(kinds[1].wire()) as two,
        ProviderServer(kinds[2].wire()) as three,
    ):
        servers = (one, two, three)
        candidates = [
            Candidate(profile_id=ModelProfileId(uuid4()), access=kind.to(server.url))
            for kind, server in zip(kinds, servers, strict=True)
        ]
        family = Providers()
        with models.override_allow_model_requests(True):
            yield Place(servers, candidates, family)
        await family.close()


@pytest.mark.req("DOM-MODEL-11")
async def test_the_first_answers_and_nobody_else_is_asked(place: Place):
    answering = await place.ask()
    assert (place.text, place.asked, place.failed) == (TEXT, [1, 0, 0], [])
    assert answering.candidate is place.candidates[0]
    assert answering.attempts == ()
    assert answering.stream.usage.output_tokens == 8
    assert answering.stream.get().text == TEXT


@pytest.mark.req("DOM-MODEL-11")
@pytest.mark.parametrize(
    ("situation", "error"),
    [
        (Situation.UNAUTHORIZED, ModelAuthenticationError),
        (Situation.RATE_LIMITED, ModelRateLimitError),
        (Situation.RATE_LIMITED_WITH_TIME, ModelRateLimitError),
        (Situation.SERVER_ERROR, ModelServerError),
        (Situation.HANG, ModelConnectionError),
    ],
)
async def test_the_next_answers_at_once_and_it_is_said_who_did(
    place: Place, situation: Situation, error: type[Exception]
):
    place.plays(situation, Situation.SUCCESS, Situation.SUCCESS)
    answering = await place.ask()
    assert (place.text, place.asked) == (TEXT, [1, 1, 0])
    assert answering.candidate is place.candidates[1]
    (attempt,) = answering.attempts
    assert attempt.candidate is place.candidates[0]
    assert isinstance(attempt.error, error)
    assert place.failed == [attempt]


@pytest.mark.req("DOM-MODEL-11")
async def test_nobody_at_the_address_is_passed_over(place: Place):
    gone = replace(place.candidates[0].access, base_url="http://127.0.0.1:1/v1")
    place.candidates[0] = replace(place.candidates[0], access=gone)
    answering = await place.ask()
    assert (place.text, answering.candidate) == (TEXT, place.candidates[1])


@pytest.mark.req("DOM-MODEL-11")
async def test_when_all_fail_the_last_ones_error_is_told_after_its_repeats(place: Place):
    place.plays(Situation.UNAUTHORIZED, Situation.RATE_LIMITED, Situation.SERVER_ERROR)
    with pytest.raises(ModelServerError):
        await place.ask()
    assert place.asked == [1, 1, 3]
    assert [attempt.candidate for attempt in place.failed] == [*place.candidates, *place.candidates[2:] * 2]


async def test_each_request_is_announced_and_takes_the_settings_that_it_is_given(place: Place):
    place.plays(Situation.SERVER_ERROR, Situation.SUCCESS, Situation.SUCCESS)
    await place.ask(ModelSettings(stop_sequences=["."], max_tokens=999))
    assert place.before == place.candidates[:2]
    sent = [server.questions[0].body for server in place.servers[:2]]
    assert [body["max_tokens"] for body in sent] == [1, 2]
    assert (sent[0]["stop"], sent[1]["stop_sequences"]) == (["."], ["."])


async def test_who_refuses_before_sending_ends_the_request(place: Place):
    async def refuse(candidate: Candidate) -> None:
        raise PermissionError

    with pytest.raises(PermissionError):
        async with Asking(place.family.open, place.family.load).open_stream(
            place.candidates, ASK, None, ModelRequestParameters(), before=refuse
        ):
            pass
    assert place.asked == [0, 0, 0]


@pytest.mark.req("DOM-MODEL-11")
@pytest.mark.parametrize("situation", [Situation.HALF_STREAM, Situation.SILENCE, Situation.GARBAGE])
async def test_nobody_answers_in_anothers_place_once_it_has_begun_to_speak(
    place: Place, situation: Situation
):
    place.plays(situation, Situation.SUCCESS, Situation.SUCCESS)
    with pytest.raises(ModelAPIError):
        await place.ask()
    assert place.asked == [1, 0, 0]
    assert place.text
    assert TEXT.startswith(place.text)


async def test_a_prompt_that_is_too_long_is_not_sent_to_others(place: Place):
    place.plays(Situation.CONTEXT_OVERFLOW, Situation.SUCCESS, Situation.SUCCESS)
    with pytest.raises(ModelContextWindowExceededError):
        await place.ask()
    assert place.asked == [1, 0, 0]


def test_what_was_refused_for_what_it_says_is_not_offered_to_others():
    assert not is_the_providers(ContentFilterError("no"))
    assert not is_the_providers(ModelHTTPError(400, "m"))
    assert not is_the_providers(RuntimeError())
    assert is_the_providers(ModelHTTPError(503, "m"))


@pytest.mark.parametrize(
    ("situation", "times"),
    [
        (Situation.SERVER_ERROR, 3),
        (Situation.RATE_LIMITED, 3),
        (Situation.UNAUTHORIZED, 1),
        (Situation.HANG, 1),
    ],
)
async def test_a_lone_candidate_is_asked_again_when_its_trouble_may_pass(
    place: Place, situation: Situation, times: int
):
    del place.candidates[1:]
    place.plays(situation, Situation.SUCCESS, Situation.SUCCESS)
    with pytest.raises(ModelAPIError):
        await place.ask()
    assert place.asked == [times, 0, 0]


async def test_a_lone_candidate_that_recovers_answers(place: Place):
    del place.candidates[1:]
    place.plays(Situation.SERVER_ERROR, Situation.SUCCESS, Situation.SUCCESS)

    async def recover() -> None:
        while not place.failed:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        place.plays(Situation.SUCCESS, Situation.SUCCESS, Situation.SUCCESS)

    answering, _ = await asyncio.gather(place.ask(), recover())
    assert place.text == TEXT
    assert all(attempt.candidate is place.candidates[0] for attempt in answering.attempts)


async def test_a_server_that_asks_for_much_patience_is_not_asked_again(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fallback, "LONGEST_WAIT_S", 6)
    del place.candidates[1:]
    place.plays(Situation.RATE_LIMITED_WITH_TIME, Situation.SUCCESS, Situation.SUCCESS)
    with pytest.raises(ModelRateLimitError) as caught:
        await place.ask()
    assert (caught.value.retry_after, place.asked) == (7, [1, 0, 0])


async def test_a_profiles_own_time_is_kept_and_counts_as_a_failure(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pool, "READ_TIMEOUT_S", 60)
    hasty = replace(place.candidates[0].access, params=ModelParams(timeout_s=0.2))
    place.candidates[0] = replace(place.candidates[0], access=hasty)
    place.plays(Situation.HANG, Situation.SUCCESS, Situation.SUCCESS)
    answering = await place.ask()
    assert isinstance(answering.attempts[0].error, ModelRequestTimeout)
    assert place.text == TEXT
    place.plays(Situation.SILENCE, Situation.SUCCESS, Situation.SUCCESS)
    with pytest.raises(ModelRequestTimeout):
        await place.ask()


@pytest.mark.req("DOM-MODEL-11")
@pytest.mark.parametrize("count", [0, 4])
async def test_a_chain_has_one_to_three_candidates(place: Place, count: int):
    place.candidates = (place.candidates * 2)[:count]
    with pytest.raises(ValueError, match="1 to 3"):
        await place.ask()


async def test_who_stops_waiting_leaves_nothing_open(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool, "READ_TIMEOUT_S", 60)
    place.plays(Situation.SERVER_ERROR, Situation.HANG, Situation.SUCCESS)
    task = asyncio.create_task(place.ask())
    async with asyncio.timeout(20):
        while not place.servers[1].questions:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(1):
        await place.servers[1].gone.wait()
