"""Chat completions of OpenAI, and of Mistral, which differs in errors and in when it tells the usage.

Sources: https://platform.openai.com/docs/api-reference/chat and https://docs.mistral.ai/api (2026-11).
"""

import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.wires.wire import (
    ARGUMENTS,
    CREATED,
    SPOKEN_ERROR,
    STATUSES,
    TEXT,
    TOOL,
    WORDS,
    Refusal,
    Situation,
    data,
    retry_headers,
    usage_in,
)

_CALL = {
    "id": "call00001",
    "type": "function",
    "function": {"name": TOOL, "arguments": json.dumps(ARGUMENTS)},
}
_ERRORS = {
    401: ("invalid_request_error", "invalid_api_key", SPOKEN_ERROR),
    429: ("requests", "rate_limit_exceeded", SPOKEN_ERROR),
    500: ("server_error", "server_error", SPOKEN_ERROR),
    400: (
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    ),
}


class OpenAIChat:
    """`POST .../chat/completions`."""

    stream_type = "text/event-stream; charset=utf-8"

    def is_question(self, path: str) -> bool:
        return path.partition("?")[0].endswith("/chat/completions")

    def is_streamed(self, path: str, body: Mapping[str, Any]) -> bool:
        return bool(body.get("stream"))

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        return headers.get("authorization") == "Bearer key" or headers.get("api-key") == "key"

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        def chunk(delta: Mapping[str, object], finish: str | None = None) -> bytes:
            return data(self._head("chat.completion.chunk") | {"choices": [_choice("delta", delta, finish)]})

        frames = [chunk({"role": "assistant", "content": ""})]
        if call:
            frames.append(chunk({"tool_calls": [{"index": 0, **_CALL}]}))
        else:
            frames += [chunk({"content": word}) for word in WORDS]
        frames.append(chunk({}, "tool_calls" if call else "stop"))
        usage = _usage(situation)
        if usage:
            frames.append(data(self._head("chat.completion.chunk") | {"choices": [], **usage}))
        return [*frames, b"data: [DONE]\n\n"]

    def whole(self, situation: Situation, *, call: bool) -> bytes:
        said = {"tool_calls": [_CALL], "content": None} if call else {"content": TEXT}
        choice = _choice("message", {"role": "assistant", **said}, "tool_calls" if call else "stop")
        body = self._head("chat.completion") | {"choices": [choice], **_usage(situation)}
        return json.dumps(body).encode()

    def refusal(self, situation: Situation) -> Refusal | None:
        if situation not in STATUSES:
            return None
        status = STATUSES[situation]
        kind, code, message = _ERRORS[status]
        body = {"error": {"message": message, "type": kind, "code": code, "param": None}}
        return Refusal(status, json.dumps(body).encode(), retry_headers(situation))

    def garbage(self) -> bytes:
        return b'data: {"choices": [{"delta": \n\n'

    def _head(self, kind: str) -> dict[str, object]:
        return {"id": "chatcmpl-stub", "object": kind, "created": CREATED, "model": "stub"}


class OpenRouter(OpenAIChat):
    """The same, with the name of who answered behind it."""

    def _head(self, kind: str) -> dict[str, object]:
        return super()._head(kind) | {"provider": "Stub"}


class MistralChat(OpenAIChat):
    """`POST /v1/chat/completions`; fields that it does not know are refused."""

    _KNOWN = frozenset(
        {"model", "messages", "stream", "tools", "tool_choice", "temperature", "top_p", "max_tokens", "n"}
        | {"random_seed", "stop", "parallel_tool_calls", "response_format", "safe_prompt", "presence_penalty"}
        | {"frequency_penalty", "prediction", "prompt_mode", "metadata", "prompt_cache_key", "guardrails"}
        | {"reasoning_effort"}
    )

    def is_authorized(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> bool:
        fits = set(json.loads(body or b"{}")) <= self._KNOWN
        return fits and headers.get("authorization") == "Bearer key"

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        frames = super().frames(situation, call=call)
        usage = _usage(situation)
        if not usage:
            return frames
        finish = "tool_calls" if call else "stop"
        last = self._head("chat.completion.chunk") | {
            "choices": [_choice("delta", {"content": ""}, finish)],
            **usage,
        }
        return [*frames[:-3], data(last), frames[-1]]

    def refusal(self, situation: Situation) -> Refusal | None:
        refusal = super().refusal(situation)
        if refusal is None:
            return None
        body: dict[str, object] = {
            "object": "error",
            "message": SPOKEN_ERROR,
            "type": "error",
            "code": "1000",
        }
        if situation is Situation.UNAUTHORIZED:
            body = {"detail": "Unauthorized"}
        elif situation is Situation.CONTEXT_OVERFLOW:
            message = "Prompt contains 9001 tokens, too large for model with 8192 maximum context length"
            body |= {"message": message, "code": "3051"}
        return Refusal(refusal.status, json.dumps(body).encode(), refusal.headers)


def _choice(said_in: str, said: Mapping[str, object], finish: str | None) -> dict[str, object]:
    return {"index": 0, said_in: dict(said), "finish_reason": finish}


def _usage(situation: Situation) -> dict[str, object]:
    counted = usage_in(situation)
    if counted is None:
        return {}
    return {
        "usage": {
            "prompt_tokens": counted.input,
            "completion_tokens": counted.output,
            "total_tokens": counted.input + counted.output,
            "prompt_tokens_details": {"cached_tokens": counted.cached},
        }
    }
