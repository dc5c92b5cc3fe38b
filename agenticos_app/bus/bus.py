"""The bus of this process."""

from dataclasses import dataclass
from pathlib import Path

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff

from agenticos_app.bus.limits import Limits
from agenticos_app.bus.run_log import FileLog, RedisLog, RunLog
from agenticos_app.bus.signals import Signals


@dataclass(frozen=True, slots=True)
class Bus:
    """Everything that processes share in a hurry."""

    runs: RunLog
    signals: Signals
    limits: Limits
    redis: Redis | None

    async def close(self) -> None:
        """Stop all of it."""
        await self.runs.close()
        await self.signals.close()
        if self.redis is not None:
            await self.redis.aclose()


def open_bus(redis_url: str | None, folder: Path) -> Bus:
    """Connect to Redis, or keep everything in this process with its events under `folder`."""
    redis = _redis(redis_url) if redis_url else None
    signals = Signals(redis)
    signals.start()
    return Bus(
        runs=RedisLog(redis) if redis is not None else FileLog(folder),
        signals=signals,
        limits=Limits(redis),
        redis=redis,
    )


def _redis(url: str) -> Redis:
    pool: BlockingConnectionPool = BlockingConnectionPool.from_url(  # pyright: ignore[reportUnknownMemberType]
        url,
        max_connections=64,
        timeout=5,
        socket_connect_timeout=3,
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=0.2, base=0.02), 3),
    )
    return Redis(connection_pool=pool)


_bus: Bus | None = None


def use(bus: Bus | None) -> None:
    """Make `bus` the one this process uses."""
    global _bus
    _bus = bus


def current() -> Bus:
    """Return the bus in use."""
    assert _bus is not None, "start the platform first"
    return _bus
