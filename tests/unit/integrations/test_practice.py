"""The practice model with the agent's own tools."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from string import Formatter
from typing import cast

import pytest
from pydantic_ai import Agent, AgentRunResult, RunContext, ToolDefinition, ToolDenied
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models import ModelRequestParameters

from agenticos_app.contracts.capability import CodeSandbox, RunDeps
from capabilities import attachments, code_execution
from integrations.models.practice import PracticeModel
from integrations.models.practice.arithmetic import sum_in
from integrations.models.practice.charting import chart_in
from integrations.models.practice.language import keywords_of, language_of
from integrations.models.practice.quoting import literal
from integrations.models.practice.words import WORDS, Language
from integrations.sandbox.monty import MontySandbox
from tests.fakes.run_deps import run_deps

RULES = "\n".join(
    [
        "HOUSE RULES",
        "",
        "1. Quiet",
        "",
        "Guests keep quiet from ten in the evening until seven in the morning.",
        "The penalty for noise is 50 euros.",
        "",
        *["Nothing else happens in this part of the text."] * 40,
        "",
        "2. Deposit",
        "",
        "The deposit is returned within 14 days after departure.",
        "Damage to <furniture> is taken from the deposit, see *annex* 3.",
    ]
)
REGULAMIN = "\n".join(
    [
        "REGULAMIN",
        "",
        *["W tej części nic się nie dzieje."] * 30,
        "Kara umowna za opóźnienie wynosi 100 zł za każdy dzień.",
        *["W tej części też nic się nie dzieje."] * 30,
    ]
)


class Chat:
    """An agent with both capabilities, and what was said so far."""

    def __init__(self, sandbox: CodeSandbox) -> None:
        self.sandbox = sandbox
        self.history: list[ModelMessage] = []
        self.result: AgentRunResult[str] | None = None

        def now_it_is(ctx: RunContext[RunDeps]) -> str:
            return f"Now it is {ctx.deps.started_at:%A}, {ctx.deps.started_at:%Y-%m-%d %H:%M} UTC."

        files = attachments.CAPABILITY.build(attachments.CAPABILITY.config())
        code = code_execution.CAPABILITY.build(code_execution.CAPABILITY.config())
        assert files.toolset
        assert files.instructions
        assert code.toolset
        brief = files.instructions
        self.agent = Agent(
            PracticeModel(),
            deps_type=RunDeps,
            instructions=["Be brief.", now_it_is, lambda ctx: brief(ctx.deps)],
            toolsets=[files.toolset, code.toolset],
            retries=3,
        )

    async def ask(self, question: str, files: dict[str, str] | None = None) -> str:
        deps = run_deps(files, sandbox=self.sandbox)
        self.result = await self.agent.run(question, deps=deps, message_history=self.history)
        self.history = self.result.all_messages()
        return self.result.output

    @property
    def calls(self) -> list[tuple[str, dict[str, object]]]:
        """The calls of the last question."""
        assert self.result is not None
        return [
            (part.tool_name, part.args_as_dict())
            for message in self.result.new_messages()
            for part in message.parts
            if isinstance(part, ToolCallPart)
        ]


@pytest.fixture
async def chat() -> AsyncIterator[Chat]:
    sandbox = MontySandbox()
    yield Chat(sandbox)
    await sandbox.close()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is 17% of 2340?", "= **397.8**"),
        ("Ile to 12*7?", "= **84**"),
        ("17,5% z 1 200", "= **210**"),
        ("Ile to 5 / 2?", "= **2,5**"),
        ("2 do potęgi 64", "2 ^ 64 = **18446744073709551616**"),
        ("what is 2^10", "= **1024**"),
        ("Calculate (3 + 4) * 2 - 1", "= **13**"),
        ("policz 100 : 8", "= **12,5**"),
        ("sum of 1, 2 and 3.5", "= **6.5**"),
        ("Zsumuj 1, 2 i 3", "= **6**"),
        ("1,234 + 1", "= **1235**"),
        ("square root of 144", "= **12**"),
        ("7 razy 8", "= **56**"),
        ("12 x 7", "= **84**"),
    ],
)
async def test_sums_are_computed_with_the_agents_tool(chat: Chat, question: str, answer: str):
    assert answer in await chat.ask(question)
    assert [tool for tool, _ in chat.calls] == ["run_python"]


@pytest.mark.parametrize(
    "question",
    [
        "What is 3 apples?",
        "2026-11-30",
        "Version 1.2.3 of 4",
        "",
        "pages 3-4 of chapter 2?",
        "5",
        "1 +",
        "((((",
    ],
)
def test_what_is_no_sum_is_not_computed(question: str):
    found = sum_in(question, Language.ENGLISH)
    assert found is None or not found.is_asked_for


async def test_a_sum_that_fails_is_reported_in_plain_words(chat: Chat):
    assert "ZeroDivisionError: division by zero" in await chat.ask("1 / 0")
    assert "Użyłem narzędzia `run_python`, ale się nie udało" in await chat.ask("Ile to 9^9^9?")
    assert len(chat.calls) == 1


async def test_a_question_about_a_file_is_answered_with_quotes_and_their_place(chat: Chat):
    answer = await chat.ask("What is the penalty for noise?", {"rules.txt": RULES})
    assert chat.calls == [("search_attachment", {"query": "penalty noise kara"})]
    assert "`rules.txt`, lines 5-6:" in answer
    assert "> The penalty for noise is 50 euros." in answer
    assert "practice model" in answer


async def test_a_polish_question_is_answered_in_polish(chat: Chat):
    answer = await chat.ask("Jaka jest kara za opóźnienie?", {"regulamin.txt": REGULAMIN})
    assert "`regulamin.txt`, wiersz" in answer
    assert "> Kara umowna za opóźnienie wynosi 100 zł za każdy dzień." in answer
    assert "modelem ćwiczebnym" in answer


async def test_a_polish_question_finds_an_english_text_by_the_glossary(chat: Chat):
    answer = await chat.ask("Co jest o karze?", {"rules.txt": RULES})
    assert "> The penalty for noise is 50 euros." in answer


@pytest.fixture
def licence() -> str:
    """A text of some length; Debian ships it, and elsewhere the house rules stand in many times."""
    debian = Path("/usr/share/common-licenses/GPL-3")
    return debian.read_text() if debian.exists() else RULES * 30


async def test_a_long_text_is_quoted_word_for_word(chat: Chat, licence: str):
    lines = licence.split("\n")
    answer = await chat.ask("What does it say about the warranty or the deposit?", {"text.txt": licence})
    quoted = [line.removeprefix("> ") for line in answer.split("\n") if line.startswith("> ")]
    assert len(quoted) > 3
    assert set(quoted) <= {literal(line) for line in lines}


async def test_markup_in_a_quote_is_shown_and_not_obeyed(chat: Chat):
    answer = await chat.ask("Who pays for damage to furniture?", {"rules.txt": RULES})
    assert r"> Damage to \<furniture> is taken from the deposit, see \*annex\* 3." in answer


async def test_nothing_found_says_what_was_searched(chat: Chat):
    answer = await chat.ask("Are unicorns allowed?", {"rules.txt": RULES, "b.txt": "text"})
    assert "I searched `rules.txt`, `b.txt` for *unicorns*, *allowed*" in answer
    assert len(chat.calls) == 1


@pytest.mark.parametrize(
    "question", ["Summarize rules.txt", "Streść plik rules.txt", "What is this document about?"]
)
async def test_a_summary_shows_the_beginning_and_the_headings(chat: Chat, question: str):
    answer = await chat.ask(question, {"rules.txt": RULES})
    assert chat.calls == [("read_attachment", {"name": "rules.txt", "first_line": 1, "lines": 200})]
    assert "> HOUSE RULES" in answer
    assert r"3: 1\. Quiet" in answer
    assert r"2\. Deposit" in answer


async def test_a_named_file_is_the_one_that_is_searched(chat: Chat):
    answer = await chat.ask(
        "What does b.txt say about noise?", {"rules.txt": RULES, "b.txt": "No noise, ever."}
    )
    assert chat.calls == [("search_attachment", {"query": "noise", "name": "b.txt"})]
    assert "> No noise, ever." in answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What day is it today?", "Today is Monday, 30 November 2026."),
        ("What's the date?", "Today is Monday, 30 November 2026."),
        ("Jaki dziś jest dzień?", "Dziś jest poniedziałek, 30 listopada 2026."),
        ("Który dzisiaj?", "Dziś jest poniedziałek, 30 listopada 2026."),
        ("Jaka jest dziś data?", "Dziś jest poniedziałek, 30 listopada 2026."),
        ("What time is it?", "It is 14:05 UTC on Monday, 30 November 2026."),
        ("Która jest godzina?", "Jest 14:05 UTC, poniedziałek, 30 listopada 2026."),
    ],
)
@pytest.mark.parametrize("files", [{}, {"rules.txt": RULES}])
async def test_date_and_time_come_from_the_instructions(
    chat: Chat, question: str, answer: str, files: dict[str, str]
):
    assert (await chat.ask(question, files)).startswith(answer)
    assert not chat.calls


async def test_without_the_time_in_the_instructions_it_says_so():
    assert (
        await Agent(PracticeModel()).run("What time is it?")
    ).output == "The agent was not told what time it is."


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Hello!", "not an AI"),
        ("Who are you?", "not an AI"),
        ("Cześć, co umiesz?", "a nie sztuczną inteligencją"),
    ],
)
@pytest.mark.parametrize("files", [{}, {"rules.txt": RULES}])
async def test_otherwise_it_says_what_it_is_and_what_can_be_tried(
    chat: Chat, question: str, said: str, files: dict[str, str]
):
    answer = await chat.ask(question, files)
    assert said in answer
    assert "17%" in answer
    assert ("`rules.txt`" in answer) is bool(files)


async def test_an_agent_without_tools_is_told_so_and_unknown_tools_are_named():
    assert "no tools that I know" in (await Agent(PracticeModel()).run("Hello")).output
    agent = Agent(PracticeModel())

    @agent.tool_plain
    def send_letter(to: str) -> str:  # pyright: ignore[reportUnusedFunction]
        return to

    assert "`send_letter`" in (await agent.run("Hello")).output


async def test_it_goes_on_through_several_turns_and_never_repeats_a_call_in_one(chat: Chat):
    files = {"rules.txt": RULES}
    for question in (
        "What is the penalty for noise?",
        "What is 2+2?",
        "What is the penalty for noise?",
        "And the deposit?",
    ):
        answer = await chat.ask(question, files)
        assert len(chat.calls) == 1
        assert "did not work" not in answer
    assert "**4**" not in answer
    assert "deposit" in answer


async def test_the_language_of_a_bare_sum_follows_the_conversation(chat: Chat):
    await chat.ask("Cześć!")
    assert "**2,5**" in await chat.ask("5/2")


async def test_a_message_that_joins_the_turn_is_answered_too():
    agent = Agent(PracticeModel())

    @agent.tool
    def run_python(ctx: RunContext[None], code: str) -> str:  # pyright: ignore[reportUnusedFunction]
        if "6" in code:
            ctx.enqueue("and 5*5?")
        return "36" if "6" in code else "25"

    result = await agent.run("What is 6*6?")
    assert "**36**" in result.output
    assert "**25**" in result.output
    assert result.usage.tool_calls == 2


async def test_a_stopped_turn_is_not_answered_by_the_next_one(chat: Chat):
    stopped: list[ModelMessage] = [
        ModelRequest.user_text_prompt("What is 6*6?"),
        ModelResponse(parts=[ToolCallPart("run_python", {"code": "print(36)"}, "old")]),
        ModelRequest(parts=[ToolReturnPart("run_python", "36", "old")]),
    ]
    chat.history = stopped
    answer = await chat.ask("What is 2+3?")
    assert "**5**" in answer
    assert "36" not in answer


async def test_a_denied_call_is_reported_and_not_tried_again():
    agent = Agent(PracticeModel(), output_type=str)

    @agent.tool_plain
    def run_python(code: str) -> str:  # pyright: ignore[reportUnusedFunction]
        raise AssertionError(code)

    asked = ToolCallPart("run_python", {"code": sum_code("6*7")}, "c1")
    history: list[ModelMessage] = [
        ModelRequest.user_text_prompt("What is 6*7?"),
        ModelResponse(parts=[asked]),
    ]
    denied = ToolReturnPart("run_python", ToolDenied("Not today.").message, "c1", outcome="denied")
    response = await PracticeModel().request(
        [*history, ModelRequest(parts=[denied])], None, parameters_with("run_python")
    )
    assert isinstance(response.parts[0], TextPart)
    assert "> Not today." in response.parts[0].content


def sum_code(question: str) -> str:
    found = sum_in(question, Language.ENGLISH)
    assert found is not None
    return found.code


def parameters_with(*tools: str) -> ModelRequestParameters:
    return ModelRequestParameters(function_tools=[ToolDefinition(name=name) for name in tools])


async def test_streaming_keeps_the_asked_pace_and_without_one_takes_no_time():
    async def stream(pace_s: float) -> tuple[float, str]:
        started = time.perf_counter()
        text = ""
        async with Agent(PracticeModel(pace_s=pace_s)).run_stream("Hello") as result:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                text += piece
        return time.perf_counter() - started, text

    quick, text = await stream(0)
    slow, same = await stream(0.005)
    assert text == same
    assert slow - quick > 0.005 * len(text.split()) * 0.8


async def test_usage_is_plausible_and_the_same_streamed_or_not():
    agent = Agent(PracticeModel())
    whole = await agent.run("Hello")
    assert whole.usage.output_tokens == pytest.approx(len(whole.output.split()) * 1.3, abs=2)
    async with agent.run_stream("Hello") as result:
        async for _ in result.stream_text():
            pass
    assert result.usage == whole.usage


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What does it say?", Language.ENGLISH),
        ("Co tam jest?", Language.POLISH),
        ("Zażółć", Language.POLISH),
        ("17% * 2340", Language.ENGLISH),
        ("", Language.ENGLISH),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, language: Language):
    assert language_of(text) is language


def test_keywords_leave_out_the_small_words_of_both_languages():
    assert keywords_of("What does the contract say about the notice period?") == [
        "contract",
        "notice",
        "period",
    ]
    assert keywords_of("Co umowa mówi o okresie wypowiedzenia?") == ["umowa", "okresie", "wypowiedzenia"]


def test_both_languages_have_the_same_sentences_with_the_same_values():
    english, polish = WORDS[Language.ENGLISH].phrases, WORDS[Language.POLISH].phrases
    assert english.keys() == polish.keys()
    for key, sentence in english.items():
        assert set(names_in(sentence)) == set(names_in(polish[key])), key


def names_in(sentence: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(sentence) if name]


@pytest.mark.req("CAP-CHART-01")
@pytest.mark.parametrize(
    ("question", "kind", "title", "points", "values"),
    [
        (
            "Draw a bar chart of visitors: Mon 12, Tue 18, Wed 9",
            "bar",
            "Visitors",
            ["Mon", "Tue", "Wed"],
            [12, 18, 9],
        ),
        ("Make a line chart of 3, 5 and 8", "line", "The numbers of your question", [1, 2, 3], [3, 5, 8]),
        ("plot Jan: 3, Feb: -5.5 EUR", "bar", "The numbers of your question", ["Jan", "Feb"], [3, -5.5]),
        ("Narysuj wykres kołowy gości: pon 12, wt 18,5", "pie", "Gości", ["pon", "wt"], [12, 18.5]),
    ],
)
def test_given_numbers_are_drawn(
    question: str, kind: str, title: str, points: list[object], values: list[float]
) -> None:
    chart = chart_in(question, language_of(question))
    assert chart is not None
    assert (chart["type"], chart["title"], chart["x_values"]) == (kind, title, points)
    (series,) = cast("list[dict[str, object]]", chart["series"])
    assert series["values"] == values


@pytest.mark.parametrize(
    "question", ["What does the chart say?", "Draw a chart", "Draw a chart of sales in 2024"]
)
def test_without_numbers_there_is_no_chart(question: str) -> None:
    assert chart_in(question, Language.ENGLISH) is None
