"""Ids, cursors, texts, image types and the clock."""

import base64
import json
import threading
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from agenticos_app.kernel import clock, ids
from agenticos_app.kernel.images import image_type
from agenticos_app.kernel.paging import BadCursor, cursor_of, read_cursor
from agenticos_app.kernel.text import clipped, slug_of

AT = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


def test_the_time_is_aware_and_in_utc() -> None:
    assert clock.now().utcoffset() == timedelta(0)
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_ids_are_version_seven_and_ascend() -> None:
    made = [ids.new_id() for _ in range(2000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert {(one.version, one.variant) for one in made} == {(7, "specified in RFC 4122")}
    assert abs((made[0].int >> 80) - int(datetime.now(UTC).timestamp() * 1000)) < 60_000


def test_ids_ascend_when_the_clock_stands_still_or_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ids.new_id()
    monkeypatch.setattr(ids.time, "time_ns", lambda: 1_000_000_000)
    made = [before, *(ids.new_id() for _ in range(200))]
    assert made == sorted(made)
    assert len(set(made)) == 201
    assert {(one.version, one.variant) for one in made} == {(7, "specified in RFC 4122")}


def test_the_id_after_the_last_of_its_kind_still_ascends(monkeypatch: pytest.MonkeyPatch) -> None:
    full = ((0x0123456789AB << 80) | ((1 << 80) - 1)) & ids._FREE | ids._VERSION_7 | ids._VARIANT
    monkeypatch.setattr(ids, "_last", full)
    monkeypatch.setattr(ids.time, "time_ns", lambda: 1_000_000_000)
    assert ids.new_id() > UUID(int=full)


def test_threads_never_make_the_same_id() -> None:
    made: list[UUID] = []
    threads = [
        threading.Thread(target=lambda: made.extend([ids.new_id() for _ in range(300)])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1200


def test_a_cursor_is_read_as_it_was_made() -> None:
    row_id = ids.new_id()
    assert read_cursor(cursor_of(AT, row_id)) == (AT, row_id)


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "====",
        "ąę",
        "bm90IGpzb24=",
        encoded(None),
        encoded(17),
        encoded([]),
        encoded([AT.isoformat()]),
        encoded([AT.isoformat(), "no id"]),
        encoded(["no time", str(UUID(int=0))]),
        encoded([1, 2]),
        encoded([AT.isoformat(), str(UUID(int=0)), "more"]),
        encoded({"at": 1, "id": 2}),
        encoded([AT.replace(tzinfo=None).isoformat(), str(UUID(int=0))]),
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    ],
)
def test_what_is_no_cursor_of_ours_is_refused(cursor: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor(cursor)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("one\n\n two\tthree", 20, "one two three"),
        ("a longer sentence", 9, "a longer…"),
        ("a longer sentence", 10, "a longer…"),
        ("", 5, ""),
    ],
)
def test_a_text_is_cut_to_one_line(text: str, limit: int, shown: str) -> None:
    assert clipped(text, limit) == shown
    assert len(clipped(text, limit)) <= limit


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Acme", "acme"),
        ("  Acme & Sons, Ltd. ", "acme-sons-ltd"),
        ("Żółw", "w"),
        ("日本", ""),
        ("x" * 100, "x" * 56),
        ("y" * 55 + " z", "y" * 55),
    ],
)
def test_a_slug_is_made_of_words(name: str, slug: str) -> None:
    assert slug_of(name) == slug


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe1", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF....WEBP", "image/webp"),
        (b"RIFF....WAVE", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        (b"<html>", None),
        (b"", None),
    ],
)
def test_an_image_is_known_by_its_first_bytes(data: bytes, kind: str | None) -> None:
    assert image_type(data) == kind
