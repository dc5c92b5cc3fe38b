"""The run page's State: the timeline's bars, texts on demand, stopping, what is not there."""

import pickle

import pytest

from agenticos_app.contracts.events import RunStatus
from agenticos_app.db import session as db
from agenticos_app.kernel.ids import RunId, new_id
from agenticos_app.services import runs
from state.run import RunState, arguments_of, ticks_of
from tests.fakes.reflex_state import page_state
from tests.world import House, acting_as, build_house, past_run

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=("owner", "member"))


def opened(house: House, run_id: object, query: str = "", *, role: str = "owner") -> RunState:
    return page_state(RunState, f"/activity/{run_id}{query}", cookie=house.people[role].cookie)


async def test_bars_lie_where_their_time_is(house: House) -> None:
    state = opened(house, await past_run(house, house.owner, seconds=10))
    await state.load()
    assert [(bar.key, bar.left, bar.width, bar.is_late) for bar in state.bars] == [
        ("model-1", 0.0, 40.0, False),
        ("tool-1", 40.0, 10.0, False),
        ("model-2", 50.0, 50.0, True),
    ]
    assert [(tick.milliseconds, tick.left) for tick in state.ticks] == [
        (0, 0.0), (2000, 20.0), (4000, 40.0), (6000, 60.0), (8000, 80.0),
    ]  # fmt: skip
    assert (state.tick_percent, state.model_ms) == (20.0, 9000)


@pytest.mark.parametrize("total_ms", [0, 1, 7, 340, 999, 12_345, 61_000, 3_600_000, 86_400_001])
def test_a_time_axis_has_a_few_round_points(total_ms: int) -> None:
    ticks, percent = ticks_of(total_ms)
    assert 1 <= len(ticks) <= 6
    assert ticks[0].left == 0
    assert all(tick.left < 96 for tick in ticks)
    step = ticks[1].milliseconds if len(ticks) > 1 else 1
    assert str(step).rstrip("0") in {"1", "2", "5"}
    assert percent >= 100 / 6


async def test_texts_come_only_when_a_row_is_opened(house: House) -> None:
    long = "All of the program's output. " * 500
    state = opened(house, await past_run(house, house.owner, result=long))
    await state.load()
    assert state.run is not None
    assert (state.run.timeline, state.run.parts, state.run.full_prompt) == ([], [], "")
    assert len(pickle.dumps((state.run, state.bars))) < 6_000
    await state.open_row("tool-1")
    assert [(one.name, one.value) for one in state.arguments] == [("code", "17 * 23")]
    assert (state.result, state.is_cut, state.raw) == (long[:2000], True, "")
    await state.show_raw()
    assert state.raw.endswith(long.strip())
    assert '"code": "17 * 23"' in state.raw
    await state.show_raw()
    assert state.raw == ""
    await state.open_row("tool-1")
    assert state.opened == ""


async def test_a_row_that_does_not_exist_opens_to_nothing(house: House) -> None:
    state = opened(house, await past_run(house, house.owner))
    await state.load()
    await state.open_row("tool-9")
    assert (state.arguments, state.result) == ([], "")
    await state.show_raw()
    assert state.raw == ""


def test_arguments_are_read_by_name_and_odd_ones_are_shown_as_they_are() -> None:
    assert [(one.name, one.value) for one in arguments_of('{"a": "x", "b": [1, "ż"], "c": null}')] == [
        ("a", "x"), ("b", '[1, "ż"]'), ("c", "null"),
    ]  # fmt: skip
    assert [(one.name, one.value) for one in arguments_of("[1, 2]")] == [("", "[1, 2]")]
    assert [(one.name, one.value) for one in arguments_of('{"cut')] == [("", '{"cut')]


async def test_the_transcript_is_sent_only_where_it_is_shown(house: House) -> None:
    state = opened(
        house, await past_run(house, house.owner, prompt="What is 17 times 23?"), "?tab=transcript"
    )
    await state.load()
    assert state.run is not None
    assert state.tab == "transcript"
    assert state.run.full_prompt == "What is 17 times 23?"
    assert [part.text for part in state.run.parts] == ["It is **391**."]


@pytest.mark.req("DOM-UI-27")
async def test_an_unknown_run_a_foreign_one_and_no_id_look_alike(house: House) -> None:
    foreign = await build_house("Elsewhere", roles=())
    hidden = await past_run(foreign, foreign.owner)
    for run_id in (hidden, new_id(), "7", ""):
        state = opened(house, run_id)
        await state.load()
        assert (state.missing, state.run, state.failure) == (True, None, "")


async def test_a_colleagues_run_is_missing_for_who_sees_only_own_runs(house: House) -> None:
    state = opened(house, await past_run(house, house.owner), role="member")
    await state.load()
    assert state.missing


@pytest.mark.req("DOM-UI-27")
async def test_a_run_that_cannot_be_read_has_failed_and_is_not_missing(house: House) -> None:
    state = opened(house, await past_run(house, house.owner))
    working = db.current()
    db.use(db.Database("postgresql+psycopg://nobody@127.0.0.1:1/none", connections=1))
    await state.load()
    await db.current().close()
    db.use(working)
    assert (state.missing, state.run, len(state.failure)) == (False, None, 8)
    await state.load()
    assert state.failure == ""
    assert state.run is not None


async def test_stop_asks_the_host_and_shows_that_it_was_asked(house: House) -> None:
    run_id = await past_run(house, house.owner, status=RunStatus.RUNNING)
    state = opened(house, run_id)
    await state.load()
    await state.stop()
    assert state.stopping
    await state.refresh()
    assert state.stopping
    async with acting_as(house.owner) as tx:
        assert await runs.stop(tx, RunId(run_id)) is RunStatus.RUNNING
        row = await runs.readable(tx, RunId(run_id))
    assert row.stop_requested_at is not None


async def test_an_ended_run_has_nothing_to_stop(house: House) -> None:
    state = opened(house, await past_run(house, house.owner))
    await state.stop()
    assert not state.stopping
    await state.load()
    await state.stop()
    await state.refresh()
    assert not state.stopping


async def test_a_failed_run_says_why_in_a_code(house: House) -> None:
    state = opened(house, await past_run(house, house.owner, status=RunStatus.FAILED))
    await state.load()
    assert state.run is not None
    assert (state.run.status, state.run.error_code) == (RunStatus.FAILED, "model_timeout")
