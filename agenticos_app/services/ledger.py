"""The money of runs: reserved before each request, settled with the run's next write, booked when lost."""

from collections.abc import Collection
from datetime import date, datetime, timedelta
from uuid import UUID

from agenticos_app.contracts.money import LEAST_OUTPUT, BudgetExceeded, Estimate, Reservation
from agenticos_app.db.work import Tx
from agenticos_app.kernel.clock import now
from agenticos_app.kernel.ids import AgentId, OrganizationId, RunId, new_id
from agenticos_app.repos import ledger as repo
from agenticos_app.repos import runs
from agenticos_app.security.actor import Actor, Surface, nobody
from agenticos_app.services.work import system_work, work

RESERVED_S = 40
"""A reservation that its host has not kept up for so long is booked; hosts keep theirs up every 5 seconds."""

TRIES = 3
"""How often a shorter answer is tried while other runs take what was left."""

CORRECTABLE = timedelta(days=1)
"""How long a late settlement can correct what was booked in its place."""


def month_of(at: datetime) -> date:
    """Return the first day of the calendar month, in UTC."""
    return at.date().replace(day=1)


class _Short(Exception):
    """A cap has not enough left."""


class RunLedger:
    """Keeps the money of one run. The runner knows it as a `Ledger`."""

    def __init__(
        self,
        actor: Actor,
        run_id: RunId,
        agent_id: AgentId,
        *,
        agent_cap: int | None = None,
        run_cap: int | None = None,
    ) -> None:
        self._actor = actor
        self._run_id, self._agent_id = run_id, agent_id
        self._agent_cap, self._run_cap = agent_cap, run_cap
        self._used = 0
        """Spent and reserved by this run."""
        self._settled: list[repo.Settled] = []

    async def reserve(self, number: int, estimate: Estimate | None) -> Reservation:
        """Keep money for a request under every cap above it.

        Raises:
            BudgetExceeded: A cap has not enough left, not even for a short answer.
        """
        if estimate is not None and not estimate.of(estimate.longest):
            return Reservation(id="", micros=0, output_limit=None)
        length = estimate.longest if estimate else 0
        caps: list[repo.Left] = []
        for _ in range(TRIES):
            # With one cap the statement keeps all or nothing; with two, what one kept is to be rolled back.
            single = not self._settled and self._agent_cap is None
            try:
                async with work(self._actor, single=single) as tx:
                    await self.write(tx)
                    return await self._kept(tx, number, estimate, length)
            except _Short:
                caps = await self._caps()
            if estimate is None or not estimate.may_shrink:
                break
            length = estimate.affordable(min(cap.left for cap in caps))
            if length < LEAST_OUTPUT:
                break
        bound = min(caps, key=lambda cap: cap.left)
        raise BudgetExceeded(bound.cap, bound.limit)

    async def _kept(self, tx: Tx, number: int, estimate: Estimate | None, length: int) -> Reservation:
        """Reserve for an answer of that length.

        Raises:
            _Short: A cap has not enough left; the transaction is to come to nothing.
        """
        micros = estimate.of(length) if estimate else 0
        needed = micros if estimate else 1
        if self._run_cap is not None and self._used + needed > self._run_cap:
            raise _Short
        at, reservation_id = now(), new_id()
        is_capped = await repo.reserve(
            tx,
            reservation_id,
            run_id=self._run_id,
            agent_id=self._agent_id,
            agent_cap=self._agent_cap,
            number=number,
            month=month_of(at),
            micros=micros,
            needed=needed,
            expires_at=at + timedelta(seconds=RESERVED_S),
        )
        if is_capped is None:
            raise _Short
        self._used += micros
        tx.on_rollback(lambda: self._give_back(micros))
        is_limited = estimate and (is_capped or (self._agent_cap, self._run_cap) != (None, None))
        return Reservation(id=str(reservation_id), micros=micros, output_limit=length if is_limited else None)

    def _give_back(self, micros: int) -> None:
        self._used -= micros

    async def _caps(self) -> list[repo.Left]:
        """Return the caps that there are, the narrowest first."""
        async with work(self._actor) as tx:
            found = await repo.left(
                tx, agent_id=self._agent_id, agent_cap=self._agent_cap, month=month_of(now())
            )
        if self._run_cap is not None:
            found.insert(0, repo.Left(cap="run", limit=self._run_cap, left=self._run_cap - self._used))
        return found

    def settle(self, reservation: Reservation, micros: int | None) -> None:
        """Book what a request cost, with the run's next write; None books nothing, for nobody knows."""
        self._used += (micros or 0) - reservation.micros
        if reservation.id:
            self._settled.append((UUID(reservation.id), micros or 0))

    def written_with(self, tx: Tx) -> list[repo.Settled]:
        """Return what was settled since the last write, which the caller writes in this transaction."""
        settled = self._settled[:]

        async def written() -> None:
            self._settled = [one for one in self._settled if one not in settled]

        if settled:
            tx.after_commit(written)
        return settled

    async def write(self, tx: Tx) -> None:
        """Write what was settled since the last write, in the caller's transaction."""
        if settled := self.written_with(tx):
            await repo.settle(tx, settled)


async def keep_up(run_ids: Collection[RunId]) -> None:
    """Keep what these runs have reserved, for their host lives."""
    async with system_work() as tx:
        await repo.extend(tx, run_ids, until=now() + timedelta(seconds=RESERVED_S))


async def book_expired() -> int:
    """Book the reservations that nobody keeps up any more as spent; return how many.

    Nobody knows whether their requests were served, so the run's cost is marked partial.
    """
    async with system_work() as tx:
        found = await repo.expired(tx, now())
    for lost in found:
        async with work(nobody(OrganizationId(lost.organization_id), Surface.WEB)) as tx:
            if await repo.book(tx, lost.id):
                await runs.add_lost(tx, lost)
    return len(found)
