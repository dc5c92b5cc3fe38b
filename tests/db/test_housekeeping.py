"""What nobody needs any more is deleted, once in the deployment, and nothing else."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import update
from sqlmodel import col

from agenticos_app.db.work import SystemTx
from agenticos_app.errors import NotFound
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, new_id
from agenticos_app.models import File, Session, SetupLink
from agenticos_app.models.base import Row
from agenticos_app.repos import locks
from agenticos_app.schemas.runs import Ask
from agenticos_app.services import deployment, files, housekeeping, runs
from agenticos_app.services.work import system_work
from tests.world import House, acting_as, actor_of, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply")


async def older(tx: SystemTx, kind: type[Row], row_id: UUID, column: str, **by: int) -> None:
    """Make a time of a row lie further back."""
    await tx.session.execute(
        update(kind).where(col(kind.id) == row_id).values({column: now() - timedelta(**by)})
    )


async def is_there(kind: type[Row], row_id: UUID) -> bool:
    async with system_work() as tx:
        return await tx.session.get(kind, row_id) is not None


async def upload(house: House, *, hours: int) -> UUID:
    actor = await actor_of(house.owner)
    row = await files.take_in(actor, name="plan.txt", body=b"the plan")
    async with system_work() as tx:
        await older(tx, File, row.id, "created_at", hours=hours)
    return row.id


async def test_uploads_that_were_not_sent_go_after_a_day_with_their_bytes(house: House) -> None:
    old, fresh, sent = (
        await upload(house, hours=25),
        await upload(house, hours=23),
        await upload(house, hours=25),
    )
    async with acting_as(house.owner) as tx:
        run = await runs.start(tx, AgentId(house.agent_id), Ask(prompt="Read it", file_ids=[sent]))
        await runs.stop(tx, runs.RunId(run.run_id))
    swept = await housekeeping.sweep()
    assert swept is not None
    assert swept.files >= 1
    assert [await is_there(File, one) for one in (old, fresh, sent)] == [False, True, True]
    storage = deployment.current().storage
    with pytest.raises(NotFound):
        await storage.read(files.storage_key(house.id, old))
    for kept in (fresh, sent):
        assert await storage.read(files.storage_key(house.id, kept)) == b"the plan"


async def test_sessions_that_are_over_and_old_links_go(house: House) -> None:
    over = UUID(hex=house.people["viewer"].cookie.partition(".")[0])
    used = UUID(hex=house.owner.cookie.partition(".")[0])
    links = {days: new_id() for days in (6, 8)}
    async with system_work() as tx:
        await older(tx, Session, over, "last_used_at", days=8)
        tx.add(*[SetupLink(id=one, token_hash=one.bytes) for one in links.values()])
        await tx.flush()
        for days, one in links.items():
            await older(tx, SetupLink, one, "created_at", days=days)
    swept = await housekeeping.sweep()
    assert swept is not None
    assert swept.sessions >= 1
    assert swept.setup_links >= 1
    assert [await is_there(Session, one) for one in (over, used)] == [False, True]
    assert [await is_there(SetupLink, one) for one in links.values()] == [True, False]


async def test_one_process_sweeps_at_a_time(house: House) -> None:
    async with system_work() as tx:
        assert await locks.only_sweeper(tx)
        assert await housekeeping.sweep() is None
    assert await housekeeping.sweep() is not None
