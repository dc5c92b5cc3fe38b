"""Gemini's generateContent, of Google's own API and of Vertex AI.

Source: https://ai.google.dev/api/generate-content (2026-11).
"""

import json
from collections.abc import Mapping
from typing import Any

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

_ERRORS = {
    Situation.UNAUTHORIZED: (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    Situation.RATE_LIMITED: (429, "RESOURCE_EXHAUSTED", SPOKEN_ERROR),
    Situation.RATE_LIMITED_WITH_TIME: (429, "RESOURCE_EXHAUSTED", SPOKEN_ERROR),
    Situation.SERVER_ERROR: (500, "INTERNAL", SPOKEN_ERROR),
    Situation.CONTEXT_OVERFLOW: (
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
}


class Google:
    """`POST .../models/{model}:streamGenerateContent?alt=sse`."""

    stream_type = "text/event-stream"

    def is_question(self, path: str) -> bool:
        return "enerateContent" in path

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        return ":streamGenerateContent" in path and "alt=sse" in path

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        return headers.get("x-goog-api-key") == "key"

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        parts = [_part(True)] if call else [{"text": word} for word in WORDS]
        last = len(parts) - 1
        return [
            b"data: " + json.dumps(_answer(situation, part, is_last=number == last)).encode() + b"\r\n\r\n"
            for number, part in enumerate(parts)
        ]

    def whole(self, situation: Situation, *, call: bool) -> bytes:
        return json.dumps(_answer(situation, _part(call), is_last=True)).encode()

    def refusal(self, situation: Situation) -> Refusal | None:
        if situation not in _ERRORS:
            return None
        status, name, message = _ERRORS[situation]
        error: dict[str, object] = {"code": status, "message": message, "status": name}
        if situation is Situation.UNAUTHORIZED:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            error["details"] = [{"@type": kind, "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]
        return Refusal(status, json.dumps({"error": error}).encode(), retry_headers(situation))

    def garbage(self) -> bytes:
        return b'data: {"candidates": [{"content": \r\n\r\n'


class GoogleCloud(Google):
    """The same, with a token that was bought at `POST /token`."""

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        project = "/projects/sea/locations/europe-west4/publishers/google/models/"
        return headers.get("authorization") == "Bearer bought" and project in path

    def refusal(self, situation: Situation) -> Refusal | None:
        if situation is Situation.UNAUTHORIZED:
            body = {"error": {"code": 401, "message": SPOKEN_ERROR, "status": "UNAUTHENTICATED"}}
            return Refusal(401, json.dumps(body).encode(), {})
        return super().refusal(situation)


def _part(call: bool) -> dict[str, Any]:
    return {"functionCall": {"name": TOOL, "args": ARGUMENTS}} if call else {"text": TEXT}


def _answer(situation: Situation, part: Mapping[str, Any], *, is_last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
    if is_last:
        candidate["finishReason"] = "STOP"
    answer: dict[str, Any] = {"candidates": [candidate], "modelVersion": "stub", "responseId": "stub"}
    counted = usage_in(situation)
    if counted is not None:
        answer["usageMetadata"] = {
            "promptTokenCount": counted.input,
            "cachedContentTokenCount": counted.cached,
            "candidatesTokenCount": counted.output,
            "totalTokenCount": counted.input + counted.output,
        }
    return answer
