"""Finds the sum in a question, in English or Polish, and writes it as a program of one line."""

import re
from dataclasses import dataclass

from integrations.models.practice.words import Language

NUMBER = r"\d{1,3}(?:[ \u00a0]\d{3})+(?:[.,]\d+)?|\d[\d.,]*\d|\d"
OPERATORS: tuple[tuple[str, str], ...] = (
    (r"(?<!\w)(?:do potęgi|to the power of|raised to(?: the)?)(?!\w)|\^|\*\*", " ** "),
    (r"(?<!\w)(?:do kwadratu|squared)(?!\w)", " ** 2 "),
    (r"(?<!\w)(?:do sześcianu|cubed)(?!\w)", " ** 3 "),
    (r"(?<!\w)(?:podzielić (?:przez|na)|podzielone (?:przez|na)|dzielone przez|divided by)(?!\w)|÷", " / "),
    (
        r"(?<!\w)(?:pomnożone przez|pomnożyć przez|multiplied by|razy|times)(?!\w)|\u00d7|\u00b7"
        r"|(?<=\d)\s*x\s*(?=\d)",
        " * ",
    ),
    (r"(?<!\w)(?:dodać|plus)(?!\w)", " + "),
    (r"(?<!\w)(?:odjąć|minus)(?!\w)|\u2212|(?<=\d)\s*\u2013\s*(?=\d)", " - "),
)
COLON = re.compile(r"(?<=\d)\s*:\s*(?=\d)")
TRIGGER = re.compile(
    r"\b(calculate|compute|work out|evaluate|how much is|what(?: is|'s)|policz|oblicz|wylicz"
    r"|ile (?:to|jest|wynosi)|sum|add up|suma|sumę|zsumuj|dodaj)\b",
    re.IGNORECASE,
)
STRONG_TRIGGER = re.compile(
    r"\b(calculate|compute|evaluate|policz|oblicz|wylicz|ile to|how much is)\b", re.IGNORECASE
)
PERCENT = re.compile(
    rf"({NUMBER})\s*(?:%|percent|per cent|procent\w*)\s*(?:of|z|ze|od)\s+({NUMBER})", re.IGNORECASE
)
BEFORE_OPERATOR = re.compile(r"[,;]\s*(?=plus|minus|times|razy|[+\-])", re.IGNORECASE)
ROOT = re.compile(rf"(?:square root of|sqrt|pierwiastek(?: kwadratowy)? z)\s*\(?\s*({NUMBER})", re.IGNORECASE)
SERIES = re.compile(
    r"\b(?:sum(?: of)?|add(?: up)?|suma|sumę|zsumuj|dodaj)\b[^\d]*"
    rf"((?:{NUMBER})(?:\s*(?:,|;|and|i|oraz|\+)\s*(?:{NUMBER}))+)",
    re.IGNORECASE,
)
EXPRESSION = re.compile(r"[(\-]*\d[\d\s.,()+*/%\-]*[\d)%]")
OPERATION = re.compile(r"\d\s*\)*\s*(?:\*\*|[+*/\-%])\s*\(*\s*-?\d")
DATE_OR_VERSION = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d+\.\d+\.\d+|\d{1,2}/\d{1,2}/\d{2,4}")


@dataclass(frozen=True, slots=True)
class Sum:
    """Something to compute."""

    shown: str
    """As a person writes it."""
    code: str
    is_asked_for: bool
    """The question is nothing else, or says so in words."""


def sum_in(question: str, language: Language) -> Sum | None:
    """Return what a question asks to compute, or None."""
    found = PERCENT.search(question)
    if found and re.search(r"\d", question.replace(found[0], "", 1)):
        return _expression_in(_with_shares_as_products(question), language)
    if found:
        share, whole = (number_of(text, language) for text in found.groups())
        return _sum(f"{found[1]}% \u00d7 {found[2]}", f"{share} * {whole} / 100", asked=True)
    if found := ROOT.search(question):
        return _sum(f"√{found[1]}", f"{number_of(found[1], language)} ** 0.5", asked=True)
    if found := SERIES.search(question):
        numbers = re.findall(NUMBER, re.sub(r",\s", " ; ", found[1]))
        values = " + ".join(number_of(text, language) for text in numbers)
        return _sum(values, values, asked=True)
    return _expression_in(question, language)


def _with_shares_as_products(question: str) -> str:
    """Return the question with `17% of 2340` as a product, so that it can stand in a longer sum."""
    return BEFORE_OPERATOR.sub(" ", PERCENT.sub(r"(\1 * \2 / 100)", question))


def _sum(shown: str, expression: str, *, asked: bool) -> Sum:
    code = f"value = {expression}\nprint(round(value, 10) if value % 1 else int(value))"
    return Sum(" ".join(shown.replace("**", "^").split()), code, asked)


def _expression_in(question: str, language: Language) -> Sum | None:
    text = COLON.sub(" / ", question) if STRONG_TRIGGER.search(question) else question
    for words, operator in OPERATORS:
        text = re.sub(words, operator, text, flags=re.IGNORECASE)
    found = next((one for one in EXPRESSION.finditer(text) if OPERATION.search(one[0])), None)
    if found is None or DATE_OR_VERSION.search(found[0]):
        return None
    body = re.sub(rf"({NUMBER})\s*%(?!\s*\d)", r"(\1 / 100)", found[0].strip())
    expression = re.sub(NUMBER, lambda one: number_of(one[0], language), body)
    if not _is_sound(expression):
        return None
    rest = TRIGGER.sub(" ", text.replace(found[0], " ", 1))
    asked = bool(STRONG_TRIGGER.search(question)) or not re.search(r"\w", rest)
    return _sum(found[0].strip(), expression, asked=asked)


def number_of(text: str, language: Language) -> str:
    """Return a number as Python writes it: `1,234.5`, `1 234,5` and `1.234,5` are the same."""
    digits = re.sub(r"[ \u00a0]", "", text).strip(".,")
    if "," in digits and "." in digits:
        decimal = max(digits.rfind(","), digits.rfind("."))
        digits = re.sub(r"[.,]", "", digits[:decimal]) + "." + digits[decimal + 1 :]
    elif "," in digits:
        grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits) and language is Language.ENGLISH
        digits = digits.replace(",", "" if grouped or digits.count(",") > 1 else ".")
    whole, point, rest = digits.partition(".")
    return (whole.lstrip("0") or "0") + point + rest


def _is_sound(expression: str) -> bool:
    try:
        compile(expression, "sum", "eval")
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False
    return True
