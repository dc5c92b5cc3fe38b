"""How text from outside enters a prompt: named, numbered, and unable to end its own frame."""

import re
from collections.abc import Sequence

from agenticos_app.contracts.capability import AttachedFile
from agenticos_app.kernel.text import clipped
from capabilities.attachments import text

LISTED_FILES = 50
LINE_LIMIT = 2_000
OWN_MARKER = re.compile(r"<(?=\s*/?\s*attached_text)", re.IGNORECASE)
HARMLESS = "\u2039"
"""Looks like `<` and is none."""
UNSAFE_IN_NAME = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\"<>\[\]]+")


def shown_names(files: Sequence[AttachedFile]) -> dict[str, AttachedFile]:
    """Return the files under the names that a model gets to see: harmless, and told apart when equal."""
    named: dict[str, AttachedFile] = {}
    for file in files:
        base = clipped(UNSAFE_IN_NAME.sub("_", file.name), 120) or "file"
        name, number = base, 1
        while name in named:
            number += 1
            name = f"{base} ({number})"
        named[name] = file
    return named


def briefing(files: Sequence[AttachedFile]) -> str:
    """Return what the instructions say about the attached files."""
    if not files:
        return text.BRIEFING_NONE
    lines = [text.BRIEFING]
    for name, file in list(shown_names(files).items())[:LISTED_FILES]:
        form = text.BRIEFING_LINE if file.lines else text.BRIEFING_LINE_NO_TEXT
        lines.append(form.format(name=name, size=_size(file.size_bytes), lines=file.lines))
    if len(files) > LISTED_FILES:
        lines.append(text.BRIEFING_MORE.format(count=len(files) - LISTED_FILES))
    lines.append(text.BRIEFING_END if any(file.lines for file in files) else text.BRIEFING_NONE)
    return "\n".join(lines)


def framed(name: str, first_line: int, lines: Sequence[str]) -> str:
    """Return numbered lines between the markers."""
    rows = [f"{number}: {OWN_MARKER.sub(HARMLESS, line)}" for number, line in enumerate(lines, first_line)]
    head = f'<attached_text file="{name}" lines="{first_line}-{first_line + len(lines) - 1}">'
    return "\n".join([head, *rows, "</attached_text>"])


def shortened(line: str, around: int = 0) -> str:
    """Return the line, or the part of a very long one that surrounds a position."""
    line = line.rstrip("\r")
    if len(line) <= LINE_LIMIT:
        return line
    start = max(0, min(around - LINE_LIMIT // 2, len(line) - LINE_LIMIT))
    end = start + LINE_LIMIT
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _size(size_bytes: int) -> str:
    if size_bytes < 1_000_000:
        return f"{max(1, round(size_bytes / 1000))} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"
