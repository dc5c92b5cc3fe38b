"""One request is one transaction: seen by all once it is answered, else gone with what it wanted."""

import pytest
from fastapi import APIRouter
from httpx import ASGITransport, AsyncClient
from sqlalchemy import text

from agenticos_app.api.app import build_api
from agenticos_app.api.deps import InTx
from agenticos_app.bus import bus
from agenticos_app.errors import Conflict
from agenticos_app.kernel.ids import AgentId, RunId, new_id
from agenticos_app.schemas.runs import Ask
from agenticos_app.services import hosting, runs, sessions
from agenticos_app.services.work import system_work
from tests.world import House, acting_as, build_house

pytestmark = pytest.mark.usefixtures("console")


@pytest.fixture
async def house() -> House:
    return await build_house("Harbor Supply", roles=())


async def names(house: House) -> list[str]:
    async with system_work() as tx:
        rows = await tx.session.execute(
            text("SELECT name FROM organizations WHERE id = :id"), {"id": house.id}
        )
        return [str(row[0]) for row in rows]


RENAME = text("UPDATE organizations SET name = :name WHERE id = :id")


@pytest.mark.req("DOM-CONFIG-06")
async def test_what_follows_a_transaction_sees_its_rows_and_comes_in_order(house: House) -> None:
    told: list[object] = []

    async def note() -> None:
        told.append(await names(house))

    async with acting_as(house.owner) as tx:
        await tx.session.execute(RENAME, {"name": "Renamed", "id": house.id})
        tx.after_commit(note)

        async def second() -> None:
            told.append("second")

        tx.after_commit(second)
        assert told == []
        assert await names(house) == ["Harbor Supply"]
    assert told == [["Renamed"], "second"]


@pytest.mark.req("DOM-CONFIG-06")
@pytest.mark.parametrize("failure", [Conflict(reason="late"), RuntimeError("bug")])
async def test_after_a_rollback_nothing_is_kept_and_nothing_follows(house: House, failure: Exception) -> None:
    told: list[str] = []

    async def note() -> None:
        told.append("dispatched")

    with pytest.raises(type(failure)):  # noqa: PT012
        async with acting_as(house.owner) as tx:
            await tx.session.execute(RENAME, {"name": "Renamed", "id": house.id})
            tx.after_commit(note)
            raise failure
    assert told == []
    assert await names(house) == ["Harbor Supply"]


class Host:
    """A host with room that notes which runs it was handed."""

    def __init__(self) -> None:
        self.id = hosting.HostId(new_id())
        self.reserved: set[RunId] = set()
        self.begun: list[RunId] = []

    def reserve(self, run_id: RunId) -> bool:
        self.reserved.add(run_id)
        return True

    def release(self, run_id: RunId) -> None:
        self.reserved.discard(run_id)

    def begin(self, run_id: RunId, ready: object = None) -> None:
        self.begun.append(run_id)


@pytest.mark.req("DOM-CONFIG-06")
async def test_a_run_is_handed_to_its_host_after_the_commit_and_never_after_a_rollback(house: House) -> None:
    host = Host()
    hosting.use(host)
    try:
        with pytest.raises(Conflict):  # noqa: PT012
            async with acting_as(house.owner) as tx:
                await runs.start(tx, AgentId(house.agent_id), Ask(prompt="Hello"))
                raise Conflict(reason="late")
        assert (host.begun, host.reserved) == ([], set())
        async with acting_as(house.owner) as tx:
            started = await runs.start(tx, AgentId(house.agent_id), Ask(prompt="Hello"))
            assert host.begun == []
        assert host.begun == [started.run_id]
    finally:
        hosting.use(None)


@pytest.mark.req("DOM-CONFIG-06")
async def test_a_request_is_committed_before_its_answer_and_signals_follow(house: House) -> None:
    """The answer is held up in the transport, and another transaction sees the rows already."""
    api, seen = build_api(), []
    router = APIRouter()

    @router.post("/rename")
    async def rename(tx: InTx) -> str:
        await tx.session.execute(RENAME, {"name": "Renamed", "id": house.id})
        seen.append(await names(house))
        return "done"

    @router.post("/late")
    async def late(tx: InTx) -> str:
        await tx.session.execute(RENAME, {"name": "Never", "id": house.id})
        raise Conflict(reason="late")

    api.router.routes[:0] = router.routes

    async def watched(scope: object, receive: object, send: object) -> None:
        async def held(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                seen.append(await names(house))
            await send(message)  # type: ignore[operator]

        await api(scope, receive, held)  # type: ignore[arg-type]

    cookies = {sessions.COOKIE: house.owner.cookie}
    async with AsyncClient(
        transport=ASGITransport(watched), base_url="http://console.test", cookies=cookies
    ) as client:
        assert (await client.post("/rename")).status_code == 200
        assert (await client.post("/late")).status_code == 409
    assert seen == [["Harbor Supply"], ["Renamed"], ["Renamed"]]


@pytest.mark.req("DOM-CONFIG-06")
async def test_a_session_that_stays_sends_no_signal(house: House) -> None:
    async with bus.current().signals.listen(str(house.owner.cookie.partition(".")[0])) as mailbox:
        with pytest.raises(RuntimeError):  # noqa: PT012
            async with acting_as(house.owner) as tx:
                await sessions.end_all(tx)
                raise RuntimeError
        assert await mailbox.next(0.05) is None
    async with acting_as(house.owner):
        pass
