"""Fewer, larger pieces of a streamed answer.

The SDK and the agent framework spend about a millisecond of processor time on each piece, however small. So
pieces of text that arrived together are joined before either sees them, and what a stream brings within
`PACE_S` is taken as arriving together. The first text is never held back, nor is the end.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

PACE_S = 0.04

_TEXT = frozenset({"content", "reasoning_content", "reasoning"})
_ENDS = (b"data: [DONE]", b'"finish_reason":"', b'"finish_reason": "')


async def gathered(read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[bytes]:
    """Yield a stream of chat completion events with neighbouring text joined.

    `read` returns b"" at the end of the stream. What came before it failed is yielded first.
    """
    now = asyncio.get_running_loop().time
    rest, next_at, opened = b"", 0.0, False
    while data := await read():
        failure: Exception | None = None
        if now() < next_at and not _ends(data):
            try:
                async with asyncio.timeout_at(next_at):
                    while more := await read():
                        data += more
                        if _ends(more):
                            break
            except TimeoutError:
                pass
            except Exception as error:  # raised again below
                failure = error
        if b"\r" in data:
            whole, rest = rest + data, b""  # lines end in the other way that is allowed; rare, left alone
        else:
            whole, _, rest = (rest + data).rpartition(b"\n\n")
            whole = joined(whole.split(b"\n\n")) if whole else b""
        if whole:
            yield whole
            opened = opened or whole.count(b"\n\n") > 1
            next_at = now() + PACE_S if opened else 0.0
            opened = True
        if failure is not None:
            raise failure
    if rest:
        yield rest


def _ends(data: bytes) -> bool:
    return any(mark in data for mark in _ENDS)


def joined(events: list[bytes]) -> bytes:
    """Return the events with neighbours that only add text to the same choice made one."""
    if len(events) == 1:
        return events[0] + b"\n\n"
    out: list[bytes] = []
    first: dict[str, Any] = {}
    field, texts = "", list[str]()

    def close() -> None:
        if texts:
            first["choices"][0]["delta"][field] = "".join(texts)
            out.append(b"data: " + json.dumps(first).encode())
            texts.clear()

    for event in events:
        found = _text_of(event)
        if found is None:
            close()
            out.append(event)
            continue
        chunk, name = found
        if not texts or name != field or not _continues(first, chunk):
            close()
            first, field = chunk, name
        texts.append(chunk["choices"][0]["delta"][name])
    close()
    return b"\n\n".join(out) + b"\n\n"


def _text_of(event: bytes) -> tuple[dict[str, Any], str] | None:
    """Return the chunk and the field with its text, when it says nothing else of importance."""
    if not event.startswith(b"data: {"):
        return None
    try:
        chunk = json.loads(event[6:])
        (choice,) = chunk["choices"]
        said = {name for name, value in choice["delta"].items() if value and name != "role"}
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    if len(said) != 1 or not said <= _TEXT or chunk.get("usage"):
        return None
    if choice.get("finish_reason") or choice.get("logprobs"):
        return None
    (field,) = said
    return (chunk, field) if isinstance(choice["delta"][field], str) else None


def _continues(first: dict[str, Any], chunk: dict[str, Any]) -> bool:
    return (
        chunk.get("id") == first.get("id")
        and chunk.get("model") == first.get("model")
        and chunk["choices"][0].get("index") == first["choices"][0].get("index")
    )
