"""The event log and its readers: every cursor leads to the same answer."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from uuid import UUID

import pytest
from redis.asyncio import Redis

from agenticos_app.bus.run_log import FileLog, RedisLog, RunLog, SecondWriter
from agenticos_app.contracts.events import Event, Part, ToolStatus, joined, replayed
from agenticos_app.contracts.recording import Recorded, RequestRecord
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.runner.recorder import Recorder
from tests.services import redis_server


@pytest.fixture(scope="module")
def redis_url() -> Generator[str]:
    """Start a Redis for this module."""
    with redis_server() as url:
        yield url


@pytest.fixture(params=["file", "redis"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[RunLog]:
    """Each kind of event log."""
    if request.param == "file":
        opened: RunLog = FileLog(tmp_path)
        yield opened
        await opened.close()
        return
    redis = Redis.from_url(request.getfixturevalue("redis_url"))
    opened = RedisLog(redis)
    yield opened
    await opened.close()
    await redis.aclose()


class Sink:
    """Appends to a log as one run."""

    def __init__(self, log: RunLog, run_id: UUID) -> None:
        self._log, self._run_id = log, run_id

    async def append(self, event: Event) -> None:
        await self._log.append(self._run_id, event)


class Shelf:
    """Keeps every saved state."""

    def __init__(self) -> None:
        self.saved: list[Recorded] = []

    async def save(self, recorded: Recorded) -> None:
        self.saved.append(
            Recorded(
                parts=[part.model_copy() for part in recorded.parts],
                seq=recorded.seq,
                calls=list(recorded.calls),
            )
        )


async def work(log: RunLog, run_id: UUID) -> tuple[Recorder, Shelf]:
    """Let a recorder write prose, a step that fails, and prose."""
    shelf = Shelf()
    recorder = Recorder(Sink(log, run_id), shelf)
    for word in ["one", "two", "three", ""]:
        await recorder.prose("text", word + " ")
        await asyncio.sleep(0.02)
    first, second = await recorder.calls_begin(
        [("c1", "run_python", {"code": "1/0"}, ""), ("c2", "run_python", {"code": "1"}, "")]
    )
    await recorder.call_ends(second, "1", ToolStatus.DONE)
    await recorder.call_ends(first, "division by zero", ToolStatus.FAILED)
    await recorder.prose("thinking", "hm")
    await recorder.prose("text", "end")
    recorder.request_ends(RequestRecord(number=1, started_at=now(), milliseconds=1))
    await recorder.close()
    await log.append(run_id, Event(type="end", seq=recorder.recorded.seq + 1))
    return recorder, shelf


async def test_events_are_numbered_without_gaps_and_rebuild_the_parts(log: RunLog) -> None:
    run_id = new_id()
    recorder, _ = await work(log, run_id)
    events = await log.read(run_id, 0)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert replayed([], events) == recorder.recorded.parts
    assert [part.kind for part in recorder.recorded.parts] == ["text", "tool", "tool", "thinking", "text"]
    assert recorder.recorded.parts[0].text == "one two three  "


async def test_every_saved_state_and_the_events_after_it_give_the_same_parts(log: RunLog) -> None:
    run_id = new_id()
    recorder, shelf = await work(log, run_id)
    events = await log.read(run_id, 0)
    assert len(shelf.saved) == 3
    for saved in shelf.saved:
        rest = [event for event in events if event.seq > saved.seq]
        assert replayed(saved.parts, rest) == recorder.recorded.parts


async def test_a_reader_may_come_at_any_event(log: RunLog) -> None:
    run_id = new_id()
    recorder, _ = await work(log, run_id)
    events = await log.read(run_id, 0)
    for cursor in range(len(events)):
        have = replayed([], events[:cursor])
        async with log.follow(run_id) as channel:
            rest = await channel.wait(cursor, 2)
            while rest[-1].type != "end":
                rest += await channel.wait(rest[-1].seq, 2)
        assert replayed(have, joined(rest)) == recorder.recorded.parts


async def test_followers_hear_events_as_they_come(log: RunLog) -> None:
    run_id = new_id()

    async def read() -> list[Event]:
        heard: list[Event] = []
        async with log.follow(run_id) as channel:
            while not heard or heard[-1].type != "end":
                heard += await channel.wait(heard[-1].seq if heard else 0, 5)
        return heard

    readers = [asyncio.create_task(read()) for _ in range(5)]
    await asyncio.sleep(0.05)
    recorder, _ = await work(log, run_id)
    for heard in await asyncio.gather(*readers):
        assert replayed([], heard) == recorder.recorded.parts


async def test_a_second_writer_is_refused(log: RunLog) -> None:
    run_id = new_id()
    await log.append(run_id, Event(type="part", seq=1, part=Part(index=0, kind="text")))
    with pytest.raises(SecondWriter):
        await log.append(run_id, Event(type="text", seq=1, text="b"))


async def test_waiting_ends_without_an_event(log: RunLog) -> None:
    async with log.follow(new_id()) as channel:
        assert await channel.wait(0, 0.05) == []


async def test_a_file_log_outlives_its_process(tmp_path: Path) -> None:
    run_id, first = new_id(), FileLog(tmp_path)
    await first.append(run_id, Event(type="part", seq=1, part=Part(index=0, kind="text")))
    await first.append(run_id, Event(type="text", seq=2, text="shown"))
    (path,) = tmp_path.iterdir()
    with path.open("ab") as torn:
        torn.write(b'{"type":"text","se')
    second = FileLog(tmp_path)
    assert [event.text for event in await second.read(run_id, 1)] == ["shown"]
    async with second.follow(run_id) as channel:
        assert len(await channel.wait(0, 1)) == 2
    await second.append(run_id, Event(type="end", seq=3))
    await second.drop(run_id)
    assert not list(tmp_path.iterdir())
    await second.close()
    await first.close()


async def test_prose_after_a_lost_log_raises_instead_of_pretending() -> None:
    class Away:
        async def append(self, event: Event) -> None:
            raise ConnectionError

    recorder = Recorder(Away(), Shelf())
    with pytest.raises(ConnectionError):
        await recorder.prose("text", "a")
    await recorder.close()
    assert not recorder.recorded.parts


def test_joined_text_covers_its_range() -> None:
    (event,) = joined([Event(type="text", seq=n, text=str(n)) for n in (3, 4, 5)])
    assert (event.first, event.seq, event.text) == (3, 5, "345")
