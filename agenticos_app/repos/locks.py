"""Locks that are held to the end of a transaction."""

from sqlalchemy import text

from agenticos_app.db.work import SystemTx, Tx

SWEEPER = 0x41_4F_53_02


async def only_sweeper(tx: SystemTx) -> bool:
    """Tell whether nobody else sweeps now; nobody else will until this transaction ends."""
    query = text("SELECT pg_try_advisory_xact_lock(:key)")
    return bool((await tx.session.execute(query, {"key": SWEEPER})).scalar_one())


async def hold_name(tx: Tx, kind: str, name: str) -> None:
    """Let nobody else of the organization take this name for this kind of thing."""
    await tx.session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:what, 0))"),
        {"what": f"{kind}:{tx.actor.organization_id}:{name}"},
    )
