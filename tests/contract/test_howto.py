"""The how-tos lead to a capability, and to one more tool, that pass every check."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

import capabilities
from agenticos_app import catalogue
from agenticos_app.contracts.capability import AnyCapability
from tests.contract.conformance import CHECKS, Check, passes

HOWTO = Path(__file__).parents[2] / "docs" / "howto"
BLOCK = re.compile(
    r"^\*\*`capabilities/units/(?P<path>[\w./]+)`\*\*(?P<how>[^\n]*):\n\n```\w+\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
BEFORE = re.compile(r", before the line `(?P<line>.+)` and as deep")


def _follow(page: str, folder: Path) -> None:
    """Do what a page says."""
    for block in BLOCK.finditer((HOWTO / page).read_text(encoding="utf-8")):
        path = folder / block["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(_changed(old, block["how"], block["code"]), encoding="utf-8")


def _changed(old: str, how: str, code: str) -> str:
    if named := BEFORE.fullmatch(how):
        line = f"{named['line']}\n"
        assert old.count(line) == 1, line
        return old.replace(line, f"{indent(code, ' ' * (len(line) - len(line.lstrip())))}\n{line}")
    if how == ", added":
        return json.dumps(_merged(json.loads(old), json.loads(code))) if code[0] == "{" else old + code
    assert bool(old) == (how == ", now")
    return code


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **old,
        **{name: _merged(old[name], one) if name in old else one for name, one in new.items()},
    }


PAGES = ("add-a-capability.md", "add-a-tool.md")


@pytest.fixture(params=[PAGES[:1], PAGES], ids=["capability", "tool"])
def built(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[AnyCapability, Path]]:
    folder = tmp_path / "units"
    for page in request.param:
        _follow(page, folder)
    capabilities.__path__.append(str(tmp_path))
    catalogue.CAPABILITIES.append(tmp_path)
    catalogue.texts.cache_clear()
    try:
        yield import_module("capabilities.units").CAPABILITY, folder
    finally:
        catalogue.CAPABILITIES.remove(tmp_path)
        catalogue.texts.cache_clear()
        capabilities.__path__.remove(str(tmp_path))
        for name in [name for name in sys.modules if name.startswith("capabilities.units")]:
            del sys.modules[name]
        del capabilities.units  # type: ignore[attr-defined]


@pytest.mark.req("CAP-EXT-02")
@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.__name__)
async def test_the_example_of_the_page_conforms(built: tuple[AnyCapability, Path], check: Check) -> None:
    await passes(check, *built)


@pytest.mark.req("CAP-EXT-02", "CAP-REG-03")
def test_the_second_page_adds_a_tool_and_nothing_else(
    built: tuple[AnyCapability, Path], request: pytest.FixtureRequest
) -> None:
    wanted = ["convert_length", "list_units"] if "[tool]" in request.node.name else ["convert_length"]
    assert [tool.id for tool in built[0].tools] == wanted
