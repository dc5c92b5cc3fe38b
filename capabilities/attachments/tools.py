"""The tools, and how they are put together."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

from agenticos_app.contracts.capability import AttachedFile, Offer, RunDeps
from capabilities.attachments import text
from capabilities.attachments.config import AttachmentsConfig
from capabilities.attachments.marking import briefing, framed, shortened, shown_names
from capabilities.attachments.search import Passage, keywords_of, search

RESULT_LIMIT = 12_000
PASSAGES = 8
HEAD_ROOM = 300


def build(config: AttachmentsConfig) -> Offer:
    """Return the capability. Its tools are offered only where a file is attached."""
    del config
    tools = FunctionToolset[RunDeps]()

    @tools.tool(description=text.READ_ATTACHMENT)
    async def read_attachment(  # pyright: ignore[reportUnusedFunction]
        ctx: RunContext[RunDeps],
        name: Annotated[str, Field(description=text.ARGUMENT_NAME)],
        first_line: Annotated[int, Field(description=text.ARGUMENT_FIRST_LINE, ge=1)] = 1,
        lines: Annotated[int, Field(description=text.ARGUMENT_LINES, ge=1, le=1000)] = 200,
    ) -> str:
        name, file = _pick(ctx.deps.files, name)
        return _page(name, await _text_of(ctx.deps, file), first_line, lines)

    @tools.tool(description=text.SEARCH_ATTACHMENT)
    async def search_attachment(  # pyright: ignore[reportUnusedFunction]
        ctx: RunContext[RunDeps],
        query: Annotated[str, Field(description=text.ARGUMENT_QUERY)],
        name: Annotated[str | None, Field(description=text.ARGUMENT_ONE_NAME)] = None,
    ) -> str:
        words = keywords_of(query)
        if not words:
            raise ModelRetry(text.NO_WORDS)
        chosen = dict([_pick(ctx.deps.files, name)]) if name else _with_text(ctx.deps.files)
        texts = [await _text_of(ctx.deps, file) for file in chosen.values()]
        return await asyncio.to_thread(_found, list(chosen), texts, words)

    return Offer(toolset=tools.filtered(_something_is_attached), instructions=_instructions)


def _something_is_attached(ctx: RunContext[RunDeps], _tool: ToolDefinition) -> bool:
    return any(file.lines for file in ctx.deps.files)


def _instructions(deps: RunDeps) -> str:
    return briefing(deps.files)


def _with_text(files: Sequence[AttachedFile]) -> dict[str, AttachedFile]:
    return {name: file for name, file in shown_names(files).items() if file.lines}


def _pick(files: Sequence[AttachedFile], name: str) -> tuple[str, AttachedFile]:
    """Return a file by the name that the model was shown.

    Raises:
        ModelRetry: No file has that name, or it has no text.
    """
    shown = shown_names(files)
    wanted = name.strip().strip('"').casefold()
    found = next((each for each in shown if wanted in (each.casefold(), shown[each].name.casefold())), None)
    readable = ", ".join(_with_text(files))
    if found is None:
        raise ModelRetry(text.WRONG_NAME.format(names=readable))
    if not shown[found].lines:
        raise ModelRetry(text.NO_TEXT.format(names=readable))
    return found, shown[found]


async def _text_of(deps: RunDeps, file: AttachedFile) -> str:
    assert deps.file_texts is not None, "a run with files also has a reader for their texts"
    return await deps.file_texts.text_of(file.id)


def _page(name: str, whole: str, first_line: int, count: int) -> str:
    every = whole.split("\n")
    if first_line > len(every):
        raise ModelRetry(text.PAST_END.format(total=len(every)))
    rows: list[str] = []
    room = RESULT_LIMIT - HEAD_ROOM
    for line in every[first_line - 1 : first_line - 1 + count]:
        row = shortened(line)
        room -= len(row) + 10
        if room < 0:
            break
        rows.append(row)
    last = first_line + len(rows) - 1
    more = text.READ_MORE.format(next=last + 1) if last < len(every) else ""
    head = text.READ_HEAD.format(first=first_line, last=last, total=len(every), more=more)
    return f"{head}\n\n{framed(name, first_line, rows)}"


def _found(names: Sequence[str], texts: Sequence[str], words: Sequence[str]) -> str:
    passages, count = search(texts, words, limit=PASSAGES)
    if not passages:
        return text.FOUND_NOTHING.format(words=", ".join(words), names=", ".join(names))
    blocks: list[str] = []
    room = RESULT_LIMIT - HEAD_ROOM
    split = {passage.text: texts[passage.text].split("\n") for passage in passages}
    for passage in passages:
        block = _block(names[passage.text], split[passage.text], passage, words)
        room -= len(block) + 2
        if room < 0 and blocks:
            break
        blocks.append(block[:RESULT_LIMIT])
    head = text.FOUND_HEAD.format(shown=len(blocks), count=count)
    return "\n\n".join([head, *blocks])


def _block(name: str, lines: Sequence[str], passage: Passage, words: Sequence[str]) -> str:
    first, last = max(0, passage.first - 1), min(len(lines) - 1, passage.last + 1)
    rows = [shortened(line, _position(line, words)) for line in lines[first : last + 1]]
    return framed(name, first + 1, rows)


def _position(line: str, words: Sequence[str]) -> int:
    found = [line.lower().find(word.lower()[:4]) for word in words] if len(line) > 1000 else []
    return min((at for at in found if at >= 0), default=0)
