"""Hosts: leases, hand-over, drain, recovery, fairness, admission."""

import asyncio
from datetime import timedelta
from uuid import UUID

import pytest

from agenticos_app.bus import bus
from agenticos_app.contracts.events import Event, Part, RunStatus, ToolStatus
from agenticos_app.contracts.recording import Outcome, Recorded
from agenticos_app.errors import Overloaded
from agenticos_app.jobs.host import HEARTBEAT_S
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, HostId, OrganizationId, RunId, new_id
from agenticos_app.models import Run
from agenticos_app.schemas.runs import Ask
from agenticos_app.services import deployment, hosting, recording, runs
from agenticos_app.services.ledger import RunLedger
from agenticos_app.services.recording import RunRef
from agenticos_app.services.work import system_work
from agenticos_app.wiring import Platform
from tests.fakes.openai_server import OpenAIServer
from tests.runs.conftest import Asking
from tests.world import acting_as, build_house


async def row(run_id: UUID) -> Run:
    async with system_work() as tx:
        found = await tx.session.get(Run, run_id)
    assert found is not None
    return found


async def lost_run(asking: Asking) -> RunId:
    """Leave a run as a killed host leaves it: prose shown, a step open, the lease over."""
    hosting.use(None)
    started = await asking.start("What is left?")
    run_id = RunId(started.run_id)
    async with system_work() as tx:
        found = await tx.session.get(Run, run_id)
        assert found is not None
        found.host_id, found.lease_until = new_id(), now() - timedelta(seconds=1)
    part = Part(index=0, kind="text")
    tool = Part(index=1, kind="tool", tool="run_python", call_id=str(new_id()), status=ToolStatus.RUNNING)
    for event in (
        Event(type="part", seq=1, part=part),
        Event(type="text", seq=2, text="Half an"),
        Event(type="text", seq=3, text=" answer"),
        Event(type="part", seq=4, part=part.model_copy(update={"done": True})),
        Event(type="part", seq=5, part=tool),
    ):
        await bus.current().runs.append(run_id, event)
    return run_id


@pytest.mark.req("DOM-RUN-23", "CH-REC-07")
async def test_a_run_whose_host_died_is_interrupted_with_all_that_was_shown(
    asking: Asking, platform: Platform
) -> None:
    run_id = await lost_run(asking)
    following = asyncio.create_task(asking.answer(run_id))
    await asyncio.sleep(0.05)
    await recording.end_lost(platform.host.id)
    parts, end = await following
    detail = await asking.detail(run_id)
    assert (detail.status, detail.error_code) == (RunStatus.FAILED, "interrupted")
    assert end.status is RunStatus.FAILED
    assert [part.text for part in detail.parts] == ["Half an answer", ""]
    assert [part.text for part in parts] == ["Half an answer", ""]
    assert detail.parts[1].status is ToolStatus.STOPPED
    hosting.use(platform.host)
    assert (
        await asking.ask("Next", conversation_id=str(detail.conversation_id))
    ).status is RunStatus.COMPLETED


@pytest.mark.req("DOM-RUN-23")
def test_a_lost_run_is_noticed_within_45_seconds() -> None:
    assert recording.LEASE_S == 30
    assert recording.LEASE_S + HEARTBEAT_S <= 45
    assert HEARTBEAT_S * 3 <= recording.LEASE_S


@pytest.mark.req("DOM-RUN-23")
async def test_a_live_runs_later_end_wins_over_the_sweep(asking: Asking, platform: Platform) -> None:
    run_id = await lost_run(asking)
    await recording.end_lost(platform.host.id)
    assert (await row(run_id)).status == "failed"
    late = Recorded(parts=[Part(index=0, kind="text", text="The whole answer", done=True)], seq=9)
    agent_id = AgentId(asking.house.agent_id)
    ref = RunRef(run_id=run_id, organization_id=OrganizationId(asking.house.id), agent_id=agent_id)
    ledger = RunLedger(ref.actor, run_id, agent_id)
    done = Outcome(status=RunStatus.COMPLETED)
    await recording.finish(ref, HostId(new_id()), late, done, ledger)
    assert (await row(run_id)).status == "completed"
    other = Outcome(status=RunStatus.FAILED, error_code="interrupted")
    await recording.finish(ref, HostId(new_id()), late, other, ledger)
    assert (await row(run_id)).status == "completed"


@pytest.mark.req("DOM-RUN-23")
async def test_a_parked_or_held_run_is_left_alone_by_the_sweep(asking: Asking, platform: Platform) -> None:
    run_id = await lost_run(asking)
    for status, lease in (
        (RunStatus.AWAITING_APPROVAL, now() - timedelta(hours=1)),
        (RunStatus.RUNNING, now() + timedelta(seconds=30)),
    ):
        async with system_work() as tx:
            found = await tx.session.get(Run, run_id)
            assert found is not None
            found.status, found.lease_until = status.value, lease
        await recording.end_lost(platform.host.id)
        assert (await row(run_id)).status == status.value


async def test_a_waiting_run_is_taken_by_a_host_with_room(asking: Asking, platform: Platform) -> None:
    hosting.use(None)
    started = await asking.start("What is 2+2?")
    assert (await row(started.run_id)).host_id is None or (
        await row(started.run_id)
    ).host_id == platform.host.id
    _parts, end = await asking.answer(RunId(started.run_id))
    assert end.status is RunStatus.COMPLETED
    assert (await row(started.run_id)).host_id == platform.host.id
    hosting.use(platform.host)


async def test_waiting_runs_are_taken_in_turn_over_organizations(asking: Asking, platform: Platform) -> None:
    await platform.host.drain()
    hosting.use(None)
    busy = [RunId((await asking.start(f"Busy {n}")).run_id) for n in range(4)]
    other_house = await build_house("Other", roles=("owner",))
    other = Asking(other_house, other_house.owner)
    single = RunId((await other.start("Just one")).run_id)
    ours = {*busy, single}
    taken = [run for run in await recording.claim_waiting(HostId(new_id()), limit=100) if run in ours]
    assert taken.index(single) <= 1


async def test_a_drained_host_ends_what_it_can_and_interrupts_the_rest(
    asking: Asking, platform: Platform, server: OpenAIServer
) -> None:
    await asking.use(server, "stub:tokens=20:rate=100")
    short = await asking.start("Short")
    await asyncio.sleep(0.1)
    await asking.use(server, "stub:tokens=5000:rate=100")
    long = await asking.start("Long")
    await asyncio.sleep(0.3)
    await platform.host.drain(within_s=1)
    assert (await row(short.run_id)).status == "completed"
    kept = await asking.detail(RunId(long.run_id))
    assert (kept.status, kept.error_code) == (RunStatus.FAILED, "interrupted")
    assert kept.parts[-1].text
    assert not platform.host.has_room()
    later = await asking.start("Later")
    assert (await row(later.run_id)).host_id is None


async def test_more_than_fits_is_refused_with_the_time_to_come_back(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosting.use(None)
    rules = deployment.current()
    monkeypatch.setattr(
        deployment, "_deployment", type(rules)(sealer=rules.sealer, storage=rules.storage, runs_waiting=0)
    )
    with pytest.raises(Overloaded) as refusal:
        async with acting_as(asking.person) as tx:
            await runs.start(tx, AgentId(asking.house.agent_id), Ask(prompt="One too many"))
    assert refusal.value.retry_after_seconds > 0


async def test_stopping_an_ended_run_changes_nothing(asking: Asking) -> None:
    detail = await asking.ask("What is 1+1?")
    async with acting_as(asking.person) as tx:
        assert await runs.stop(tx, RunId(detail.id)) is RunStatus.COMPLETED
    assert (await asking.detail(RunId(detail.id))).status is RunStatus.COMPLETED


async def test_ten_runs_at_once_each_have_their_own_answer(asking: Asking) -> None:
    details = await asyncio.gather(*[asking.ask(f"What is {n}*{n}?") for n in range(3, 13)])
    for n, detail in zip(range(3, 13), details, strict=True):
        assert str(n * n) in detail.parts[-1].text


async def test_stopping_a_waiting_run_ends_it_at_once(asking: Asking, platform: Platform) -> None:
    await platform.host.drain()
    hosting.use(None)
    started = await asking.start("Never mind")
    following = asyncio.create_task(asking.answer(RunId(started.run_id)))
    await asyncio.sleep(0.05)
    async with acting_as(asking.person) as tx:
        await runs.stop(tx, RunId(started.run_id))
    _, end = await asyncio.wait_for(following, 2)
    assert end.status is RunStatus.CANCELLED
    assert (await row(started.run_id)).status == "cancelled"
    assert RunId(started.run_id) not in await recording.claim_waiting(HostId(new_id()), limit=100)


async def test_only_what_is_executed_keeps_its_lease(asking: Asking, platform: Platform) -> None:
    run_id = await lost_run(asking)
    async with system_work() as tx:
        found = await tx.session.get(Run, run_id)
        assert found is not None
        found.host_id = platform.host.id
    assert await recording.renew(platform.host.id, []) == {}
    await recording.end_lost(platform.host.id)
    assert (await row(run_id)).status == "failed"
    hosting.use(platform.host)


async def test_a_drained_host_hands_over_what_still_arrives(asking: Asking, platform: Platform) -> None:
    hosting.use(None)
    started = await asking.start("Late")
    async with system_work() as tx:
        found = await tx.session.get(Run, started.run_id)
        assert found is not None
        found.host_id = platform.host.id
    await platform.host.drain()
    platform.host.begin(RunId(started.run_id))
    await asyncio.sleep(0.2)
    assert (await row(started.run_id)).host_id is None
