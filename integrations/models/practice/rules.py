"""The rules: from the state of a turn to the next call, or to the answer."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from agenticos_app.contracts.built_in import BUILT_IN, SUGGEST
from integrations.models.practice.arithmetic import Sum, sum_in
from integrations.models.practice.charting import chart_in
from integrations.models.practice.glossary import translations_of
from integrations.models.practice.language import keywords_of
from integrations.models.practice.quoting import (
    Excerpt,
    as_markdown,
    beginning,
    best_of,
    excerpts_in,
    headings,
    literal,
)
from integrations.models.practice.turn import FILES_CAN_COME, Call, Done, Turn
from integrations.models.practice.words import WORDS, Language, say

RUN, SEARCH, READ, CHART = "run_python", "search_attachment", "read_attachment", "create_chart"
NO_ABILITIES = {RUN, SEARCH, READ, CHART, *(tool.id for tool in BUILT_IN)}
"""Tools that are not offered by their names: they have a line of their own, or are no ability."""

READ_LINES = 200
HEADINGS = 8
REPORTED_CHARS = 400
NOW = re.compile(r"Now it is \w+, (\d{4}-\d{2}-\d{2} \d{2}:\d{2}) ([\w/+-]+)\.")
ASKS_TIME = re.compile(
    r"what(?: is|'s)?(?: the)? (?:current )?time(?: is it)?(?: now)?\W*$|what time|current time"
    r"|która (?:jest )?(?:teraz )?godzina|która (?:to |jest )?teraz",
    re.IGNORECASE,
)
ASKS_DATE = re.compile(
    r"what (?:day|date) is (?:it|today)|what(?: is|'s) (?:today|the date(?: today)?\W*$|today's)"
    r"|today's date|current date"
    r"|który (?:jest )?(?:dziś|dzisiaj)\W*$|który (?:dziś )?mamy (?:dziś|dzisiaj)"
    r"|(?:jaki|który)\s+(?:(?:dziś|dzisiaj|mamy|jest|to)\s+)+dzień"
    r"|(?:jaki|który) (?:jest )?dzień (?:dziś|dzisiaj|mamy|tygodnia)"
    r"|jaka (?:jest )?(?:(?:dziś|dzisiaj|dzisiejsza|aktualna|bieżąca) )?(?:jest )?data(?: dziś| dzisiaj)?\W*$"
    r"|dzisiejsza data",
    re.IGNORECASE,
)
ASKS_SUMMARY = re.compile(
    r"\b(?:summari[sz]e|summary|outline|overview|tl;?dr|streść|streszcz\w*|streszczenie|podsumuj|podsumowanie)\b"
    r"|what is (?:it|this|that|the (?:file|document|text))\b.{0,30}\babout|o czym jest|o czym mówi",
    re.IGNORECASE,
)
GREETS = re.compile(
    r"^\W*(?:ok|okay|yes|no|tak|nie|super|thanks|great|świetnie|dobrze|jasne|hello|hi|hey"
    r"|good (?:morning|evening|afternoon)|thanks?(?: you)?|help|test|cześć|czesc|hej|witaj|dzień dobry"
    r"|dobry wieczór|dzięki|dziękuję|pomoc)\b[\w\s]{0,20}\W*$"
    r"|who are you|what can you do|what are you|how do you work|kim jesteś|czym jesteś"
    r"|co (?:umiesz|potrafisz|możesz)|jak działasz",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Step:
    """What one question leads to."""

    answer: Callable[[Done | None], str]
    call: Call | None = None


def reply(turn: Turn) -> list[Call] | str:
    """Return the calls to make now, or the answer. No call is ever made twice in a turn."""
    steps = [_step(question, turn) for question in turn.questions] or [_step("", turn)]
    calls = [step.call for step in steps if step.call and step.call not in turn.asked_for]
    if calls:
        return list({repr(call): call for call in calls}.values())
    return "\n\n".join(step.answer(turn.result_of(step.call) if step.call else None) for step in steps)


def _step(question: str, turn: Turn) -> Step:
    language = turn.language
    if drawn := chart_in(question, language):
        if CHART in turn.tools:
            return Step(lambda done: _drawn(language, done), Call(CHART, drawn))
        if SUGGEST.id in turn.tools:
            lacking = {"capability": "charts", "reason": say(language, "lacking.charts")}
            return Step(lambda _: say(language, "lacking"), Call(SUGGEST.id, lacking))
    wanted = sum_in(question, language) if RUN in turn.tools else None
    files = turn.files if SEARCH in turn.tools else []
    if wanted and (wanted.is_asked_for or not files):
        return Step(lambda done: _computed(language, wanted, done), Call(RUN, {"code": wanted.code}))
    if ASKS_TIME.search(question):
        return Step(lambda _: _when(turn, "time"))
    if ASKS_DATE.search(question):
        return Step(lambda _: _when(turn, "date"))
    if GREETS.search(question) or not files:
        return Step(lambda _: _who(turn))
    return _about_files(question, turn, files)


def _about_files(question: str, turn: Turn, files: list[str]) -> Step:
    language = turn.language
    named = next(
        (name for name in sorted(files, key=len, reverse=True) if name.lower() in question.lower()), None
    )
    words = keywords_of(question.lower().replace(named.lower(), " ") if named else question)
    translated = [word for word in translations_of(words) if word not in words]
    if READ in turn.tools and (ASKS_SUMMARY.search(question) or not words):
        name = named or files[0]
        call = Call(READ, {"name": name, "first_line": 1, "lines": READ_LINES})
        count = 1 if named else len(files)
        return Step(lambda done: _begun(language, name, count, done), call)
    if not words:
        return Step(lambda _: _who(turn))
    arguments = {"query": " ".join(words + translated)} | ({"name": named} if named else {})
    searched = [named] if named else files
    return Step(lambda done: _quoted(language, words + translated, searched, done), Call(SEARCH, arguments))


def _failed(language: Language, tool: str, done: Done | None) -> str:
    said = (done.result if done else "").strip().split("\n")[0][:REPORTED_CHARS]
    return f"{say(language, 'failed', tool=tool)}\n\n> {literal(said) or '…'}"


def _computed(language: Language, wanted: Sum, done: Done | None) -> str:
    if done is None or not done.went_well:
        return _failed(language, RUN, done)
    result = done.result.strip().splitlines()[-1] if done.result.strip() else ""
    if language is Language.POLISH and re.fullmatch(r"-?\d+\.\d+", result):
        result = result.replace(".", ",")
    return say(language, "sum", shown=literal(wanted.shown), result=result)


def _drawn(language: Language, done: Done | None) -> str:
    if done is None or not done.went_well:
        return _failed(language, CHART, done)
    return say(language, "chart.drawn")


def _when(turn: Turn, kind: str) -> str:
    language = turn.language
    found = NOW.search(turn.instructions)
    if found is None:
        return say(language, "no_date")
    at = datetime.strptime(f"{found[1]} +0000", "%Y-%m-%d %H:%M %z")
    date = f"{at.day} {WORDS[language].months[at.month - 1]} {at.year}"
    return say(
        language,
        kind,
        weekday=WORDS[language].weekdays[at.weekday()],
        date=date,
        time=f"{at:%H:%M}",
        zone=found[2],
    )


def _who(turn: Turn) -> str:
    language = turn.language
    lines: list[str] = []
    if RUN in turn.tools:
        lines.append(say(language, "try.run_python"))
    if CHART in turn.tools:
        lines.append(say(language, "try.create_chart"))
    if SEARCH in turn.tools and turn.files:
        lines.append(say(language, "try.search", file=_name(turn.files[0])))
    elif SEARCH in turn.tools or FILES_CAN_COME in turn.instructions:
        lines.append(say(language, "try.attach"))
    if NOW.search(turn.instructions):
        lines.append(say(language, "try.date"))
    lines += [say(language, "try.other", tool=tool) for tool in turn.tools if tool not in NO_ABILITIES]
    more = "\n".join([say(language, "try"), "", *lines]) if lines else say(language, "try.nothing")
    return f"{say(language, 'who')}\n\n{more}"


def _quoted(language: Language, words: list[str], files: list[str], done: Done | None) -> str:
    if done is None or not done.went_well:
        return _failed(language, SEARCH, done)
    named = ", ".join(f"*{word}*" for word in words)
    quotes = best_of(excerpts_in(done.result), words)
    if not quotes:
        return say(language, "nothing", words=named, files=", ".join(map(_name, files)))
    blocks = [say(language, "found.one" if len(quotes) == 1 else "found.many", words=named)]
    blocks += [f"{_place(language, quote)}:\n\n{as_markdown(quote)}" for quote in quotes]
    return "\n\n".join([*blocks, say(language, "found.end")])


def _begun(language: Language, name: str, count: int, done: Done | None) -> str:
    if done is None or not done.went_well:
        return _failed(language, READ, done)
    whole = next(iter(excerpts_in(done.result)), None)
    start = beginning(whole) if whole else None
    if whole is None or start is None or not start.lines:
        return say(language, "empty_file", file=_name(name))
    blocks = [
        say(language, "begins", file=_name(name)),
        f"{_place(language, start)}:\n\n{as_markdown(start)}",
    ]
    if found := headings(whole, HEADINGS):
        rows = [say(language, "heading", number=number, text=literal(text)) for number, text in found]
        blocks.append("\n".join([say(language, "headings", first=whole.first, last=whole.last), "", *rows]))
    if count > 1:
        blocks.append(say(language, "which_file", file=_name(name), count=count))
    return "\n\n".join(blocks)


def _place(language: Language, quote: Excerpt) -> str:
    key = "place.one" if quote.first == quote.last else "place.many"
    return say(language, key, file=_name(quote.file), first=quote.first, last=quote.last)


def _name(file: str) -> str:
    return f"`{file}`" if "`" not in file else literal(file)
