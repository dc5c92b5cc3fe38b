"""One request, event or job is one transaction."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import DataError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import SQLModel

from agenticos_app.db.session import current
from agenticos_app.errors import ExternalFailure, InvalidInput, Overloaded
from agenticos_app.security.actor import Actor

log = structlog.get_logger()

AfterCommit = Callable[[], Awaitable[None]]


@dataclass(kw_only=True, slots=True)
class SystemTx:
    """A transaction of the platform itself: sign-in, sweeps, the run host. Queries are in `repos`."""

    session: AsyncSession
    afterwards: list[AfterCommit] = field(default_factory=list[AfterCommit])
    undoing: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def after_commit(self, call: AfterCommit) -> None:
        """Run `call` once the rows of this transaction can be seen by others; never after a rollback."""
        self.afterwards.append(call)

    def on_rollback(self, call: Callable[[], None]) -> None:
        """Run `call` if this transaction comes to nothing."""
        self.undoing.append(call)

    def add(self, *rows: SQLModel) -> None:
        """Insert rows with the next flush."""
        self.session.add_all(rows)

    async def flush(self) -> None:
        """Send what was added and changed to the database, so that its constraints speak up here."""
        await self.session.flush()

    async def delete(self, row: SQLModel) -> None:
        """Delete a row."""
        await self.session.delete(row)
        await self.session.flush()

    def acting_as(self, actor: Actor) -> "Tx":
        """Return the same transaction for an actor."""
        return Tx(session=self.session, afterwards=self.afterwards, undoing=self.undoing, actor=actor)


@dataclass(kw_only=True, slots=True)
class Tx(SystemTx):
    """A transaction and the actor it is for."""

    actor: Actor


DISK_FULL = "53100"


@contextmanager
def _translated() -> Generator[None]:
    """Tell a database that is away, full or busy, and text that it cannot hold, from a mistake of ours."""
    try:
        yield
    except PoolTimeout as error:
        raise Overloaded(retry_after_seconds=2) from error
    except (OperationalError, InterfaceError) as error:
        is_full = getattr(error.orig, "sqlstate", None) == DISK_FULL
        raise ExternalFailure(service="disk" if is_full else "database") from error
    except DataError as error:
        if "NUL" not in str(error.orig):
            raise
        raise InvalidInput({"field": "form", "message": "invalid"}) from error


@asynccontextmanager
async def system_work(*, single: bool = False) -> AsyncGenerator[SystemTx]:
    """Open a transaction without an actor; commit on the way out, roll back on an error.

    A `single` one is for work that writes with one statement: each statement is committed by itself, which
    saves two ways to the database and back.

    Raises:
        ExternalFailure: The database does not answer, or its disk is full.
        Overloaded: No connection became free in time.
    """
    sessions = current().single_sessions if single else current().sessions
    async with sessions() as session:
        tx = SystemTx(session=session)
        try:
            with _translated():
                async with session.begin():
                    yield tx
        except BaseException:
            for undo in tx.undoing:
                undo()
            raise
        if tx.afterwards:  # before the session closes, and even if the caller is cancelled meanwhile
            await asyncio.shield(asyncio.ensure_future(_tell(tx.afterwards)))


async def _tell(calls: Sequence[AfterCommit]) -> None:
    for call in calls:
        await _told(call)


async def _told(call: AfterCommit) -> None:
    """Do what follows a commit. The rows are there whatever becomes of it, so a failure is only logged."""
    try:
        await call()
    except Exception:
        log.exception("work.after_commit_failed")


@asynccontextmanager
async def work(actor: Actor, *, single: bool = False) -> AsyncGenerator[Tx]:
    """Open a transaction for `actor`; `single` as in `system_work`."""
    async with system_work(single=single) as inner:
        yield inner.acting_as(actor)
