"""Files in a folder of this machine."""

import asyncio
import os
import re
import secrets
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from agenticos_app.errors import ExternalFailure, NotFound

KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}){0,7}")
UNFINISHED = ".part"
PIECE_BYTES = 256 * 1024

Result = TypeVar("Result")


class LocalStorage:
    """A `FileStorage` in one folder. A key is a path below it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, key: str, data: bytes | AsyncIterator[bytes]) -> int:
        """Write beside the place, flush to disk, then rename into it."""
        target = self._path(key)
        unfinished = target.with_name(f".{target.name}.{secrets.token_hex(8)}{UNFINISHED}")
        size = 0
        try:
            file = await _in_thread(_create, unfinished)
            try:
                if isinstance(data, bytes):
                    size += await _in_thread(file.write, data)
                else:
                    async for piece in data:
                        size += await _in_thread(file.write, piece)
                await _in_thread(_flush, file)
            finally:
                await _in_thread(file.close)
            await _in_thread(_move, unfinished, target)
        except BaseException:
            await _in_thread(_unlink, unfinished)
            raise
        return size

    async def read(self, key: str) -> bytes:
        """Return all bytes."""
        return await _in_thread(self._path(key).read_bytes)

    async def stream(self, key: str) -> AsyncIterator[bytes]:
        """Yield the bytes in pieces."""
        file = await _in_thread(_open, self._path(key))
        try:
            while piece := await _in_thread(file.read, PIECE_BYTES):
                yield piece
        finally:
            await _in_thread(file.close)

    async def delete(self, key: str) -> None:
        """Remove one file."""
        await _in_thread(_unlink, self._path(key))

    async def delete_prefix(self, prefix: str) -> int:
        """Remove a folder with everything in it."""
        return await _in_thread(_clear, self._path(prefix.rstrip("/")))

    def _path(self, key: str) -> Path:
        if not KEY.fullmatch(key):
            raise ValueError("not a key that the platform makes")
        return self._folder / key


async def _in_thread(work: Callable[..., Result], *arguments: object) -> Result:
    """Do a piece of file work off the event loop.

    Raises:
        NotFound: The file is not there.
        ExternalFailure: The file system refused.
    """
    try:
        return await asyncio.to_thread(work, *arguments)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NotFound from error
    except OSError as error:
        raise ExternalFailure(service="storage") from error


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def _create(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("xb")


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _move(unfinished: Path, target: Path) -> None:
    unfinished.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unlink(path: Path) -> None:
    path.unlink(missing_ok=True)


def _clear(path: Path) -> int:
    """Remove bottom-up, and bear with files that others remove or add meanwhile."""
    count = 0
    if path.is_file():
        path.unlink(missing_ok=True)
        return 1
    for found in sorted(path.rglob("*"), reverse=True):
        if found.is_dir():
            _remove_folder(found)
        else:
            found.unlink(missing_ok=True)
            count += 1
    _remove_folder(path)
    return count


def _remove_folder(path: Path) -> None:
    try:
        path.rmdir()
    except FileNotFoundError:
        return
    except OSError:
        if not any(path.iterdir()):
            raise
