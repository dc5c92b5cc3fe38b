"""Sealing of stored keys: AES-256-GCM, bound to the organization and the kind of secret."""

import base64
import os
from contextlib import suppress
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12
KEY_BYTES = 32
KEY_VERSION = 1


class Unsealable(Exception):
    """The value was sealed with another key, for another place, or was changed."""


class Sealer:
    """Seals and opens with the deployment's key. Each value has a data key of its own inside."""

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError("the key must have 32 bytes")
        self._outer = AESGCM(key)

    def seal(self, value: str, *, organization_id: UUID, kind: str) -> bytes:
        """Return the sealed value: the data key under the deployment's key, then the value under it."""
        bound = _bound(organization_id, kind)
        data_key = AESGCM.generate_key(bit_length=256)
        outer_nonce, inner_nonce = os.urandom(NONCE_BYTES), os.urandom(NONCE_BYTES)
        wrapped = self._outer.encrypt(outer_nonce, data_key, bound)
        return (
            outer_nonce + wrapped + inner_nonce + AESGCM(data_key).encrypt(inner_nonce, value.encode(), bound)
        )

    def open(self, sealed: bytes, *, organization_id: UUID, kind: str) -> str:
        """Return the value.

        Raises:
            Unsealable: Another key, organization or kind, or damaged bytes.
        """
        bound = _bound(organization_id, kind)
        cut = NONCE_BYTES + KEY_BYTES + 16
        try:
            data_key = self._outer.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:cut], bound)
            inner_nonce, body = sealed[cut : cut + NONCE_BYTES], sealed[cut + NONCE_BYTES :]
            return AESGCM(data_key).decrypt(inner_nonce, body, bound).decode()
        except (InvalidTag, ValueError) as error:
            raise Unsealable from error


def _bound(organization_id: UUID, kind: str) -> bytes:
    return organization_id.bytes + kind.encode()


def deployment_key(configured: str | None, folder: Path) -> bytes:
    """Return the configured key, or the one in `folder/secret.key`, which is made when it is missing.

    Raises:
        ValueError: The key is not 32 bytes in base64.
    """
    if configured is not None:
        return _decoded(configured)
    path = folder / "secret.key"
    if not path.exists():
        _make_key(path)
    return _decoded(path.read_text())


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


def _decoded(text: str) -> bytes:
    key = base64.b64decode(text.strip(), validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError("SECRET_KEY must be 32 bytes in base64")
    return key
