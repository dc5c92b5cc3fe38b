"""The one shape in which a model reads what a tool does and what comes back."""

import inspect
import re

_RETURNS = re.compile(r"^Returns:[ \t]*\n", re.MULTILINE)
_SENTENCE = re.compile(r"<summary>(.+?\.)(?:\s|</summary>)", re.DOTALL)


def tool_text(text: str, returns: str = "") -> str:
    """Return a tool's text in the shape that models read.

    Args:
        text: A docstring with a section `Returns:`, or only what stands before it.
        returns: What comes back, for a text without that section.

    Raises:
        ValueError: Nothing says what comes back.
    """
    summary, *section = _RETURNS.split(inspect.cleandoc(text), maxsplit=1)
    description = inspect.cleandoc(section[0]) if section else returns.strip()
    if not description:
        raise ValueError("a tool's text says what comes back")
    return (
        f"<summary>{summary.strip()}</summary>\n"
        f"<returns>\n<description>{description}</description>\n</returns>"
    )


def first_sentence(text: str) -> str:
    """Return what a tool does in one sentence, as it stands beside the box that gates it."""
    found = _SENTENCE.match(text)
    if found is None:
        raise ValueError("not a tool's text")
    return " ".join(found[1].split())
