"""What a dialect has to be able to say."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

WORDS = ("Hello", " from", " the", " stub.")
TEXT = "".join(WORDS)
TOOL = "look_up"
ARGUMENTS = {"word": "sea"}
SPOKEN_ERROR = "stub error, see https://stub.invalid/?key=sk-stub-canary"
CREATED = 1_764_500_000


class Situation(StrEnum):
    """What happens to a request."""

    SUCCESS = "success"
    TOOL_CALL = "tool_call"
    """The first request is answered with a call, the next with words."""
    UNAUTHORIZED = "unauthorized"
    RATE_LIMITED = "rate_limited"
    RATE_LIMITED_WITH_TIME = "rate_limited_with_time"
    SERVER_ERROR = "server_error"
    HANG = "hang"
    """Nothing comes."""
    SILENCE = "silence"
    """Nothing comes after half of the answer."""
    HALF_STREAM = "half_stream"
    """The connection ends in the middle of the answer."""
    GARBAGE = "garbage"
    """Something else than the dialect comes in the middle of the answer."""
    NO_USAGE = "no_usage"
    ZERO_USAGE = "zero_usage"
    CONTEXT_OVERFLOW = "context_overflow"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the server says it counted. `input` holds the cached tokens too."""

    input: int = 100
    output: int = 8
    cached: int = 20


def usage_in(situation: Situation) -> Usage | None:
    """Return the usage that is reported."""
    if situation is Situation.NO_USAGE:
        return None
    return Usage(0, 0, 0) if situation is Situation.ZERO_USAGE else Usage()


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is none."""

    status: int
    body: bytes
    headers: Mapping[str, str]


class Wire(Protocol):
    """One dialect."""

    stream_type: str
    """Content type of a stream."""

    def is_question(self, path: str) -> bool:
        """Tell whether a request to this path asks a model."""
        ...

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        """Tell whether the answer is to be streamed."""
        ...

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        """Tell whether the request shows the credential of the tests."""
        ...

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        """Return the stream, frame by frame."""
        ...

    def whole(self, situation: Situation, *, call: bool) -> bytes:
        """Return the answer in one piece."""
        ...

    def refusal(self, situation: Situation) -> Refusal | None:
        """Return how the request is refused; None when it is not."""
        ...

    def garbage(self) -> bytes:
        """Return a frame that is none."""
        ...


def data(value: object) -> bytes:
    """Return a server-sent event without a name."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def named(kind: str, value: Mapping[str, object]) -> bytes:
    """Return a server-sent event that is named after its type."""
    return f"event: {kind}\n".encode() + data({"type": kind, **value})


STATUSES = {
    Situation.UNAUTHORIZED: 401,
    Situation.RATE_LIMITED: 429,
    Situation.RATE_LIMITED_WITH_TIME: 429,
    Situation.SERVER_ERROR: 500,
    Situation.CONTEXT_OVERFLOW: 400,
}


def retry_headers(situation: Situation) -> dict[str, str]:
    """Return when to come back, if the situation says so."""
    return {"retry-after": "7"} if situation is Situation.RATE_LIMITED_WITH_TIME else {}
