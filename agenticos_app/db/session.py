"""The engine and its sessions."""

from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker, create_async_engine

CONNECT_TIMEOUT_S = 5
POOL_WAIT_S = 10
STATEMENT_TIMEOUT_S = 30


class Database:
    """One engine for the process. Started and stopped by the composition root."""

    def __init__(self, url: str, *, connections: int) -> None:
        options = f"-c statement_timeout={STATEMENT_TIMEOUT_S}s -c idle_in_transaction_session_timeout=60s"
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=connections,
            max_overflow=0,
            pool_timeout=POOL_WAIT_S,
            pool_recycle=1800,
            hide_parameters=True,  # else a failed statement takes its values into the log
            connect_args={"connect_timeout": CONNECT_TIMEOUT_S, "options": options},
        )
        self.sessions = async_sessionmaker(self.engine, expire_on_commit=False, autoflush=False)
        each_alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self.single_sessions = async_sessionmaker(each_alone, expire_on_commit=False, autoflush=False)
        """Each statement is a transaction of its own: one way to the database and back instead of three."""

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()


_database: Database | None = None


def use(database: Database | None) -> None:
    """Make `database` the one this process uses."""
    global _database
    _database = database


def current() -> Database:
    """Return the database in use."""
    assert _database is not None, "start the platform first"
    return _database
