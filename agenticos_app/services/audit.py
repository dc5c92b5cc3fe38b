"""The audit trail, written in the transaction that acts: what cannot be recorded is undone."""

from agenticos_app.contracts.audit import Action, Details, Target
from agenticos_app.db.work import SystemTx, Tx
from agenticos_app.kernel.ids import new_id
from agenticos_app.models import AuditEntry


async def record(tx: Tx, action: Action, target: Target, details: Details | None = None) -> None:
    """Note what the actor does in their organization, and through which key."""
    through = {"api_key_id": str(tx.actor.api_key_id)} if tx.actor.api_key_id else {}
    await _write(
        tx,
        AuditEntry(
            id=new_id(),
            organization_id=tx.actor.organization_id,
            actor_user_id=tx.actor.person,
            action=action.value,
            target_type=target.type,
            target_id=target.id,
            details={**(details or {}), **through},
            ip_address=tx.actor.ip_address,
        ),
    )


async def record_from_shell(
    tx: SystemTx, action: Action, target: Target, details: Details | None = None
) -> None:
    """Note what a command or sweep does to the deployment; nobody with an account acts."""
    await _write(
        tx,
        AuditEntry(
            id=new_id(),
            action=action.value,
            target_type=target.type,
            target_id=target.id,
            details=dict(details or {}),
        ),
    )


async def _write(tx: SystemTx, entry: AuditEntry) -> None:
    tx.add(entry)
    await tx.flush()
