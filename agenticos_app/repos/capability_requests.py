"""What people ask the owners of agents for."""

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from agenticos_app.db.work import Tx
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import CapabilityRequest, User
from agenticos_app.repos.scope import first, scoped


async def put(tx: Tx, agent_id: UUID, capability_id: str, user_id: UUID, reason: str) -> None:
    """Note that a person asks for a capability, with the latest reason."""
    statement = insert(CapabilityRequest).values(
        id=new_id(),
        created_at=now(),
        organization_id=tx.actor.organization_id,
        agent_id=agent_id,
        capability_id=capability_id,
        user_id=user_id,
        reason=reason,
    )
    await tx.session.execute(
        statement.on_conflict_do_update(
            index_elements=["agent_id", "capability_id", "user_id"], set_={"reason": reason}
        )
    )


async def of_agent(tx: Tx, agent_id: UUID, *, limit: int) -> list[tuple[CapabilityRequest, str]]:
    """Return what is asked for and who asks, the latest first."""
    query = (
        select(CapabilityRequest, col(User.full_name))
        .join(User, col(User.id) == col(CapabilityRequest.user_id))
        .where(
            col(CapabilityRequest.organization_id) == tx.actor.organization_id,
            col(CapabilityRequest.agent_id) == agent_id,
        )
        .order_by(col(CapabilityRequest.created_at).desc(), col(CapabilityRequest.id).desc())
        .limit(limit)
    )
    return [(row[0], row[1]) for row in (await tx.session.execute(query)).all()]


async def get(tx: Tx, agent_id: UUID, request_id: UUID) -> CapabilityRequest | None:
    """Return one request for an agent."""
    query = scoped(CapabilityRequest, tx).where(
        col(CapabilityRequest.id) == request_id, col(CapabilityRequest.agent_id) == agent_id
    )
    return await first(tx, query)
