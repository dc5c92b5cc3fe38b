"""OpenAI's responses. Source: https://platform.openai.com/docs/api-reference/responses (2026-11)."""

import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.wires.openai_chat import OpenAIChat
from tests.fakes.wires.wire import ARGUMENTS, CREATED, TEXT, TOOL, WORDS, Situation, named, usage_in


class OpenAIResponses(OpenAIChat):
    """`POST .../responses`; refuses as chat completions do."""

    def is_question(self, path: str) -> bool:
        return path.endswith("/responses")

    def frames(self, situation: Situation, *, call: bool) -> list[bytes]:
        began = self._response(situation, "in_progress", [])
        frames = [("response.created", {"response": began}), ("response.in_progress", {"response": began})]
        item = _item(call)
        spot = {"item_id": item["id"], "output_index": 0}
        if call:
            frames += [
                ("response.output_item.added", {"output_index": 0, "item": item | {"arguments": ""}}),
                ("response.function_call_arguments.delta", spot | {"delta": item["arguments"]}),
                (
                    "response.function_call_arguments.done",
                    spot | {"arguments": item["arguments"], "name": TOOL},
                ),
            ]
        else:
            spot["content_index"] = 0
            part = {"type": "output_text", "text": "", "annotations": []}
            frames += [
                ("response.output_item.added", {"output_index": 0, "item": item | {"content": []}}),
                ("response.content_part.added", spot | {"part": part}),
                *(("response.output_text.delta", spot | {"delta": word, "logprobs": []}) for word in WORDS),
                ("response.output_text.done", spot | {"text": TEXT, "logprobs": []}),
                ("response.content_part.done", spot | {"part": part | {"text": TEXT}}),
            ]
        frames += [
            ("response.output_item.done", {"output_index": 0, "item": item}),
            ("response.completed", {"response": self._response(situation, "completed", [item])}),
        ]
        return [
            named(kind, {**value, "sequence_number": number}) for number, (kind, value) in enumerate(frames)
        ]

    def whole(self, situation: Situation, *, call: bool) -> bytes:
        return json.dumps(self._response(situation, "completed", [_item(call)])).encode()

    def garbage(self) -> bytes:
        return b'event: response.output_text.delta\ndata: {"type": \n\n'

    def _response(self, situation: Situation, status: str, output: list[Mapping[str, Any]]) -> dict[str, Any]:
        counted = usage_in(situation)
        usage = counted and {
            "input_tokens": counted.input,
            "input_tokens_details": {"cached_tokens": counted.cached},
            "output_tokens": counted.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": counted.input + counted.output,
        }
        return {
            "id": "resp_stub", "object": "response", "created_at": CREATED, "status": status, "model": "stub",
            "output": output, "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": 1, "top_p": 1,
            "usage": usage if status == "completed" else None,
        }  # fmt: skip


def _item(call: bool) -> dict[str, Any]:
    if call:
        return {
            "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": TOOL,
            "arguments": json.dumps(ARGUMENTS), "status": "completed",
        }  # fmt: skip
    content = [{"type": "output_text", "text": TEXT, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
