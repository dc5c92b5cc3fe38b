"""The Toolbox knows capabilities from the registry's answer alone."""

import ast
import re
from pathlib import Path

import pytest

from agenticos_app.wiring import CAPABILITIES

ROOT = Path(__file__).parents[2]
DRAWN = (
    "assets/toolbox.jsx",
    "agenticos_app/schemas/toolbox.py",
    "agenticos_app/services/bindings.py",
    "agenticos_app/services/setting_forms.py",
    "agenticos_app/services/toolbox.py",
    "state/toolbox.py",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "components" / "toolbox").glob("*.py"))),
)


def _texts(path: Path) -> set[str]:
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return set(re.findall(r"""["'`]([^"'`]*)["'`]""", source))
    return {
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.req("CAP-REG-06")
@pytest.mark.parametrize("path", DRAWN)
def test_no_capability_tool_or_setting_is_named(path: str) -> None:
    """A name in the interface is a capability that looks right and every other one that does not."""
    named = set(CAPABILITIES)
    for one in CAPABILITIES.values():
        named |= {tool.id for tool in one.tools} | set(one.config.model_fields) | {one.icon}
    named -= {"timezone"}  # also a format of JSON Schema fields
    assert named & _texts(ROOT / path) == set()
