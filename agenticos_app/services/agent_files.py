"""Specs as YAML files: written for people to read and keep, read without trusting them."""

from collections.abc import Hashable, Mapping
from typing import Any, cast

import yaml
from pydantic import ValidationError

from agenticos_app.contracts.spec import FORMAT, AgentSpec, read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import BadDocument
from agenticos_app.kernel.ids import AgentId
from agenticos_app.schemas.agents import AgentCard, AgentImport, Draft, DraftImport
from agenticos_app.schemas.problems import problems_of
from agenticos_app.services import agents, drafts
from agenticos_app.services.agent_access import EDIT, VIEW, held
from agenticos_app.services.agent_versions import numbered

VERSION = "spec_version"
"""The key under which a file says its format."""


async def export(tx: Tx, agent_id: AgentId, number: int = 0) -> tuple[str, str]:
    """Return a file's name and content: of a version, of the draft for 0.

    It names models and secrets by their ids and holds nothing of them.

    Raises:
        NotFound: There is no such agent or version for the actor.
    """
    agent = await held(tx, agent_id, VIEW)
    stored = (await numbered(tx, agent, number)).spec if number else agent.draft
    ending = f"v{number}" if number else "draft"
    return f"{agent.slug}-{ending}.yaml", written(read_spec(stored))


async def import_draft(tx: Tx, agent_id: AgentId, body: DraftImport) -> Draft:
    """Put the spec of a file in place of the draft.

    Raises:
        NotFound, Forbidden, Conflict: As `drafts.save`.
        BadDocument: The file is not a spec (`field`, `problem`).
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    await drafts.require_revision(tx, agent, body.revision)
    await drafts.replace(tx, agent, read(body.document), "import")
    return await drafts.get_draft(tx, agent_id)


async def import_agent(tx: Tx, body: AgentImport) -> AgentCard:
    """Make a draft agent of a file.

    Raises:
        Forbidden, Conflict: As `agents.create`.
        BadDocument: The file is not a spec (`field`, `problem`).
    """
    tx.actor.require(EDIT)
    agent = await agents.begin(
        tx,
        name=body.name,
        description=body.description,
        visibility=body.visibility,
        spec=read(body.document),
        how="import",
    )
    return await agents.get_agent(tx, AgentId(agent.id))


def written(spec: AgentSpec) -> str:
    """Return a spec as a file: keys in the spec's order, without what is null."""
    fields = spec.model_dump(mode="json", exclude_none=True)
    del fields["format"]
    document = {VERSION: FORMAT, **fields}
    return yaml.dump(document, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=110)


def read(text: str) -> AgentSpec:
    """Return the spec that a file holds.

    Raises:
        BadDocument: It is no YAML, no mapping, of a newer format, or has fields that no spec has. What the
            file says is not repeated.
    """
    document = _mapping(text)
    version = document.pop(VERSION, FORMAT)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadDocument(field=VERSION, problem="invalid")
    if version > FORMAT:
        raise BadDocument(field=VERSION, problem="newer")
    if "format" in document:
        raise BadDocument(field="format", problem="unexpected")
    try:
        spec = read_spec({**document, "format": version})
    except ValidationError as error:
        first = problems_of(error)[0]
        raise BadDocument(field=first["field"], problem=first["message"]) from None
    drafts.document_of(spec)
    return spec


def _mapping(text: str) -> dict[str, object]:
    try:
        found: object = yaml.load(text, Loader=_Reader)  # noqa: S506  # a safe one, and stricter
    except (yaml.YAMLError, ValueError, RecursionError):
        raise BadDocument(field="document", problem="invalid") from None
    if not isinstance(found, dict):
        raise BadDocument(field="document", problem="no_mapping")
    if not _is_plain(cast("object", found)):
        raise BadDocument(field="document", problem="invalid")
    return cast("dict[str, object]", found)


def _is_plain(value: object) -> bool:
    """Tell whether a value is one that JSON knows."""
    if isinstance(value, dict):
        inner = cast("Mapping[object, object]", value)
        return all(isinstance(key, str) and _is_plain(one) for key, one in inner.items())
    if isinstance(value, list):
        return all(_is_plain(one) for one in cast("list[object]", value))
    return value is None or isinstance(value, str | bool | int | float)


class _Reader(yaml.SafeLoader):
    """Reads plain values alone: no aliases, which can unfold to any size, and no key twice."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: object) -> yaml.Node | None:
        """Compose one node.

        Raises:
            YAMLError: An alias, or too many levels.
        """
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType]
            raise yaml.YAMLError("an alias")
        self._depth += 1
        if self._depth > 2 * drafts.DEEPEST:
            raise yaml.YAMLError("too deep")
        node = super().compose_node(parent, index)  # pyright: ignore[reportArgumentType]
        self._depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Construct a mapping.

        Raises:
            YAMLError: It has a key twice.
        """
        found = super().construct_mapping(node, deep=deep)
        if len(found) != len(node.value):
            raise yaml.YAMLError("a key twice")
        return found


# Dates and the like stay the texts that they are in JSON.
_Reader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Writer(yaml.SafeDumper):
    """Writes long texts as blocks that people can read."""

    def ignore_aliases(self, data: object) -> bool:
        """Write what stands in two places twice."""
        return True


def _text(writer: _Writer, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style)  # pyright: ignore[reportUnknownMemberType]


_Writer.add_representer(str, _text)
