"""Tools that every agent has, whatever its author switches on."""

from agenticos_app.contracts.capability import ToolInfo
from agenticos_app.contracts.tool_text import tool_text

SUGGEST = ToolInfo(
    id="suggest_capability",
    text=tool_text(
        """
        Show the person that this agent lacks a capability which the question needs.

        Use it only when the person asks for something that your setup lists as not enabled and that you
        cannot do otherwise, once for each capability. Do not use it for what your own tools can do.

        Returns:
            A sentence that says what the person was shown: a card with the capability's name and your reason,
            from which whoever may edit this agent can enable it for later questions. It is not enabled now.
        """
    ),
    subject="capability",
)

BUILT_IN = (SUGGEST,)
