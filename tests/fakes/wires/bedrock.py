"""Bedrock's Converse, with signatures checked and binary frames.

Sources: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html,
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html and, for the frames,
https://smithy.io/2.0/aws/amazon-eventstream.html (2026-11).
"""

import hashlib
import hmac
import json
import re
import struct
from binascii import crc32
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from tests.fakes.wires.wire import (
    ARGUMENTS,
    SPOKEN_ERROR,
    TEXT,
    TOOL,
    WORDS,
    Refusal,
    Situation,
    retry_headers,
    usage_in,
)

KEY_ID, SECRET, REGION = "AKIASTUB", "stub-secret", "eu-stub-1"
_ERRORS = {
    Situation.UNAUTHORIZED: (403, "UnrecognizedClientException", SPOKEN_ERROR),
    Situation.RATE_LIMITED: (429, "ThrottlingException", SPOKEN_ERROR),
    Situation.RATE_LIMITED_WITH_TIME: (429, "ThrottlingException", SPOKEN_ERROR),
    Situation.SERVER_ERROR: (500, "InternalServerException", SPOKEN_ERROR),
    Situation.CONTEXT_OVERFLOW: (400, "ValidationException", "Input is too long for requested model."),
}
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8})/([\w-]+)/bedrock/aws4_request, "
    r"SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})"
)


class Bedrock:
    """`POST /model/{id}/converse-stream`."""

    stream_type = "application/vnd.amazon.eventstream"

    def is_question(self, path: str) -> bool:
        return path.endswith(("/converse", "/converse-stream"))

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        return path.endswith("/converse-stream")

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        match = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if match is None:
            return False
        key_id, day, region, names, signature = match.groups()
        signed = "".join(f"{name}:{headers[name].strip()}\n" for name in names.split(";"))
        request = [method, quote(path, safe="/~"), "", signed, names, hashlib.sha256(body).hexdigest()]
        digest = hashlib.sha256("\n".join(request).encode()).hexdigest()
        scope = f"{day}/{region}/bedrock/aws4_request"
        key = f"AWS4{SECRET}".encode()
        for word in (day, region, "bedrock", "aws4_request"):
            key = hmac.digest(key, word.encode(), "sha256")
        text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, digest])
        expected = hmac.new(key, text.encode(), "sha256").hexdigest()
        return (key_id, region) == (KEY_ID, REGION) and hmac.compare_digest(expected, signature)

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        spot = {"contentBlockIndex": 0}
        events: list[tuple[str, Mapping[str, Any]]] = [("messageStart", {"role": "assistant"})]
        if call:
            used = {"toolUse": {"toolUseId": "tooluse_1", "name": TOOL}}
            events.append(("contentBlockStart", spot | {"start": used}))
            deltas: list[Mapping[str, Any]] = [{"toolUse": {"input": json.dumps(ARGUMENTS)}}]
        else:
            deltas = [{"text": word} for word in WORDS]
        events += [("contentBlockDelta", spot | {"delta": delta}) for delta in deltas]
        events.append(("contentBlockStop", spot))
        events.append(("messageStop", {"stopReason": "tool_use" if call else "end_turn"}))
        events.append(("metadata", {"metrics": {"latencyMs": 1}, **_usage(situation)}))
        return [_frame({":message-type": "event", ":event-type": kind}, body) for kind, body in events]

    def whole(self, situation: Situation, *, call: bool) -> bytes:
        used = {"toolUse": {"toolUseId": "tooluse_1", "name": TOOL, "input": ARGUMENTS}}
        message = {"role": "assistant", "content": [used if call else {"text": TEXT}]}
        body = {
            "output": {"message": message},
            "stopReason": "tool_use" if call else "end_turn",
            "metrics": {"latencyMs": 1},
            **_usage(situation),
        }
        return json.dumps(body).encode()

    def refusal(self, situation: Situation) -> Refusal | None:
        if situation not in _ERRORS:
            return None
        status, name, message = _ERRORS[situation]
        headers = {"x-amzn-errortype": f"{name}:http://internal.amazon.com/", **retry_headers(situation)}
        return Refusal(status, json.dumps({"message": message}).encode(), headers)

    def garbage(self) -> bytes:
        return b"these are not the frames that you look for, and there are many of them"


def throttled() -> bytes:
    """Return the frame with which a begun stream tells that it was throttled."""
    headers = {":message-type": "exception", ":exception-type": "throttlingException"}
    return _frame(headers, {"message": SPOKEN_ERROR})


def _usage(situation: Situation) -> dict[str, Any]:
    counted = usage_in(situation)
    if counted is None:
        return {}
    return {
        "usage": {
            "inputTokens": counted.input - counted.cached,
            "outputTokens": counted.output,
            "totalTokens": counted.input + counted.output,
            "cacheReadInputTokens": counted.cached,
            "cacheWriteInputTokens": 0,
        }
    }


def _frame(headers: Mapping[str, str], body: Mapping[str, Any]) -> bytes:
    written = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in {**headers, ":content-type": "application/json"}.items()
    )
    payload = json.dumps(body).encode()
    prelude = struct.pack("!II", 16 + len(written) + len(payload), len(written))
    start = prelude + struct.pack("!I", crc32(prelude)) + written + payload
    return start + struct.pack("!I", crc32(start))
