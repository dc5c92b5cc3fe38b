"""What nobody needs any more: sessions that are over, unsent uploads, old set-up links and reservations."""

from dataclasses import dataclass
from datetime import timedelta

from agenticos_app.kernel.clock import now
from agenticos_app.repos import accounts, ledger, locks
from agenticos_app.repos import conversations as conversation_repo
from agenticos_app.services import files, sessions
from agenticos_app.services.ledger import CORRECTABLE
from agenticos_app.services.work import system_work

UNSENT_HOURS = 24
SETUP_LINK_DAYS = 7
FILES_AT_ONCE = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Swept:
    """How many of each were deleted."""

    sessions: int
    files: int
    setup_links: int


async def sweep() -> Swept | None:
    """Delete what is over, or return None when another process of the deployment is at it."""
    async with system_work() as tx:
        if not await locks.only_sweeper(tx):
            return None
        at = now()
        await ledger.forget_booked(tx, before=at - CORRECTABLE)
        unsent = await conversation_repo.delete_unsent_files(
            tx, before=at - timedelta(hours=UNSENT_HOURS), limit=FILES_AT_ONCE
        )
        files.delete_bytes_later(tx, [files.storage_key(*owner) for owner in unsent])
        return Swept(
            sessions=await sessions.forget_old(tx),
            files=len(unsent),
            setup_links=await accounts.delete_old_setup_links(
                tx, before=at - timedelta(days=SETUP_LINK_DAYS)
            ),
        )
