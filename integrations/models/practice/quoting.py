"""Takes the quotes out of what the file tools return."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from integrations.models.practice.language import bare, stem_of, words_of

FRAME = re.compile(r'<attached_text file="([^"\n]+)" lines="\d+-\d+">\n(.*?)\n</attached_text>', re.DOTALL)
ROW = re.compile(r"(\d+): ?(.*)")
QUOTES = 4
QUOTED_LINES = 8
QUOTED_CHARS = 900


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive lines of one file."""

    file: str
    first: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self.first + len(self.lines) - 1


def excerpts_in(result: str) -> list[Excerpt]:
    """Return what stands between the markers of a tool's result."""
    excerpts: list[Excerpt] = []
    for name, body in FRAME.findall(result):
        rows = [found for line in body.split("\n") if (found := ROW.fullmatch(line))]
        if rows:
            excerpts.append(Excerpt(name, int(rows[0][1]), tuple(row[2] for row in rows)))
    return excerpts


def best_of(excerpts: Sequence[Excerpt], keywords: Sequence[str]) -> list[Excerpt]:
    """Return the few excerpts worth quoting: those with at least half as many of the words as the best."""
    stems = [stem_of(word) for word in keywords]
    held = [len(_held(" ".join(one.lines), stems)) for one in excerpts]
    enough = max(held, default=0) / 2
    good = [one for one, count in zip(excerpts, held, strict=True) if count >= enough]
    return [_cut(_to_the_point(one, stems)) for one in (good if len(good) > 1 else excerpts[:2])[:QUOTES]]


def beginning(excerpt: Excerpt) -> Excerpt:
    """Return the first paragraphs, whole ones as far as they fit."""
    start = _cut(excerpt)
    blank = max((index for index, line in enumerate(start.lines) if not line.strip()), default=0)
    return (
        Excerpt(start.file, start.first, start.lines[:blank]) if blank >= len(start.lines) // 2 > 0 else start
    )


def _held(text: str, stems: Sequence[str]) -> set[str]:
    words = words_of(bare(text))
    return {stem for stem in stems if any(word.startswith(stem) for word in words)}


def _to_the_point(excerpt: Excerpt, stems: Sequence[str]) -> Excerpt:
    """Drop the paragraphs at both ends that hold none of the words."""
    first, lines = excerpt.first, list(excerpt.lines)
    blanks = [index for index, line in enumerate(lines) if not line.strip()]
    if blanks and not _held(" ".join(lines[blanks[-1] :]), stems):
        lines = lines[: blanks[-1]]
    blanks = [index for index, line in enumerate(lines) if not line.strip()]
    if blanks and not _held(" ".join(lines[: blanks[0]]), stems):
        lines, first = lines[blanks[0] :], first + blanks[0]
    return Excerpt(excerpt.file, first, tuple(lines)) if any(map(str.strip, lines)) else excerpt


def _cut(excerpt: Excerpt) -> Excerpt:
    """Return the excerpt without empty lines around it, and no longer than a quote should be."""
    first, lines = excerpt.first, list(excerpt.lines)
    while lines and not lines[0].strip():
        lines.pop(0)
        first += 1
    kept: list[str] = []
    room = QUOTED_CHARS
    for line in lines[:QUOTED_LINES]:
        if kept and len(line) > room:
            break
        kept.append(line[:room])
        room -= len(line)
    while kept and not kept[-1].strip():
        kept.pop()
    return Excerpt(excerpt.file, first, tuple(kept))


def headings(excerpt: Excerpt, limit: int) -> list[tuple[int, str]]:
    """Return lines that look like headings, with their numbers."""
    found: list[tuple[int, str]] = []
    for index, line in enumerate(excerpt.lines):
        text = line.strip()
        before = excerpt.lines[index - 1].strip() if index else ""
        after = excerpt.lines[index + 1].strip() if index + 1 < len(excerpt.lines) else ""
        if before or not 3 <= len(text) <= 70 or not re.search(r"[^\W\d_]{3}", text):
            continue
        marked = re.match(
            r"#{1,6} |(?:§|art\.|chapter|section|rozdział|\d+[.)]|[IVX]+\.) ", text, re.IGNORECASE
        )
        alone = not after and (text.isupper() or text.istitle()) and not text.endswith((".", ",", ";"))
        if marked or alone or re.fullmatch(r"[=\-~]{3,}", after):
            found.append((excerpt.first + index, text.lstrip("# ")))
    return found[:limit]


def as_markdown(excerpt: Excerpt) -> str:
    """Return a block quote that shows the lines as they are."""
    return "\n".join("> " + literal(line) if line.strip() else ">" for line in excerpt.lines)


def literal(line: str) -> str:
    """Return a line so that Markdown shows it unchanged."""
    text = re.sub(r"([\\`*_<\[~|])", r"\\\1", line.strip())
    text = re.sub(r"^([#>+\-=])", r"\\\1", text)
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)
