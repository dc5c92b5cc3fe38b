"""What a chat completions server says, byte for byte. Pure functions, so that answers can be kept.

Source: the OpenAI chat completions reference, https://platform.openai.com/docs/api-reference/chat (2026-11).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

COMPLETION_ID = "chatcmpl-stub"
CREATED = 1_764_500_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Behaviour:
    """How the server answers one model name. The default answers 20 tokens at once.

    A model name carries it as words: `stub:tokens=500:rate=50:tool=run_python`.
    """

    tokens: int = 20
    rate: float = 0
    """Tokens a second; 0 sends the whole answer in one write."""
    delay_s: float = 0
    """Time before the first byte."""
    text: str = ""
    """The whole answer, instead of `tokens` counted words."""
    thinking: int = 0
    """Tokens of `reasoning_content` before the answer."""
    tool: str = ""
    """The tool that is called before the answer; `first` is whatever the request offers first."""
    calls: int = 1
    """How many rounds of calls come before the answer."""
    arguments: str = ""
    """JSON of the call's arguments; empty fills the required ones from the offered schema."""
    status: int = 200
    retry_after: str = ""
    times: int = 0
    """How many requests get `status` before the server is well again; 0 is all of them."""
    usage: str = "yes"
    """`yes`, `missing` or `zero`."""
    cut: int = -1
    """The connection is closed after so many pieces of the answer."""
    garbage: int = -1
    """A frame that is no JSON comes after so many pieces."""
    hang: str = ""
    """`start` never answers; `middle` stops half way and holds the connection."""


def behaviour_of(model_name: str) -> Behaviour:
    """Return what the words of a model name ask for.

    Raises:
        ValueError: A word is not a field of `Behaviour`.
    """
    values: dict[str, object] = {}
    kinds = Behaviour.__annotations__
    for word in model_name.split(":")[1:]:
        name, _, value = word.partition("=")
        if name not in kinds:
            raise ValueError(name)
        values[name] = kinds[name](value)
    return Behaviour(**values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, ready to be sent: pieces of a stream, or one body."""

    pieces: tuple[bytes, ...] = field(default=())
    """Complete server-sent events. The first opens the message; the last ones close it."""
    body: bytes = b""
    closing: int = 0
    """How many of the last pieces are not tokens; they are sent together with the last token."""


def answer_to(request: Mapping[str, object], behaviour: Behaviour) -> Answer:
    """Return the answer to one request of a client."""
    model = str(request.get("model", ""))
    call = _call(request, behaviour)
    if not request.get("stream"):
        return Answer(body=_body(model, behaviour, call))
    options = request.get("stream_options")
    wants_usage = isinstance(options, dict) and bool(options.get("include_usage"))  # type: ignore[reportUnknownMemberType]
    return _stream(model, behaviour, call, wants_usage)


def error_body(status: int) -> bytes:
    """Return the error object that goes with a status."""
    kind, code = {
        400: ("invalid_request_error", "bad_request"),
        401: ("invalid_request_error", "invalid_api_key"),
        404: ("invalid_request_error", "model_not_found"),
        429: ("requests", "rate_limit_exceeded"),
    }.get(status, ("server_error", "server_error"))
    message = f"stub error {status} at https://stub.invalid/?key=sk-stub-canary"
    return json.dumps({"error": {"message": message, "type": kind, "code": code, "param": None}}).encode()


def models_body(names: Sequence[str]) -> bytes:
    """Return the list of models."""
    rows = [{"id": name, "object": "model", "created": CREATED, "owned_by": "stub"} for name in names]
    return json.dumps({"object": "list", "data": rows}).encode()


@dataclass(frozen=True, slots=True)
class _Call:
    id: str
    name: str
    arguments: str


def _call(request: Mapping[str, object], behaviour: Behaviour) -> _Call | None:
    offered = {
        tool["function"]["name"]: tool["function"].get("parameters", {})
        for tool in request.get("tools") or []  # type: ignore[attr-defined]
    }
    messages = request.get("messages") or []
    rounds = 0
    for message in reversed(messages):  # type: ignore[call-overload]
        if message["role"] == "user":
            break
        rounds += message["role"] == "assistant"
    if not behaviour.tool or not offered or rounds >= behaviour.calls:
        return None
    name = next(iter(offered)) if behaviour.tool == "first" else behaviour.tool
    arguments = behaviour.arguments or json.dumps(_filled(offered.get(name, {})))
    return _Call(f"call_{rounds + 1}", name, arguments)


def _filled(schema: Mapping[str, object]) -> dict[str, object]:
    examples: dict[str, object] = {
        "string": "6*7",
        "integer": 1,
        "number": 1,
        "boolean": True,
        "array": [],
        "object": {},
    }
    properties = schema.get("properties") or {}
    return {
        name: examples.get(properties[name].get("type", "string"), "6*7")  # type: ignore[index]
        for name in schema.get("required") or []  # type: ignore[attr-defined]
    }


def _words(count: int) -> list[str]:
    return [f"tok{number} " for number in range(count)]


def _text_pieces(behaviour: Behaviour) -> list[str]:
    return [f"{word} " for word in behaviour.text.split(" ")] if behaviour.text else _words(behaviour.tokens)


def _usage(behaviour: Behaviour, output: int) -> dict[str, int]:
    if behaviour.usage == "zero":
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {"prompt_tokens": 100, "completion_tokens": output, "total_tokens": 100 + output}


def _body(model: str, behaviour: Behaviour, call: _Call | None) -> bytes:
    message: dict[str, object] = {"role": "assistant", "content": None, "refusal": None}
    if call:
        function = {"name": call.name, "arguments": call.arguments}
        message["tool_calls"] = [{"id": call.id, "type": "function", "function": function}]
    else:
        message["content"] = "".join(_text_pieces(behaviour)).rstrip()
    if behaviour.thinking:
        message["reasoning_content"] = "".join(_words(behaviour.thinking))
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": "tool_calls" if call else "stop",
    }
    reply: dict[str, object] = {
        "id": COMPLETION_ID, "object": "chat.completion", "created": CREATED, "model": model,
        "choices": [choice],
    }  # fmt: skip
    if behaviour.usage != "missing":
        reply["usage"] = _usage(behaviour, behaviour.tokens)
    return json.dumps(reply).encode()


@lru_cache(maxsize=64)
def _stream(model: str, behaviour: Behaviour, call: _Call | None, wants_usage: bool) -> Answer:
    def event(delta: Mapping[str, object] | None, finish: str | None = None, **extra: object) -> bytes:
        choices = (
            [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        )
        frame = {
            "id": COMPLETION_ID, "object": "chat.completion.chunk", "created": CREATED, "model": model,
            "choices": choices, **extra,
        }  # fmt: skip
        return b"data: " + json.dumps(frame).encode() + b"\n\n"

    pieces = [event({"role": "assistant", "content": ""})]
    pieces += [event({"reasoning_content": word}) for word in _words(behaviour.thinking)]
    if call:
        head = {
            "index": 0,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        half = len(call.arguments) // 2
        pieces.append(event({"tool_calls": [head]}))
        pieces += [
            event({"tool_calls": [{"index": 0, "function": {"arguments": part}}]})
            for part in (call.arguments[:half], call.arguments[half:])
        ]
    else:
        pieces += [event({"content": word}) for word in _text_pieces(behaviour)]
    output = len(pieces) - 1
    closing = [event({}, "tool_calls" if call else "stop")]
    if wants_usage and behaviour.usage != "missing":
        closing.append(event(None, usage=_usage(behaviour, output)))
    closing.append(b"data: [DONE]\n\n")
    if behaviour.garbage >= 0:
        pieces.insert(behaviour.garbage + 1, b'data: {"choices": [{"delta": \n\n')
    return Answer(pieces=(*pieces, *closing), closing=len(closing))
