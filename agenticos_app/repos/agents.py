"""Agents, as runs, pickers and the catalogue read them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Select,
    Text,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    tuple_,
)
from sqlalchemy import cast as cast_to
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import QueryableAttribute, aliased, defer
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.models import Agent, AgentVersion, Grant
from agenticos_app.repos.locks import hold_name
from agenticos_app.repos.scope import all_of, first, scoped
from agenticos_app.security.access import AGENT, Everything, Nothing, Visible


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


async def list_visible(tx: Tx, visible: Visible, *, published: bool) -> list[Agent]:
    """Return the agents that the filter lets through, by name, at most 500."""
    query = _filtered(scoped(Agent, tx).where(col(Agent.archived_at).is_(None)), visible)
    if published:
        query = query.where(col(Agent.live_version_id).is_not(None))
    return await all_of(tx, query.order_by(func.lower(col(Agent.name)), col(Agent.id)).limit(500))


def _filtered(query: Any, visible: Visible) -> Any:  # a select of any columns
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """What a list of agents is narrowed to; what is empty or None does not narrow it."""

    text: str = ""
    status: str = ""
    """draft, published or archived; empty: all but archived ones."""
    owner_user_id: UUID | None = None
    granted_to: UUID | None = None
    """Only what was given to this person by a grant."""
    categories: Sequence[str] = ()
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """An agent without its draft, and what its versions say."""

    agent: Agent
    profile_id: str | None
    """The model of the live version, of the draft before the first publish."""
    budget_micros: int | None
    """The monthly cap of the live version."""
    differs: bool
    """The stored draft is not the stored latest version."""
    is_upgraded: bool
    """They are of different formats, so that only reading them tells whether they differ."""


_LIVE, _LATEST = aliased(AgentVersion), aliased(AgentVersion)


async def page(
    tx: Tx, visible: Visible, filters: Filters, *, after: tuple[datetime, UUID] | None, limit: int
) -> list[Listed]:
    """Return agents that the filter lets through, the ones changed last first."""
    query = _narrowed(
        _filtered(_listing().where(col(Agent.organization_id) == tx.actor.organization_id), visible), filters
    )
    if after is not None:
        query = query.where(tuple_(col(Agent.changed_at), col(Agent.id)) < tuple_(*map(literal, after)))
    query = query.order_by(col(Agent.changed_at).desc(), col(Agent.id).desc()).limit(limit)
    return [_listed(row) for row in (await tx.session.execute(query)).all()]


async def listed(tx: Tx, agent_id: UUID) -> Listed | None:
    """Return one agent as lists have it."""
    query = _listing().where(
        col(Agent.organization_id) == tx.actor.organization_id, col(Agent.id) == agent_id
    )
    row = (await tx.session.execute(query)).one_or_none()
    return _listed(row) if row else None


def _listing() -> "Select[Any]":
    is_published = col(_LIVE.id).is_not(None)
    query: Any = (
        select(
            Agent,
            case(
                (is_published, col(_LIVE.spec)["model_profile_id"].astext),
                else_=col(Agent.draft)["model_profile_id"].astext,
            ),
            cast_to(col(_LIVE.spec)["monthly_budget_micros"].astext, BigInteger),
            col(Agent.draft).is_distinct_from(col(_LATEST.spec)),
            col(Agent.draft)["format"].astext != col(_LATEST.spec)["format"].astext,
        )
        .outerjoin(_LIVE, col(_LIVE.id) == col(Agent.live_version_id))
        .outerjoin(
            _LATEST,
            and_(col(_LATEST.agent_id) == col(Agent.id), col(_LATEST.number) == col(Agent.latest_version)),
        )
        .options(defer(cast("QueryableAttribute[object]", Agent.draft), raiseload=True))
    )
    return query


def _listed(row: Any) -> Listed:
    return Listed(row[0], row[1], row[2], bool(row[3]), bool(row[4]))


def _narrowed(query: "Select[Any]", filters: Filters) -> "Select[Any]":
    archived = col(Agent.archived_at).is_not(None)
    query = query.where(archived if filters.status == "archived" else ~archived)
    if filters.status in ("draft", "published"):
        published = col(Agent.live_version_id).is_not(None)
        query = query.where(published if filters.status == "published" else ~published)
    if filters.text:
        sought = [
            col(column).icontains(filters.text, autoescape=True)
            for column in (Agent.name, Agent.slug, Agent.description)
        ]
        query = query.where(or_(*sought))
    if filters.owner_user_id is not None:
        query = query.where(col(Agent.owner_user_id) == filters.owner_user_id)
    if filters.granted_to is not None:
        query = query.where(
            exists().where(
                col(Grant.organization_id) == col(Agent.organization_id),
                col(Grant.resource_type) == AGENT.name,
                col(Grant.resource_id) == col(Agent.id),
                col(Grant.user_id) == filters.granted_to,
            )
        )
    for column, wanted in ((Agent.categories, filters.categories), (Agent.tags, filters.tags)):
        if wanted:
            query = query.where(cast_to(col(column), JSONB).has_any(cast_to(list(wanted), ARRAY(Text))))
    return query


async def labels(tx: Tx, visible: Visible) -> list[tuple[list[str], list[str]]]:
    """Return categories and tags of each agent in use that the filter lets through."""
    query = select(col(Agent.categories), col(Agent.tags)).where(
        col(Agent.organization_id) == tx.actor.organization_id, col(Agent.archived_at).is_(None)
    )
    query = _filtered(query, visible)
    found: Sequence[Any] = (await tx.session.execute(query)).all()
    return [(row[0], row[1]) for row in found]


async def by_slug(tx: Tx, slug: str) -> Agent | None:
    """Return the agent with this handle; nobody else takes the handle until this transaction ends."""
    await hold_name(tx, "agent", slug)
    return await first(tx, scoped(Agent, tx).where(col(Agent.slug) == slug))


async def starter(tx: Tx, slug: str) -> Agent | None:
    """Return the agent that the organization began with, for a change."""
    return await first(tx, scoped(Agent, tx).where(col(Agent.slug) == slug).with_for_update())


async def names_like(tx: Tx, name: str) -> set[str]:
    """Return the names of agents that begin with this one."""
    query = select(col(Agent.name)).where(
        col(Agent.organization_id) == tx.actor.organization_id,
        col(Agent.name).startswith(name, autoescape=True),
    )
    return set((await tx.session.execute(query)).scalars())


async def count(tx: Tx) -> int:
    """Return how many agents are not archived; nobody adds one until this transaction ends."""
    await hold_name(tx, "agents", "")
    query = select(func.count()).where(
        col(Agent.organization_id) == tx.actor.organization_id, col(Agent.archived_at).is_(None)
    )
    return (await tx.session.execute(query)).scalar_one()
