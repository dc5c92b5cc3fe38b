"""A model that means ill, and moments at which things break off: the run ends, and its record is right."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from sqlmodel import col, select

from agenticos_app.contracts.events import Part, RunStatus
from agenticos_app.contracts.models import ModelAccess
from agenticos_app.contracts.recording import Recorded, TakenOver
from agenticos_app.jobs import host as hosts
from agenticos_app.kernel.ids import AgentId, HostId, OrganizationId, RunId, new_id
from agenticos_app.models import Message, Run
from agenticos_app.runner.execute import CALLS_AT_ONCE
from agenticos_app.schemas.runs import RunDetail
from agenticos_app.services import recording
from agenticos_app.services.ledger import RunLedger
from agenticos_app.services.recording import DatabaseTranscript, RunRef
from agenticos_app.services.work import system_work
from agenticos_app.wiring import Platform
from integrations.models.fallback import Asking as Door
from tests.runs.conftest import Asking

Calls = dict[int, DeltaToolCall]


@pytest.fixture
def answers(asking: Asking, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Callable[[Calls], None]:
    """Let the next run's model make these calls once and then say something."""

    def set_up(calls: Calls) -> None:
        async def stream(
            messages: list[ModelMessage], _info: AgentInfo
        ) -> AsyncGenerator[str | DeltaToolCalls]:
            if len(messages) == 1:
                yield calls
            else:
                yield "Done."

        async def load(_access: ModelAccess) -> None:
            return None

        door = Door(lambda _access: FunctionModel(stream_function=stream), load)
        monkeypatch.setattr(platform.host, "_open_stream", door.open_stream)

    return set_up


def steps(detail: RunDetail) -> list[tuple[str, str]]:
    return [(row.status, row.result) for row in detail.timeline if row.kind == "tool"]


@pytest.mark.parametrize(
    "arguments",
    ['{"code": NaN}', '{"code": "1", "x": 1e999}', "[1]", '{"code": "\\u0000"}', '{"code": "\\ud800"}', "{"],
    ids=["nan", "infinity", "list", "nul", "surrogate", "cut"],
)
async def test_arguments_that_no_tool_takes_become_a_failed_result(
    asking: Asking, answers: Callable[[Calls], None], arguments: str
) -> None:
    answers({0: DeltaToolCall(name="run_python", json_args=arguments, tool_call_id="c")})
    detail = await asking.ask("Go")
    assert detail.status is RunStatus.COMPLETED
    assert [status for status, _ in steps(detail)] == ["failed"]


async def test_two_calls_of_one_id_keep_their_own_results(
    asking: Asking, answers: Callable[[Calls], None]
) -> None:
    answers(
        {
            0: DeltaToolCall(name="nothing", json_args="{}", tool_call_id="same"),
            1: DeltaToolCall(name="run_python", json_args='{"code": "40 + 2"}', tool_call_id="same"),
        }
    )
    (first, missing), (second, value) = steps(await asking.ask("Go"))
    assert (first, second) == ("failed", "done")
    assert "no such tool" in missing
    assert "42" in value


async def test_more_calls_than_fit_are_refused_and_the_run_ends(
    asking: Asking, answers: Callable[[Calls], None]
) -> None:
    answers(
        {
            number: DeltaToolCall(name="x" * 5_000, json_args="{}", tool_call_id=f"c{number}")
            for number in range(200)
        }
    )
    detail = await asking.ask("Go")
    assert detail.status is RunStatus.COMPLETED
    refused = [result for _, result in steps(detail) if "calls at once" in result]
    assert len(refused) == 200 - CALLS_AT_ONCE
    assert max(len(row.name) for row in detail.timeline) <= 128


async def test_a_late_save_changes_nothing_of_a_run_that_has_ended(asking: Asking) -> None:
    detail = await asking.ask("What is 2 + 2?")
    async with system_work() as tx:
        query = select(Message).where(col(Message.run_id) == detail.id, col(Message.role) == "assistant")
        before = (await tx.session.execute(query)).scalar_one()
        run = await tx.session.get(Run, detail.id)
        assert run is not None
        host_id = HostId(run.host_id or new_id())
    ref = RunRef(
        run_id=RunId(detail.id),
        organization_id=OrganizationId(asking.house.id),
        agent_id=AgentId(asking.house.agent_id),
        message_id=before.id,
    )
    late = Recorded(parts=[Part(index=0, kind="text", text="late", done=True)], seq=1)
    with pytest.raises(TakenOver):
        await DatabaseTranscript(ref, host_id, RunLedger(ref.actor, ref.run_id, ref.agent_id)).save(late)
    async with system_work() as tx:
        after = (await tx.session.execute(query)).scalar_one()
        assert (after.status, after.parts) == (before.status, before.parts)


async def test_a_drain_that_fails_half_way_does_not_hold_the_next_one_up(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("away")

    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(recording, "hand_over", broken)
    monkeypatch.setattr(recording, "prepare", never)
    platform.host.begin(RunId(new_id()))
    await asyncio.sleep(0.01)
    for _ in range(2):
        async with asyncio.timeout(5):
            await platform.host.drain()


async def test_a_living_host_keeps_up_reservations_and_books_those_of_lost_ones(
    asking: Asking, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    async def noted_up(run_ids: object) -> None:
        heard.append("kept up")

    async def noted_booked() -> int:
        heard.append("booked")
        return 0

    monkeypatch.setattr(hosts, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(hosts.ledgers, "keep_up", noted_up)
    monkeypatch.setattr(hosts.ledgers, "book_expired", noted_booked)
    beating = asyncio.create_task(platform.host._beat())  # pyright: ignore[reportPrivateUsage]
    await asking.ask("What is 3 + 4? Take your time over a sentence that is long enough to be streamed.")
    await asyncio.sleep(0.2)
    beating.cancel()
    assert {"kept up", "booked"} <= set(heard)
