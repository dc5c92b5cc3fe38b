"""Files in a folder."""

import resource
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agenticos_app.errors import ExternalFailure, NotFound
from integrations.storage.local import PIECE_BYTES, LocalStorage


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path / "files")


def stored(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def pieces(*data: bytes) -> AsyncIterator[bytes]:
    for piece in data:
        yield piece


async def test_bytes_come_back_whole_and_in_pieces(storage: LocalStorage):
    data = bytes(range(256)) * (PIECE_BYTES // 100)
    assert await storage.put("org/file", data) == len(data)
    assert await storage.read("org/file") == data
    streamed = [piece async for piece in storage.stream("org/file")]
    assert b"".join(streamed) == data
    assert len(streamed) > 1


async def test_a_stream_is_stored_and_a_second_put_replaces_the_first(storage: LocalStorage, tmp_path: Path):
    assert await storage.put("org/file", pieces(b"one", b"", b"two")) == 6
    assert await storage.put("org/file", b"three") == 5
    assert await storage.read("org/file") == b"three"
    assert stored(tmp_path / "files") == ["org/file"]


async def test_an_upload_that_breaks_off_leaves_what_was_there(storage: LocalStorage, tmp_path: Path):
    async def broken() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionResetError

    await storage.put("org/file", b"old")
    with pytest.raises(ConnectionResetError):
        await storage.put("org/file", broken())
    with pytest.raises(ConnectionResetError):
        await storage.put("org/other", broken())
    assert await storage.read("org/file") == b"old"
    assert stored(tmp_path / "files") == ["org/file"]


async def test_a_full_disk_is_said_so_and_leaves_nothing(storage: LocalStorage, tmp_path: Path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, before[1]))
    try:
        with pytest.raises(ExternalFailure) as failure:
            await storage.put("org/file", b"x" * 3_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert failure.value.details == {"service": "storage"}
    assert stored(tmp_path / "files") == []


async def test_what_is_not_there_is_not_found_and_deleting_it_is_no_error(storage: LocalStorage):
    with pytest.raises(NotFound):
        await storage.read("org/nothing")
    with pytest.raises(NotFound):
        _ = [piece async for piece in storage.stream("org/nothing")]
    await storage.delete("org/nothing")
    assert await storage.delete_prefix("nobody") == 0


async def test_delete_takes_one_file_and_delete_prefix_one_organization(
    storage: LocalStorage, tmp_path: Path
):
    for key in ("a/1", "a/2", "a/deep/3", "ab/4"):
        await storage.put(key, b"x")
    await storage.delete("a/1")
    assert await storage.delete_prefix("a/") == 2
    assert stored(tmp_path / "files") == ["ab/4"]
    assert not (tmp_path / "files" / "a").exists()


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/etc/passwd",
        "../outside",
        "a/../../b",
        "a//b",
        "a/.",
        ".hidden",
        "a/\x00",
        "a\\b",
        "a b",
        "ż",
        "a/",
    ],
)
async def test_no_key_leads_out_of_the_folder(storage: LocalStorage, key: str):
    with pytest.raises(ValueError, match="not a key"):
        await storage.put(key, b"x")
    with pytest.raises(ValueError, match="not a key"):
        await storage.read(key)


async def test_a_place_that_cannot_be_written_is_an_outside_failure(tmp_path: Path):
    (tmp_path / "occupied").write_text("a file where the folder should be")
    with pytest.raises((ExternalFailure, NotFound)):
        await LocalStorage(tmp_path / "occupied").put("a", b"x")
