"""Neighbouring pieces of a streamed answer are joined; nothing else changes."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from integrations.models import gathering
from integrations.models.gathering import gathered, joined


def chunk(delta: dict[str, object], **more: object) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": None} | more
    return b"data: " + json.dumps({"id": "one", "choices": [choice]}).encode()


def deltas(stream: bytes) -> list[dict[str, object]]:
    events = [event for event in stream.split(b"\n\n") if event.startswith(b"data: {")]
    return [json.loads(event[6:])["choices"][0]["delta"] for event in events]


def reader(*pieces: bytes | Exception, pause_s: float = 0) -> Callable[[], Awaitable[bytes]]:
    left = list(pieces)

    async def read() -> bytes:
        await asyncio.sleep(pause_s)
        if not left:
            return b""
        piece = left.pop(0)
        if isinstance(piece, Exception):
            raise piece
        return piece

    return read


def test_neighbouring_text_becomes_one_piece_and_the_rest_stays_in_its_place() -> None:
    call = {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}
    events = [
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        chunk({"reasoning_content": "m"}),
        chunk({"content": "zażółć "}),
        chunk({"content": "gęślą"}),
        chunk(call),
        chunk({"content": "after"}),
        chunk({}, finish_reason="stop"),
        b"data: [DONE]",
    ]
    stream = joined(events)
    assert deltas(stream) == [
        {"role": "assistant", "content": ""},
        {"reasoning_content": "hmm"},
        {"content": "zażółć gęślą"},
        call,
        {"content": "after"},
        {},
    ]
    assert stream.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize(
    "event",
    [
        b"data: no json",
        b": a comment",
        b"data: {}",
        b'data: {"choices": [{"delta": null}]}',
        b'data: {"choices": [{"delta": {"content": ["x"]}}]}',
    ],
)
def test_what_is_no_text_is_left_alone(event: bytes) -> None:
    assert joined([event, event]) == event + b"\n\n" + event + b"\n\n"


async def test_pieces_of_any_size_come_out_whole() -> None:
    whole = b"".join(chunk({"content": f"{n} "}) + b"\n\n" for n in range(50)) + b"data: [DONE]\n\n"
    cut = [whole[at : at + 37] for at in range(0, len(whole), 37)]
    out = b"".join([piece async for piece in gathered(reader(*cut))])
    assert "".join(str(delta["content"]) for delta in deltas(out)) == "".join(f"{n} " for n in range(50))


async def test_lines_that_end_in_the_other_way_pass_unchanged() -> None:
    event = chunk({"content": "a"}) + b"\r\n\r\n"
    assert b"".join([piece async for piece in gathered(reader(event, event))]) == event + event


async def test_what_came_before_a_failure_is_yielded_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "PACE_S", 5)
    events = [chunk({"content": text}) + b"\n\n" for text in ("a", "b", "c")]
    stream = gathered(reader(*events, OSError("gone")))
    seen = b"".join([await anext(stream) for _ in events])
    with pytest.raises(OSError, match="gone"):
        await anext(stream)
    assert "".join(str(delta["content"]) for delta in deltas(seen)) == "abc"


async def test_the_end_is_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "PACE_S", 60)
    text, end = chunk({"content": "a"}) + b"\n\n", b"data: [DONE]\n\n"
    async with asyncio.timeout(2):
        pieces = [piece async for piece in gathered(reader(text, text, text, end, pause_s=0.01))]
    assert pieces[-1].endswith(end)
