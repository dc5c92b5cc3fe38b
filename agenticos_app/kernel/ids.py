"""Typed identifiers, ordered by the time they were made."""

import secrets
import time
from threading import Lock
from typing import NewType
from uuid import UUID

UserId = NewType("UserId", UUID)
SessionId = NewType("SessionId", UUID)
OrganizationId = NewType("OrganizationId", UUID)
AgentId = NewType("AgentId", UUID)
VersionId = NewType("VersionId", UUID)
EnvironmentId = NewType("EnvironmentId", UUID)
CapabilityRequestId = NewType("CapabilityRequestId", UUID)
ConversationId = NewType("ConversationId", UUID)
MessageId = NewType("MessageId", UUID)
RunId = NewType("RunId", UUID)
CallId = NewType("CallId", UUID)
FileId = NewType("FileId", UUID)
ModelProfileId = NewType("ModelProfileId", UUID)
SecretId = NewType("SecretId", UUID)
ApiKeyId = NewType("ApiKeyId", UUID)
HostId = NewType("HostId", UUID)
"""One life of one server process; a restarted process is another host."""

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62
_FREE = ~((0xF << 76) | (0x3 << 62))

_last = 0
_turn = Lock()


def new_id() -> UUID:
    """Return a UUID version 7 (48 bits of milliseconds, then random bits), above all before it here.

    Source: RFC 9562, section 5.7.
    """
    global _last
    milliseconds = time.time_ns() // 1_000_000
    candidate = ((milliseconds << 80 | secrets.randbits(80)) & _FREE) | _VERSION_7 | _VARIANT
    with _turn:
        if candidate <= _last:
            candidate = ((_last + 1) & _FREE) | _VERSION_7 | _VARIANT
            candidate = candidate if candidate > _last else _last + 1
        _last = candidate
    return UUID(int=candidate)
