"""Keyword search over plain text, without an index: fast enough for the files of one conversation."""

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from capabilities.attachments.folding import WORD_BYTES, folded, folded_bytes

WINDOW_LINES = 6
"""Hits of one passage lie within so many lines; one line more is shown on each side."""
SCANNED_AT_ONCE = 500_000
"""Characters per step, so that a search in a thread lets the event loop breathe."""
HITS_PER_KEYWORD = 4_000
"""Of a word that is everywhere only the first places count; it says little about any of them."""
WEIGHED_LINES = 4_000
KEYWORDS = 12


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines that fit."""

    text: int
    """Index of the text that it is from."""
    first: int
    """Index of its first line."""
    last: int
    score: float


@dataclass(frozen=True, slots=True)
class _Keyword:
    word: str
    stem: str

    @classmethod
    def of(cls, word: str) -> "_Keyword":
        """Cut the ending, which changes with number and case."""
        bare = folded(word)
        if len(bare) < 4 or any(char.isdigit() for char in bare):
            return cls(bare, bare)
        cut = {4: 1, 5: 1}.get(len(bare), 2)
        return cls(bare, bare[: min(12, len(bare) - cut)])

    def fit(self, word: str) -> float:
        """Return how a word that starts with the stem fits: 3 itself, 1 another ending, 0 another word."""
        if word == self.word:
            return 3
        return (
            1.0
            if len(word) - len(self.stem) <= max(2, min(5, len(self.stem) - 1)) and self.stem != self.word
            else 0
        )


def keywords_of(query: str) -> list[str]:
    """Return the different words of a query, in their order."""
    different: dict[str, str] = {}
    for word in re.findall(r"\w+", query):
        if len(word) > 1 or word.isdigit():
            different.setdefault(folded(word), word)
    return list(different.values())[:KEYWORDS]


def search(texts: Sequence[str], words: Sequence[str], *, limit: int) -> tuple[list[Passage], int]:
    """Return the best passages, best first, and how many fit in all.

    A passage is better the more different words it holds, the rarer they are, and the closer their form is.
    """
    keywords = [_Keyword.of(word) for word in words]
    hits = [_hit_lines(text, keywords) for text in texts]
    counts = [
        sum(1 for lines in hits for line in lines.values() if index in line) for index in range(len(keywords))
    ]
    weights = [1 / math.log2(2 + count) for count in counts]
    passages = [passage for index, lines in enumerate(hits) for passage in _passages(index, lines, weights)]
    return heapq.nsmallest(limit, passages, key=lambda one: (-one.score, one.text, one.first)), len(passages)


_Lines = dict[int, dict[int, float]]
"""Index of a line -> index of a keyword -> how well it fits there."""


def _hit_lines(text: str, keywords: Sequence[_Keyword]) -> _Lines:
    lines: _Lines = defaultdict(dict)
    left = [HITS_PER_KEYWORD] * len(keywords)
    line_index = 0
    for start, end in _slices(text):
        part = text[start:end]
        hits = sorted(_latin_hits(part, keywords, left) + _other_hits(part, keywords))
        counted = 0
        for at, index, fit in hits:
            line_index += part.count("\n", counted, at)
            counted = at
            lines[line_index][index] = max(fit, lines[line_index].get(index, 0))
        line_index += part.count("\n", counted)
    return lines


def _slices(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + SCANNED_AT_ONCE) + 1
        if end <= start:
            end = text.find("\n", start + SCANNED_AT_ONCE) + 1 or len(text)
        yield start, end
        start = end


def _latin_hits(part: str, keywords: Sequence[_Keyword], left: list[int]) -> list[tuple[int, int, float]]:
    data = folded_bytes(part)
    hits: list[tuple[int, int, float]] = []
    for index, keyword in enumerate(keywords):
        if not keyword.stem.isascii():
            continue
        stem = keyword.stem.encode()
        at = data.find(stem)
        while at >= 0 and left[index]:
            end = at + len(stem)
            if not at or data[at - 1] not in WORD_BYTES:
                while end < len(data) and data[end] in WORD_BYTES:
                    end += 1
                if fit := keyword.fit(data[at:end].decode()):
                    hits.append((at, index, fit))
                    left[index] -= 1
            at = data.find(stem, end)
    return hits


def _other_hits(part: str, keywords: Sequence[_Keyword]) -> list[tuple[int, int, float]]:
    """Return the hits of words in other scripts, whose case alone is ignored."""
    return [
        (match.start(), index, fit)
        for index, keyword in enumerate(keywords)
        if not keyword.stem.isascii()
        for match in re.finditer(r"\b" + re.escape(keyword.stem) + r"\w*", part, re.IGNORECASE)
        if (fit := keyword.fit(folded(match.group())))
    ]


def _passages(index: int, lines: _Lines, weights: Sequence[float]) -> list[Passage]:
    """Return windows over the lines that do not overlap, the better ones first in taking their lines."""
    numbers = sorted(lines)
    if len(numbers) > WEIGHED_LINES:
        best = heapq.nlargest(WEIGHED_LINES, numbers, key=lambda number: _score([lines[number]], weights))
        numbers = sorted(best)
    windows: list[tuple[float, int, int]] = []
    last = 0
    for first, number in enumerate(numbers):
        last = max(last, first)
        while last + 1 < len(numbers) and numbers[last + 1] < number + WINDOW_LINES:
            last += 1
        inside = [lines[numbers[each]] for each in range(first, last + 1)]
        windows.append((-_score(inside, weights), number, numbers[last]))
    taken: set[int] = set()
    passages: list[Passage] = []
    for score, first, end in sorted(windows):
        if taken.isdisjoint(range(first, end + 1)):
            taken.update(range(first, end + 1))
            passages.append(Passage(index, first, end, -score))
    return passages


def _score(lines: Sequence[dict[int, float]], weights: Sequence[float]) -> float:
    """Different words count most; a repeat adds little, and nearness of the form decides between equals."""
    best: dict[int, float] = {}
    for line in lines:
        for keyword, fit in line.items():
            best[keyword] = max(fit, best.get(keyword, 0))
    repeats = sum(len(line) for line in lines) - len(best)
    spread = 0.001 * len(lines)
    return sum((1 + fit / 2) * weights[keyword] for keyword, fit in best.items()) + 0.02 * repeats - spread
