"""Money: reserved before a request, settled after it, never over a cap."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from agenticos_app.contracts.money import BudgetExceeded, Cap, Estimate
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, OrganizationId, RunId, new_id
from agenticos_app.models import Organization, Reservation, Run, RunRequest, Spending
from agenticos_app.security.actor import Actor, Surface, nobody
from agenticos_app.services import housekeeping, ledger
from agenticos_app.services.ledger import RunLedger, month_of
from agenticos_app.services.work import system_work, work
from tests.world import House

DOLLAR = 1_000_000
CENT = 10_000


@dataclass
class Books:
    """An organization's money."""

    house: House

    @property
    def actor(self) -> Actor:
        return nobody(OrganizationId(self.house.id), Surface.API)

    async def cap(self, micros: int | None) -> None:
        async with system_work() as tx:
            await tx.session.execute(
                update(Organization)
                .where(col(Organization.id) == self.house.id)
                .values(monthly_budget_micros=micros)
            )

    async def run(self, *, agent_cap: int | None = None, run_cap: int | None = None) -> "Books.Of":
        run = Run(
            id=new_id(),
            organization_id=self.house.id,
            agent_id=self.house.agent_id,
            surface="api",
            status="running",
            prompt="",
            host_id=new_id(),
            lease_until=now() + timedelta(minutes=5),
            started_at=now(),
        )
        async with system_work() as tx:
            tx.add(run)
        agent_id, run_id = AgentId(self.house.agent_id), RunId(run.id)
        return Books.Of(run_id, RunLedger(self.actor, run_id, agent_id, agent_cap=agent_cap, run_cap=run_cap))

    @dataclass
    class Of:
        """One run's money."""

        run_id: RunId
        ledger: RunLedger

    async def write(self, of: "Books.Of") -> None:
        async with work(self.actor) as tx:
            await of.ledger.write(tx)

    async def month(self, kind: str = "organization", at: datetime | None = None) -> tuple[int, int]:
        """Return what is spent and reserved."""
        query = select(Spending).where(
            col(Spending.organization_id) == self.house.id,
            col(Spending.kind) == kind,
            col(Spending.month) == month_of(at or now()),
        )
        async with system_work() as tx:
            row = (await tx.session.execute(query)).scalar_one_or_none()
        return (row.spent_micros, row.reserved_micros) if row else (0, 0)

    async def lose(self) -> None:
        """Let every reservation of the house expire."""
        async with system_work() as tx:
            await tx.session.execute(
                update(Reservation)
                .where(col(Reservation.organization_id) == self.house.id)
                .values(expires_at=now() - timedelta(seconds=1))
            )


@pytest.fixture
def books(house: House) -> Books:
    return Books(house)


def fixed(micros: int) -> Estimate:
    """A request that costs so much, whatever is answered."""
    return Estimate(prompt=micros, per_million_output=0, longest=1_000, may_shrink=False)


@pytest.mark.req("DOM-BUDGET-05")
async def test_a_request_is_reserved_and_settles_at_what_it_cost(books: Books) -> None:
    await books.cap(DOLLAR)
    run = await books.run(agent_cap=DOLLAR)
    reservation = await run.ledger.reserve(1, fixed(30 * CENT))
    assert await books.month() == await books.month("agent") == (0, 30 * CENT)
    run.ledger.settle(reservation, 12 * CENT)
    await books.write(run)
    assert await books.month() == await books.month("agent") == (12 * CENT, 0)
    await books.write(run)
    assert await books.month() == (12 * CENT, 0), "once"


@pytest.mark.req("DOM-BUDGET-05", "DOM-BUDGET-03")
async def test_parallel_requests_never_go_over_a_cap(books: Books) -> None:
    await books.cap(DOLLAR)
    runs = [await books.run() for _ in range(40)]
    results = await asyncio.gather(
        *(run.ledger.reserve(1, fixed(10 * CENT)) for run in runs), return_exceptions=True
    )
    refused = [result for result in results if isinstance(result, BudgetExceeded)]
    assert len(results) - len(refused) == 10
    assert await books.month() == (0, DOLLAR)
    assert {(refusal.cap, refusal.limit_micros) for refusal in refused} == {("organization", DOLLAR)}


@pytest.mark.req("DOM-BUDGET-01")
@pytest.mark.parametrize(
    ("organization", "agent", "run", "bound"),
    [
        (5 * CENT, None, None, "organization"),
        (DOLLAR, 5 * CENT, None, "agent"),
        (DOLLAR, DOLLAR, 5 * CENT, "run"),
        (DOLLAR, 5 * CENT, 6 * CENT, "agent"),
    ],
)
async def test_the_refusal_names_the_cap_that_bound(
    books: Books, organization: int, agent: int | None, run: int | None, bound: Cap
) -> None:
    await books.cap(organization)
    of = await books.run(agent_cap=agent, run_cap=run)
    with pytest.raises(BudgetExceeded) as refusal:
        await of.ledger.reserve(1, fixed(10 * CENT))
    assert refusal.value.cap == bound
    assert await books.month() == await books.month("agent") == (0, 0), "nothing is kept of a refusal"


@pytest.mark.req("DOM-BUDGET-05")
async def test_a_small_budget_still_serves_a_short_answer(books: Books) -> None:
    await books.cap(10 * CENT)
    wish = Estimate(prompt=2 * CENT, per_million_output=100 * DOLLAR, longest=8_000, may_shrink=True)
    of = await books.run()
    reservation = await of.ledger.reserve(1, wish)
    assert (reservation.micros, reservation.output_limit) == (10 * CENT, 800)
    assert await books.month() == (0, 10 * CENT)
    with pytest.raises(BudgetExceeded):
        await (await books.run()).ledger.reserve(1, wish)


async def test_an_answer_of_a_length_that_was_asked_for_is_not_shortened(books: Books) -> None:
    await books.cap(10 * CENT)
    wish = Estimate(prompt=2 * CENT, per_million_output=100 * DOLLAR, longest=8_000, may_shrink=False)
    with pytest.raises(BudgetExceeded):
        await (await books.run()).ledger.reserve(1, wish)


@pytest.mark.req("DOM-BUDGET-08")
async def test_a_request_without_a_price_needs_a_cap_that_is_not_used_up(books: Books) -> None:
    await books.cap(CENT)
    of = await books.run()
    unknown = await of.ledger.reserve(1, None)
    assert (unknown.micros, await books.month()) == (0, (0, 0))
    of.ledger.settle(await of.ledger.reserve(2, fixed(CENT)), CENT)
    of.ledger.settle(unknown, None)
    await books.write(of)
    assert await books.month() == (CENT, 0)
    with pytest.raises(BudgetExceeded):
        await (await books.run()).ledger.reserve(1, None)


async def test_what_is_free_is_served_when_the_budget_is_used_up(books: Books) -> None:
    await books.cap(0)
    free = Estimate(prompt=0, per_million_output=0, longest=1_000, may_shrink=True)
    assert (await (await books.run()).ledger.reserve(1, free)).micros == 0


@pytest.mark.req("DOM-BUDGET-05")
async def test_a_reservation_that_nobody_keeps_up_is_booked_and_marked_partial(
    books: Books,
) -> None:
    assert ledger.RESERVED_S < 60
    of = await books.run()
    await of.ledger.reserve(1, fixed(7 * CENT))
    await ledger.book_expired()
    assert await books.month() == (0, 7 * CENT), "its time is not over"
    await books.lose()
    await ledger.book_expired()
    await ledger.book_expired()
    assert await books.month() == await books.month("agent") == (7 * CENT, 0)
    async with system_work() as tx:
        run = await tx.session.get(Run, of.run_id)
        requests = (
            await tx.session.execute(select(RunRequest).where(col(RunRequest.run_id) == of.run_id))
        ).scalars()
    assert run is not None
    assert (run.cost_micros, run.cost_is_partial) == (7 * CENT, True)
    assert [(one.cost_micros, one.is_estimated, one.failed) for one in requests] == [
        (7 * CENT, True, "Interrupted")
    ]


async def test_a_late_settlement_corrects_what_was_booked_in_its_place(books: Books) -> None:
    of = await books.run()
    reservation = await of.ledger.reserve(1, fixed(7 * CENT))
    await books.lose()
    await ledger.book_expired()
    of.ledger.settle(reservation, 2 * CENT)
    await books.write(of)
    assert await books.month() == await books.month("agent") == (2 * CENT, 0)


async def test_a_host_keeps_up_what_its_runs_have_reserved(books: Books) -> None:
    of = await books.run()
    await of.ledger.reserve(1, fixed(CENT))
    await books.lose()
    await ledger.keep_up([of.run_id])
    await ledger.book_expired()
    assert await books.month() == (0, CENT)


@pytest.mark.req("DOM-BUDGET-05")
async def test_a_request_is_booked_in_the_month_it_was_sent_in(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, new_year = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    await books.cap(10 * CENT)
    of = await books.run()
    monkeypatch.setattr(ledger, "now", lambda: eve)
    old = await of.ledger.reserve(1, fixed(10 * CENT))
    monkeypatch.setattr(ledger, "now", lambda: new_year)
    of.ledger.settle(await of.ledger.reserve(2, fixed(10 * CENT)), 3 * CENT)
    of.ledger.settle(old, 9 * CENT)
    await books.write(of)
    assert await books.month(at=eve) == (9 * CENT, 0)
    assert await books.month(at=new_year) == (3 * CENT, 0)


async def test_a_failed_write_is_written_the_next_time(books: Books) -> None:
    of = await books.run()
    of.ledger.settle(await of.ledger.reserve(1, fixed(5 * CENT)), CENT)

    async def failing() -> None:
        async with work(books.actor) as tx:
            await of.ledger.write(tx)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await failing()
    assert await books.month() == (0, 5 * CENT)
    await books.write(of)
    assert await books.month() == (CENT, 0)


async def test_a_shorter_answer_leaves_nothing_of_the_longer_one_reserved(books: Books) -> None:
    await books.cap(10 * DOLLAR)
    wish = Estimate(prompt=2 * CENT, per_million_output=100 * DOLLAR, longest=8_000, may_shrink=True)
    of = await books.run(agent_cap=10 * CENT)
    of.ledger.settle(await of.ledger.reserve(1, wish), CENT)
    await books.write(of)
    assert await books.month() == await books.month("agent") == (CENT, 0)


async def test_two_writes_at_once_lose_no_settlement(books: Books) -> None:
    of = await books.run()
    first, second = await of.ledger.reserve(1, fixed(CENT)), await of.ledger.reserve(2, fixed(2 * CENT))
    of.ledger.settle(first, CENT)
    async with work(books.actor) as tx:
        await of.ledger.write(tx)
        of.ledger.settle(second, 2 * CENT)
    await books.write(of)
    assert await books.month() == (3 * CENT, 0)


async def test_what_can_no_longer_be_corrected_is_swept_and_the_books_stay(books: Books) -> None:
    of = await books.run()
    await of.ledger.reserve(1, fixed(CENT))
    await books.lose()
    await ledger.book_expired()
    async with system_work() as tx:
        await tx.session.execute(
            update(Reservation)
            .where(col(Reservation.organization_id) == books.house.id)
            .values(expires_at=now() - ledger.CORRECTABLE - timedelta(minutes=1))
        )
    assert await housekeeping.sweep() is not None
    async with system_work() as tx:
        query = select(Reservation).where(col(Reservation.organization_id) == books.house.id)
        assert (await tx.session.execute(query)).first() is None
    assert await books.month() == (CENT, 0)
