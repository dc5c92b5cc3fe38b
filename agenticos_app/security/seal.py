"""Envelopes: a random data key seals the value, a key derived from the master key seals the data key."""

import base64
import hashlib
import os
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
NONCE_BYTES = 12
_WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + 16
_HEAD = struct.Struct(">BI")
"""Format, key version. The wrapped data key and the sealed value follow, each behind its nonce."""
_FORMAT = 2

FIRST_FORMAT = 1
"""The `key_version` of rows from before envelopes had a head; their bytes are opened by `open_first`."""


class Unsealable(Exception):
    """The value was sealed with another key, for another place, or was changed."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a sealed value belongs to. It opens nowhere else."""

    owner: Literal["organization", "user"]
    owner_id: UUID
    kind: str

    def bound(self, use: str) -> bytes:
        """Return the place as bytes for one use, unambiguous: only the kind has no fixed length."""
        return f"agenticos.{use}.{self.owner}.{self.owner_id.hex}.{self.kind}".encode()


class Sealer:
    """Seals with the newest master key and opens with any that it was given.

    A key version is a number derived from a master key, so that nobody has to count keys.
    """

    def __init__(self, newest: bytes, *older: bytes) -> None:
        if any(len(key) != KEY_BYTES for key in (newest, *older)):
            raise ValueError("a master key must have 32 bytes")
        self._keys = {version_of(key): key for key in (*older, newest)}
        self.version = version_of(newest)
        """Version of the key that seals."""

    def seal(self, value: bytes, place: Place) -> bytes:
        """Return the envelope."""
        data_key = AESGCM.generate_key(bit_length=256)
        return self._wrapped(data_key, place) + _encrypted(data_key, value, place.bound("value"))

    def open(self, envelope: bytes, place: Place) -> bytes:
        """Return the value.

        Raises:
            Unsealable: Another key, owner or kind, or damaged bytes.
        """
        return _decrypted(self._data_key(envelope, place), _value_of(envelope), place.bound("value"))

    def rewrapped(self, envelope: bytes, place: Place) -> bytes:
        """Return the envelope with its data key under the newest master key; the value stays as it is.

        Raises:
            Unsealable: As for `open`, as far as the data key goes.
        """
        return self._wrapped(self._data_key(envelope, place), place) + _value_of(envelope)

    def seal_all(self, values: Mapping[str, bytes], place: Place) -> dict[str, bytes]:
        """Seal the fields of one row that has several, all at one version and each for its own field."""
        return {name: self.seal(value, _field(place, name)) for name, value in values.items()}

    def open_all(self, envelopes: Mapping[str, bytes], place: Place) -> dict[str, bytes]:
        """Open what `seal_all` sealed.

        Raises:
            Unsealable: One of them does not open, or they have different versions.
        """
        self._require_one_version(envelopes)
        return {name: self.open(one, _field(place, name)) for name, one in envelopes.items()}

    def rewrapped_all(self, envelopes: Mapping[str, bytes], place: Place) -> dict[str, bytes]:
        """Rewrap what `seal_all` sealed.

        Raises:
            Unsealable: As for `open_all`.
        """
        self._require_one_version(envelopes)
        return {name: self.rewrapped(one, _field(place, name)) for name, one in envelopes.items()}

    def open_first(self, sealed: bytes, organization_id: UUID, kind: str) -> bytes:
        """Return a value of the first format, which named no version: any of the master keys may fit.

        Raises:
            Unsealable: None does.
        """
        bound = organization_id.bytes + kind.encode()
        for key in self._keys.values():
            with suppress(Unsealable):
                data_key = _decrypted(key, sealed[:_WRAPPED_BYTES], bound)
                return _decrypted(data_key, sealed[_WRAPPED_BYTES:], bound)
        raise Unsealable

    @staticmethod
    def _require_one_version(envelopes: Mapping[str, bytes]) -> None:
        if len({envelope[: _HEAD.size] for envelope in envelopes.values()}) > 1:
            raise Unsealable

    def _wrapped(self, data_key: bytes, place: Place) -> bytes:
        head = _HEAD.pack(_FORMAT, self.version)
        return head + _encrypted(_derived(self._keys[self.version], place), data_key, head)

    def _data_key(self, envelope: bytes, place: Place) -> bytes:
        head, wrapped = envelope[: _HEAD.size], envelope[_HEAD.size : _HEAD.size + _WRAPPED_BYTES]
        key = self._keys.get(version_in(envelope))
        if key is None:
            raise Unsealable
        return _decrypted(_derived(key, place), wrapped, head)


def version_in(envelope: bytes) -> int:
    """Return the version of the master key that an envelope needs.

    Raises:
        Unsealable: It is no envelope.
    """
    if len(envelope) < _HEAD.size:
        raise Unsealable
    form, version = _HEAD.unpack(envelope[: _HEAD.size])
    if form != _FORMAT:
        raise Unsealable
    return int(version)


def version_of(key: bytes) -> int:
    """Return a master key's version: 31 bits of a digest, never `FIRST_FORMAT`."""
    digest = hashlib.sha256(b"agenticos.key-version." + key).digest()
    return max(int.from_bytes(digest[:4]) & 0x7FFF_FFFF, FIRST_FORMAT + 1)


def _value_of(envelope: bytes) -> bytes:
    return envelope[_HEAD.size + _WRAPPED_BYTES :]


def _field(place: Place, name: str) -> Place:
    return Place(place.owner, place.owner_id, f"{place.kind}/{name}")


def _derived(master: bytes, place: Place) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=place.bound("key")).derive(master)


def _encrypted(key: bytes, value: bytes, bound: bytes) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, value, bound)


def _decrypted(key: bytes, sealed: bytes, bound: bytes) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound)
    except (InvalidTag, ValueError) as error:
        raise Unsealable from error


def sealer_of(
    *, vault_master_key: str | None, older: Sequence[str], secret_key: str | None, folder: Path
) -> Sealer:
    """Return the deployment's sealer: `vault_master_key`, else `secret_key`, else the key kept in `folder`.

    The older ones, and the one that `vault_master_key` took over from, still open.

    Raises:
        ValueError: A key is not 32 bytes in base64.
    """
    fallback = deployment_key(secret_key, folder)
    newest = fallback if vault_master_key is None else decoded(vault_master_key)
    return Sealer(newest, *(decoded(key) for key in older), fallback)


def deployment_key(configured: str | None, folder: Path) -> bytes:
    """Return the configured key, or the one in `folder/secret.key`, which is made when it is missing.

    Raises:
        ValueError: The key is not 32 bytes in base64.
    """
    if configured is not None:
        return decoded(configured)
    path = folder / "secret.key"
    if not path.exists():
        _make_key(path)
    return decoded(path.read_text())


def _make_key(path: Path) -> None:
    """Write a key beside its place and link it there: whole or not at all, and of several the first one."""
    made = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(base64.b64encode(os.urandom(KEY_BYTES)).decode())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(made)
    finally:
        made.unlink()


def decoded(text: str) -> bytes:
    """Return the key that the text holds.

    Raises:
        ValueError: It is not 32 bytes in base64.
    """
    key = base64.b64decode(text.strip(), validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError("a master key must be 32 bytes in base64")
    return key
