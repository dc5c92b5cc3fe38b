"""Agents as people meet them: which there are, what is said of each, how one begins."""

from collections import Counter
from collections.abc import Iterable, Sequence

from agenticos_app.contracts.audit import Action, Target
from agenticos_app.contracts.spec import AgentSpec
from agenticos_app.db.work import Tx
from agenticos_app.errors import Conflict
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, UserId, new_id
from agenticos_app.kernel.paging import PAGE_SIZE, Page, cursor_of
from agenticos_app.kernel.text import slug_of, storable
from agenticos_app.models import Agent
from agenticos_app.repos import accounts
from agenticos_app.repos import agents as repo
from agenticos_app.schemas.agents import (
    AgentCard,
    AgentChange,
    AgentCreate,
    AgentLabels,
    AgentRow,
    How,
    LabelCount,
)
from agenticos_app.security.access import AGENT
from agenticos_app.security.permissions import Permission
from agenticos_app.services import access, agent_cards, audit, models, sharing, templates
from agenticos_app.services.agent_access import EDIT, VIEW, held
from agenticos_app.services.paging import after_cursor

MOST = 500
"""Agents of one organization that are not archived."""
ROOM_WIDE = frozenset({"all", "channel", "everyone", "here"})
"""Mentions of everybody in a room, which no agent may be called by."""


async def list_agents(tx: Tx, *, published: bool = False) -> list[AgentRow]:
    """Return the agents that the actor may see, by name; with `published` those with a live version."""
    rows = await repo.list_visible(tx, await access.visible(tx, AGENT), published=published)
    runnable = await access.allowed(tx, AGENT, rows, Permission.AGENTS_RUN)
    return [_row(agent, may_run=agent.id in runnable) for agent in rows]


def _row(agent: Agent, *, may_run: bool) -> AgentRow:
    return AgentRow(
        id=agent.id,
        name=agent.name,
        description=agent.description,
        live_version=agent.live_version,
        may_run=may_run,
        changed_at=agent.changed_at,
    )


async def list_cards(
    tx: Tx,
    *,
    search: str = "",
    status: str = "",
    shared: bool = False,
    mine: bool = False,
    categories: Sequence[str] = (),
    tags: Sequence[str] = (),
    cursor: str = "",
    limit: int = PAGE_SIZE,
) -> Page[AgentCard]:
    """Return a page of the catalogue, the agents changed last first.

    `status` is draft, published or archived; without one all but the archived ones. `shared`: only what was
    given to the actor by a grant; `mine`: only what the actor owns. An agent has one of the `categories` and
    one of the `tags`, where any are given.

    Raises:
        InvalidInput: The cursor is not one of ours.
    """
    filters = repo.Filters(
        text=storable(search.strip()),
        status=status,
        owner_user_id=tx.actor.person if mine else None,
        granted_to=tx.actor.person if shared else None,
        categories=[_label(one) for one in categories],
        tags=[_label(one) for one in tags],
    )
    found = await repo.page(
        tx, await access.visible(tx, AGENT), filters, after=after_cursor(cursor), limit=limit + 1
    )
    last = found[limit - 1].agent if len(found) > limit else None
    return Page(
        rows=await agent_cards.cards(tx, found[:limit]),
        next_cursor=cursor_of(last.changed_at, last.id) if last else "",
    )


async def get_agent(tx: Tx, agent_id: AgentId) -> AgentCard:
    """Return one agent.

    Raises:
        NotFound: Not in the organization, or not visible to the actor.
    """
    found = await repo.listed(tx, agent_id)
    await access.require(tx, AGENT, found.agent if found else None, VIEW)
    assert found is not None
    return (await agent_cards.cards(tx, [found]))[0]


async def labels(tx: Tx) -> AgentLabels:
    """Return the labels of the agents that the actor may see, most used first."""
    found = await repo.labels(tx, await access.visible(tx, AGENT))
    return AgentLabels(
        categories=_counted(label for categories, _ in found for label in categories),
        tags=_counted(label for _, tags in found for label in tags),
    )


def _counted(found: Iterable[str]) -> list[LabelCount]:
    return [LabelCount(label=label, agents=number) for label, number in Counter(found).most_common()]


def may_create(tx: Tx) -> bool:
    """Tell whether the actor may make agents."""
    return tx.actor.may(EDIT)


async def create(tx: Tx, body: AgentCreate) -> AgentCard:
    """Make a draft agent of the actor. It begins as its template, with the model suggested for new ones.

    Raises:
        Forbidden: Without `agents:edit`.
        NotFound: There is no such template, or no such member.
        Conflict: The handle is taken (`reason="slug_taken"`, `slug`), or there are too many
            (`reason="agents_full"`).
    """
    tx.actor.require(EDIT)
    spec = templates.get(body.template).spec.model_copy(
        update={"model_profile_id": await models.suggested(tx)}
    )
    agent = await begin(
        tx, name=body.name, description=body.description, visibility=body.visibility, spec=spec, how="created"
    )
    for user_id in body.user_ids:
        await sharing.share(tx, AGENT, agent.id, UserId(user_id), "use")
    return await get_agent(tx, AgentId(agent.id))


async def begin(
    tx: Tx,
    *,
    name: str,
    description: str,
    visibility: str,
    spec: AgentSpec,
    how: How,
    action: Action = Action.AGENT_CREATED,
) -> Agent:
    """Add a draft agent of the actor.

    Raises:
        Conflict: As `create`.
    """
    await require_room(tx)
    slug = handle_of(name)
    if await repo.by_slug(tx, slug) is not None:
        raise Conflict(reason="slug_taken", slug=slug)
    at = now()
    agent = Agent(
        id=new_id(),
        organization_id=tx.actor.organization_id,
        name=storable(name),
        slug=slug,
        description=storable(description),
        owner_user_id=tx.actor.person,
        visibility=visibility,
        draft=spec.model_dump(mode="json"),
        draft_how=how,
        draft_by_user_id=tx.actor.person,
        draft_changed_at=at,
        changed_at=at,
    )
    tx.add(agent)
    await tx.flush()
    await audit.record(tx, action, Target(AGENT.name, agent.id), {"visibility": visibility})
    return agent


async def require_room(tx: Tx) -> None:
    """Refuse another agent in use.

    Raises:
        Conflict: There are too many (`reason="agents_full"`).
    """
    if await repo.count(tx) >= MOST:
        raise Conflict(reason="agents_full")


async def is_ownerless(tx: Tx, agent: Agent) -> bool:
    """Tell whether nobody of the organization owns the agent."""
    return agent.owner_user_id is None or await accounts.membership(tx, agent.owner_user_id) is None


def handle_of(name: str) -> str:
    """Return the handle that an agent of this name gets, at most 64 characters."""
    slug = slug_of(name) or f"agent-{new_id().hex[-6:]}"
    return f"{slug}-agent" if slug in ROOM_WIDE else slug


async def change(tx: Tx, agent_id: AgentId, body: AgentChange) -> AgentCard:
    """Change name, description, labels or visibility; only the fields that were sent. The handle stays.

    Raises:
        NotFound: There is none, or the actor may not see it.
        Forbidden: The actor may see it but not change it.
    """
    agent = await held(tx, agent_id, EDIT, lock=True)
    if body.name is not None:
        agent.name = storable(body.name)
    if body.description is not None:
        agent.description = storable(body.description)
    if body.categories is not None:
        agent.categories = _labels(body.categories)
    if body.tags is not None:
        agent.tags = _labels(body.tags)
    if body.visibility is not None:
        await sharing.show_to(tx, AGENT, agent, body.visibility)
    agent.changed_at = now()
    await tx.flush()
    return await get_agent(tx, agent_id)


def _label(text: str) -> str:
    """Return a label as it is stored: small letters, single spaces."""
    return storable(" ".join(text.lower().split()))


def _labels(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(_label(text) for text in texts))
