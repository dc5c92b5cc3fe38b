"""The shape of a tool's text is the one that the framework itself builds."""

import pytest
from pydantic_ai.tools import Tool

from agenticos_app.contracts.tool_text import first_sentence, tool_text


def find_boats(harbor: str) -> str:
    """Find the boats in a harbor.

    Use it for boats that are moored now. For those at sea, use something else:
    it knows nothing of them.

    Args:
        harbor: Name of the harbor.

    Returns:
        One boat a line, at most 50; a sentence when there is none.
    """
    return harbor


def without_arguments(text: str) -> str:
    head, _, rest = text.partition("    Args:")
    return head + "    Returns:" + rest.partition("    Returns:")[2]


@pytest.mark.req("CAP-TEXT-05", "CAP-TEXT-06", "CAP-TEXT-08")
def test_a_docstring_gets_the_shape_that_the_framework_gives_it() -> None:
    built = Tool(find_boats, docstring_format="google").description
    assert built is not None
    assert tool_text(without_arguments(find_boats.__doc__ or "")) == built
    assert built.startswith("<summary>Find the boats in a harbor.\n\nUse it")
    assert built.endswith(
        "<description>One boat a line, at most 50; a sentence when there is none.</description>\n</returns>"
    )


@pytest.mark.req("CAP-TEXT-07")
def test_a_text_from_elsewhere_gets_the_same_shape() -> None:
    docstring = without_arguments(find_boats.__doc__ or "")
    summary, _, returns = docstring.partition("    Returns:\n")
    assert tool_text(summary, returns=returns) == tool_text(docstring)
    with pytest.raises(ValueError, match="what comes back"):
        tool_text("Finds boats.")


@pytest.mark.req("CAP-TEXT-01")
def test_the_first_sentence_is_what_the_builder_shows() -> None:
    assert first_sentence(tool_text(find_boats.__doc__ or "", returns="")) == "Find the boats in a harbor."
    wrapped = tool_text("Compute\nsomething: sums, 2.5 times. More.", "A number.")
    assert first_sentence(wrapped) == "Compute something: sums, 2.5 times."
