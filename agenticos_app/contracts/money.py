"""What a request may cost, and the port through which money is kept. Amounts are millionths of a dollar."""

from dataclasses import dataclass
from typing import Literal, Protocol

Cap = Literal["run", "agent", "organization"]
"""Whose limit: the run's own, the agent's month, the organization's month."""

LEAST_OUTPUT = 256
"""Tokens: an answer that may not be longer than this is not worth asking for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The most that a request can cost, by the length of its answer."""

    prompt: int
    per_million_output: int
    """Price of a million tokens of the answer."""
    longest: int
    """Tokens of the longest answer that is wanted."""
    may_shrink: bool
    """Whether a shorter answer would do: nobody has named a length."""

    def of(self, output_tokens: int) -> int:
        """Return the cost with an answer of that length."""
        return self.prompt + -(-self.per_million_output * output_tokens // 1_000_000)

    def affordable(self, micros: int) -> int:
        """Return the longest answer for that money, at most what is wanted; negative if it buys no prompt."""
        left = micros - self.prompt
        if left < 0 or not self.per_million_output:
            return self.longest if left >= 0 else -1
        return min(self.longest, left * 1_000_000 // self.per_million_output)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reservation:
    """Money that is kept for one request until it is settled."""

    id: str
    micros: int
    output_limit: int | None
    """Tokens that the answer may have so that it fits; None: nobody limits it."""


class BudgetExceeded(Exception):
    """The request was not sent: it could cost more than a cap has left."""

    def __init__(self, cap: Cap, limit_micros: int) -> None:
        super().__init__(cap, limit_micros)
        self.cap: Cap = cap
        self.limit_micros = limit_micros


class Ledger(Protocol):
    """Keeps the money of one run."""

    async def reserve(self, number: int, estimate: Estimate | None) -> Reservation:
        """Keep money for a request, before it is sent. None: nobody knows what it costs.

        Raises:
            BudgetExceeded: A cap has not enough left.
        """
        ...

    def settle(self, reservation: Reservation, micros: int | None) -> None:
        """Book what the request cost in place of the reservation; written with the run's next write."""
        ...
