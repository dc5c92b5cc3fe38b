"""Words that a person reads come from the catalogue: no component holds one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("components", "agenticos_app/pages")
READ = {
    "placeholder", "aria_label", "title", "alt", "label", "help", "sentence", "text", "description", "lost",
    "keep", "go_on", "close", "reason", "retry", "clear", "copy", "copied", "done", "show", "hide", "nothing",
    "heading", "problem", "aside", "aria-label",
}  # fmt: skip
"""Arguments that are shown or read out."""
DRAWS = {
    "fragment", "create", "button", "link_button", "badge", "status", "chip", "check", "note", "card", "link",
    "menu_item", "menu_link", "menu_label", "menu", "tooltip", "popover", "copy_button", "submit_as",
    "submit", "section", "page", "frame", "bare", "dialog", "confirm_dialog", "panel_dialog", "json_form",
    "saving_form",
}  # fmt: skip
"""Functions outside `rx.el` whose plain arguments are children."""
NAMED_FIRST = {"submit_as"}
"""Those among them whose first argument is a name."""
CHOOSES = {"cond", "match"}
WORD = re.compile(r"[^\W\d_]{2,}")
ADDRESS = re.compile(r"https?://")


def _is_words(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(WORD.search(node.value)) and not ADDRESS.match(node.value)
    if isinstance(node, ast.JoinedStr):
        return any(_is_words(part) for part in node.values if isinstance(part, ast.Constant))
    if isinstance(node, ast.BinOp):
        return _is_words(node.left) or _is_words(node.right)
    if isinstance(node, ast.Tuple):
        return any(_is_words(part) for part in node.elts[1:])
    if isinstance(node, ast.Call) and _name_of(node) in CHOOSES:
        return any(_is_words(part) for part in node.args[1:])
    return False


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _children(call: ast.Call) -> list[ast.expr]:
    name = _name_of(call)
    if "rx.el." not in ast.unparse(call.func) and (
        name not in DRAWS or ast.unparse(call.func).startswith("rx.Var")
    ):
        return []
    return call.args[1:] if name in NAMED_FIRST else call.args


def _read_aloud(call: ast.Call) -> Iterator[ast.expr]:
    for argument in call.keywords:
        if argument.arg in READ:
            yield argument.value
        if argument.arg == "custom_attrs" and isinstance(argument.value, ast.Dict):
            pairs = zip(argument.value.keys, argument.value.values, strict=True)
            yield from (value for key, value in pairs if isinstance(key, ast.Constant) and key.value in READ)


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Return the words in a module that a person would read: line and text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            read = [*_children(node), *_read_aloud(node)]
            yield from ((part.lineno, ast.unparse(part)) for part in read if _is_words(part))


@pytest.mark.req("DOM-UI-28")
def test_no_component_holds_a_text() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in literals(path.read_text(encoding="utf-8"))
    ]
    assert not found, "give these a key in agenticos_app/i18n:\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        'rx.el.p("Hello there")',
        'rx.el.div(rx.el.p(f"Hello {name}"))',
        'rx.el.p("Hello " + name)',
        'rx.el.input(placeholder="Your name")',
        'button(t("a.b"), aria_label="Close")',
        'rx.el.button(custom_attrs={"aria-label": "Close"})',
        'rx.fragment("Hello")',
        'badge("Live", tone="green")',
        'submit_as("check", "Check it")',
        'rx.el.p(rx.cond(x, "Yes", "No"))',
        'rx.el.p(rx.match(x, ("a", "Alpha"), "Other"))',
    ],
)
def test_a_text_in_a_component_is_found(source: str) -> None:
    assert list(literals(source))


@pytest.mark.parametrize(
    "source",
    [
        'rx.el.p(t("a.b"))',
        'rx.el.p(" · ", x)',
        'rx.el.p(class_name=rx.cond(x, "row", "col"))',
        'icon("search")',
        'rx.el.input(placeholder="https://example.com/v1")',
        'rx.el.p(rx.match(x, ("alpha", t("a.b")), t("a.c")))',
    ],
)
def test_what_is_no_text_is_left_alone(source: str) -> None:
    assert not list(literals(source))
