"""Anthropic's messages. Source: https://docs.anthropic.com/en/api/messages-streaming (2026-11)."""

import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.wires.wire import (
    ARGUMENTS,
    SPOKEN_ERROR,
    STATUSES,
    TEXT,
    TOOL,
    WORDS,
    Refusal,
    Situation,
    named,
    retry_headers,
    usage_in,
)

_ERRORS = {
    401: "authentication_error",
    429: "rate_limit_error",
    500: "api_error",
    400: "invalid_request_error",
}


class Anthropic:
    """`POST /v1/messages`."""

    stream_type = "text/event-stream; charset=utf-8"

    def is_question(self, path: str) -> bool:
        return path.partition("?")[0] == "/v1/messages"

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        return bool(body.get("stream"))

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        shown = headers.get("x-api-key") == "key" or headers.get("authorization") == "Bearer key"
        return shown and "anthropic-version" in headers

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        message = self._message(situation, [], None, output=1)
        block = {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": {}} if call else _text("")
        if call:
            deltas = [{"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)}]
        else:
            deltas = [{"type": "text_delta", "text": word} for word in WORDS]
        counted = usage_in(situation)
        return [
            named("message_start", {"message": message}),
            named("content_block_start", {"index": 0, "content_block": block}),
            named("ping", {}),
            *(named("content_block_delta", {"index": 0, "delta": delta}) for delta in deltas),
            named("content_block_stop", {"index": 0}),
            named(
                "message_delta",
                {
                    "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None},
                    "usage": {"output_tokens": counted.output} if counted else {},
                },
            ),
            named("message_stop", {}),
        ]

    def whole(self, situation: Situation, *, call: bool) -> bytes:
        used = {"type": "tool_use", "id": "toolu_1", "name": TOOL, "input": ARGUMENTS}
        content = [used] if call else [_text(TEXT)]
        return json.dumps(self._message(situation, content, "tool_use" if call else "end_turn")).encode()

    def refusal(self, situation: Situation) -> Refusal | None:
        if situation not in STATUSES:
            return None
        status = STATUSES[situation]
        overflow = "prompt is too long: 210000 tokens > 200000 maximum"
        message = overflow if situation is Situation.CONTEXT_OVERFLOW else SPOKEN_ERROR
        body = {"type": "error", "error": {"type": _ERRORS[status], "message": message}}
        return Refusal(status, json.dumps(body).encode(), retry_headers(situation))

    def garbage(self) -> bytes:
        return b'event: content_block_delta\ndata: {"type": \n\n'

    def _message(
        self,
        situation: Situation,
        content: list[Mapping[str, Any]],
        stop: str | None,
        output: int | None = None,
    ) -> dict[str, Any]:
        counted = usage_in(situation)
        usage: dict[str, int] = {}
        if counted is not None:
            usage = {
                "input_tokens": counted.input - counted.cached,
                "cache_read_input_tokens": counted.cached,
                "cache_creation_input_tokens": 0,
                "output_tokens": min(counted.output, output) if output else counted.output,
            }
        return {
            "id": "msg_stub", "type": "message", "role": "assistant", "model": "stub", "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": usage,
        }  # fmt: skip


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
