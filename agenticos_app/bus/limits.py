"""Rate limits: counters per caller and minute, in Redis, or in this process while Redis is away."""

import time
from collections import OrderedDict
from dataclasses import dataclass

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from agenticos_app.bus import keys
from agenticos_app.errors import LimitReached

log = structlog.get_logger()

WINDOW_S = 60
KEPT_COUNTERS = 50_000


@dataclass(frozen=True, slots=True)
class Rate:
    """How a caller stands with a limit."""

    limit: int
    """Tries in a window of a minute."""
    remaining: int
    reset_s: int
    """Seconds until the window ends."""


class Limits:
    """Counts and refuses."""

    def __init__(self, redis: Redis | None) -> None:
        self._redis = redis
        self._counters: dict[str, OrderedDict[str, int]] = {}

    async def take(self, what: str, who: str, *, per_minute: int) -> Rate:
        """Count one try and return how the caller stands.

        Raises:
            LimitReached: More than `per_minute` in the running minute.
        """
        now = time.time()
        window = int(now) // WINDOW_S
        count = await self._count(what, keys.rate(what, who, window))
        reset_s = int((window + 1) * WINDOW_S - now) + 1
        if count > per_minute:
            raise LimitReached(retry_after_seconds=reset_s, limit=per_minute)
        return Rate(per_minute, per_minute - count, reset_s)

    async def _count(self, what: str, key: str) -> int:
        if self._redis is not None:
            try:
                pipe = self._redis.pipeline(transaction=False)
                pipe.incr(key)
                pipe.expire(key, WINDOW_S)
                count, _ = await pipe.execute()
            except RedisError:
                log.warning("limits.redis_away")
            else:
                return int(count)
        counters = self._counters.setdefault(what, OrderedDict())
        count = counters[key] = counters.pop(key, 0) + 1
        while len(counters) > KEPT_COUNTERS:
            counters.popitem(last=False)
        return count
