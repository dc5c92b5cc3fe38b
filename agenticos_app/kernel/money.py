"""Money is kept in millionths of a dollar and told in dollars."""

from decimal import Decimal

MICROS = 1_000_000
"""Of a dollar."""


def dollars(micros: int | None) -> str | None:
    """Return an amount as a decimal string, `0.0041`; None for one that is not known."""
    return None if micros is None else f"{(Decimal(micros) / MICROS).normalize():f}"
