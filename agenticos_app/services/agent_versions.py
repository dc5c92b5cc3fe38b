"""Published versions of an agent: listed, read, deleted."""

from collections.abc import Sequence

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.spec import read_spec
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict, NotFound
from agenticos_app.kernel.ids import AgentId
from agenticos_app.kernel.paging import PAGE_SIZE, Page, cursor_of
from agenticos_app.models import Agent, AgentVersion
from agenticos_app.repos import environments, secrets, versions
from agenticos_app.schemas.agents import VersionDetail, VersionRow
from agenticos_app.security.access import AGENT
from agenticos_app.services import audit
from agenticos_app.services.agent_access import EDIT, VIEW, held
from agenticos_app.services.paging import after_cursor


async def list_versions(
    tx: Tx, agent_id: AgentId, *, cursor: str = "", limit: int = PAGE_SIZE
) -> Page[VersionRow]:
    """Return a page of an agent's versions, the latest first.

    Raises:
        NotFound: There is none, or the actor may not see it.
        InvalidInput: The cursor is not one of ours.
    """
    agent = await held(tx, agent_id, VIEW)
    found = await versions.page(tx, agent.id, after=after_cursor(cursor), limit=limit + 1)
    last = found[limit - 1] if len(found) > limit else None
    return Page(
        rows=await _rows(tx, agent, found[:limit]),
        next_cursor=cursor_of(last.created_at, last.id) if last else "",
    )


async def get_version(tx: Tx, agent_id: AgentId, number: int) -> VersionDetail:
    """Return one version with its spec, in today's format.

    Raises:
        NotFound: There is none, or the actor may not see the agent.
    """
    agent = await held(tx, agent_id, VIEW)
    version = await numbered(tx, agent, number)
    row = await row_of(tx, agent, version)
    return VersionDetail(spec=read_spec(version.spec), **row.model_dump())


async def delete_version(tx: Tx, agent_id: AgentId, number: int) -> None:
    """Delete a version that nothing points to. Its runs stay and forget which version they were.

    Raises:
        NotFound: There is none, or the actor may not see the agent.
        Forbidden: The actor may see the agent but not change it.
        Conflict: It is the latest, or an environment points to it (`reason="version_in_use"`).
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    version = await numbered(tx, agent, number)
    if number == agent.latest_version or await versions.is_pointed_to(tx, version.id):
        raise Conflict(reason="version_in_use", version=number)
    await audit.record(
        tx, Action.AGENT_VERSION_DELETED, Target(AGENT.name, agent.id), {"version": version.number}
    )
    await tx.delete(version)


async def numbered(tx: Tx, agent: Agent, number: int) -> AgentVersion:
    """Return a version of the agent.

    Raises:
        NotFound: There is none.
    """
    version = await versions.by_number(tx, agent.id, number)
    if version is None:
        raise NotFound
    return version


async def row_of(tx: Tx, agent: Agent, version: AgentVersion) -> VersionRow:
    """Return what lists show of a version."""
    return (await _rows(tx, agent, [version]))[0]


async def _rows(tx: Tx, agent: Agent, found: Sequence[AgentVersion]) -> list[VersionRow]:
    pointing = await environments.names_by_version(tx, [version.id for version in found])
    people = {one.published_by_user_id for one in found if one.published_by_user_id is not None}
    names = await secrets.names_of_people(tx, people)
    return [
        VersionRow(
            id=version.id,
            number=version.number,
            note=version.note,
            published_by=names.get(version.published_by_user_id or version.id, ""),
            published_at=version.created_at,
            environments=pointing.get(version.id, []),
            is_live=version.id == agent.live_version_id,
            is_latest=version.number == agent.latest_version,
        )
        for version in found
    ]
