"""Finds the numbers that a question wants drawn, in English or Polish."""

import re
from collections.abc import Mapping

from integrations.models.practice.arithmetic import NUMBER, number_of
from integrations.models.practice.words import Language, say

ASKS_CHART = re.compile(r"\b(?:chart|graph|plot|diagram\w*|wykres\w*)\b", re.IGNORECASE)
KINDS = (
    ("bar", r"\bbars?\b|\bcolumns?\b|słupk\w*|kolumn\w*"),
    ("pie", r"\bpie\b|kołow\w*"),
    ("area", r"\barea\b|warstwow\w*"),
    ("scatter", r"\bscatter\b|punktow\w*"),
    ("line", r"\blines?\b|liniow\w*"),
)
KIND = re.compile("|".join(words for _, words in KINDS), re.IGNORECASE)
OPENING = re.compile(r"^\W*(?:of|with|for|showing|from|that shows|z|ze|dla|pokazujący)\b\s*", re.IGNORECASE)
BETWEEN = re.compile(r"[,;]\s+|\n|\s+(?:and|oraz|i)\s+", re.IGNORECASE)
ENTRY = re.compile(rf"^(?P<label>[^\d]*?)[\s:=]*(?P<number>-?(?:{NUMBER}))\s*\D{{0,12}}$")
FEWEST = 2
TITLE_CHARACTERS = 80


def chart_in(question: str, language: Language) -> Mapping[str, object] | None:
    """Return the arguments of a chart of the numbers in a question; None when it does not ask for one."""
    asked = ASKS_CHART.search(question)
    if asked is None:
        return None
    rest = OPENING.sub("", KIND.sub("", question[asked.end() :]))
    subject, colon, listed = rest.rpartition(":")
    if not colon or re.search(r"[\d:]", subject):
        subject, listed = "", rest.lstrip(": ")
    entries = [ENTRY.match(piece.strip()) for piece in BETWEEN.split(listed.strip(" .?!"))]
    found = [entry for entry in entries if entry is not None]
    if len(found) < FEWEST or len(found) < len(entries):
        return None
    labels = [entry["label"].strip() for entry in found]
    title = subject.strip()[:TITLE_CHARACTERS] or say(language, "chart.title")
    return {
        "type": next((kind for kind, words in KINDS if re.search(words, question, re.IGNORECASE)), "bar"),
        "title": title[0].upper() + title[1:],
        "x_values": labels if all(labels) else list(range(1, len(found) + 1)),
        "series": [
            {
                "name": say(language, "chart.series"),
                "values": [_value(entry["number"], language) for entry in found],
            }
        ],
    }


def _value(text: str, language: Language) -> float:
    sign = -1 if text.startswith("-") else 1
    return sign * float(number_of(text.lstrip("-"), language))
