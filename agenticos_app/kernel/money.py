"""Money: integer millionths of a dollar inside, decimal text outside."""

from decimal import Decimal

MICROS = 1_000_000


def dollars(micros: int | None) -> str | None:
    """Return an amount as decimal text without trailing zeros, `0.0041`; None when it is not known."""
    if micros is None:
        return None
    return f"{(Decimal(micros) / MICROS).normalize():f}"
