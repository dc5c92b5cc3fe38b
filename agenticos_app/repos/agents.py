"""Agents and versions."""

from collections.abc import Collection
from typing import Any, cast
from uuid import UUID

from sqlalchemy import Select, bindparam, false, func, or_, select
from sqlalchemy.orm import QueryableAttribute, defer
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import Agent, AgentVersion
from agenticos_app.repos.scope import all_of, first, scoped
from agenticos_app.security.access import Everything, Nothing, Visible


async def get(tx: Tx, agent_id: UUID, *, lock: bool = False) -> Agent | None:
    """Return the agent, or None when it is not in the actor's organization."""
    query = scoped(Agent, tx).where(col(Agent.id) == agent_id)
    return await first(tx, query.with_for_update() if lock else query)


# Asked by every run, so built once: putting a statement together costs as much as sending it.
_TO_RUN = (
    select(Agent)
    .where(
        col(Agent.organization_id) == bindparam("for_organization"), col(Agent.id) == bindparam("agent_id")
    )
    .options(defer(cast("QueryableAttribute[object]", Agent.draft), raiseload=True))
)


async def to_run(tx: Tx, agent_id: UUID) -> Agent | None:
    """Return the agent without its draft."""
    wanted = {"for_organization": tx.actor.organization_id, "agent_id": agent_id}
    return (await tx.session.execute(_TO_RUN, wanted)).scalar_one_or_none()


async def version(tx: Tx, version_id: UUID) -> AgentVersion | None:
    """Return a frozen version."""
    return await first(tx, scoped(AgentVersion, tx).where(col(AgentVersion.id) == version_id))


async def list_visible(tx: Tx, visible: Visible, *, published: bool) -> list[Agent]:
    """Return the agents that the filter lets through, by name, at most 500."""
    query = _filtered(scoped(Agent, tx).where(col(Agent.archived_at).is_(None)), visible)
    if published:
        query = query.where(col(Agent.live_version_id).is_not(None))
    return await all_of(tx, query.order_by(func.lower(col(Agent.name)), col(Agent.id)).limit(500))


def _filtered(query: "Select[Agent]", visible: Visible) -> "Select[Agent]":
    if isinstance(visible, Everything):
        return query
    if isinstance(visible, Nothing):
        return query.where(false())
    conditions: list[Any] = []
    if visible.owner_user_id is not None:
        conditions.append(col(Agent.owner_user_id) == visible.owner_user_id)
    if visible.visibilities:
        conditions.append(col(Agent.visibility).in_(visible.visibilities))
    if visible.granted:
        conditions.append(col(Agent.id).in_(visible.granted))
    return query.where(or_(false(), *conditions))


async def names(tx: Tx, agent_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of agents."""
    query = select(col(Agent.id), col(Agent.name)).where(
        col(Agent.organization_id) == tx.actor.organization_id, col(Agent.id).in_(agent_ids)
    )
    return {row[0]: row[1] for row in (await tx.session.execute(query)).all()}
