"""Where the bytes of files are kept."""

from collections.abc import AsyncIterator
from typing import Protocol


class FileStorage(Protocol):
    """Keeps bytes under keys that the platform makes.

    A key has parts of letters, digits, `-`, `_` and `.`, joined by `/`; nothing in it was typed by a person.
    Every method raises `ExternalFailure(service="storage")` when the
    storage itself does not work, a full disk among others.
    """

    async def put(self, key: str, data: bytes | AsyncIterator[bytes]) -> int:
        """Store the bytes, in place of what was there, and return how many they are.

        Readers see the old or the new bytes, never a mixture; what was not stored whole leaves nothing.
        """
        ...

    async def read(self, key: str) -> bytes:
        """Return all bytes.

        Raises:
            NotFound: Nothing is stored under the key.
        """
        ...

    def stream(self, key: str) -> AsyncIterator[bytes]:
        """Return the bytes in pieces.

        Raises:
            NotFound: On the first piece: nothing is stored under the key.
        """
        ...

    async def delete(self, key: str) -> None:
        """Remove what is stored under the key. Nothing stored there is no error."""
        ...

    async def delete_prefix(self, prefix: str) -> int:
        """Remove everything whose key starts with these parts, and return how much it was."""
        ...
