"""How the two sides of a rule between floating-point expressions may differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["DEPARTURES", "as_departures"]

DEPARTURES: Final = {
    "rounding": "the last digits of a result",
    "digits": "digits that the left side loses to cancellation, and the right side keeps",
    "overflow": "a result that the left side makes infinite, and the right side finite",
    "domain": "a result that is NaN on the left side, and a number on the right",
    "smaller domain": "a result that is a number on the left side, and not on the right",
    "zero sign": "the sign of a zero",
    "inf": "results for infinite inputs",
    "nan": "results for inputs that are NaN",
}
"""What a rule may declare that it changes, in the words of its `may_change`."""


def as_departures(names: str | Iterable[str]) -> frozenset[str]:
    """One name or several, as a set; ValueError for a name that is not in `DEPARTURES`.

    >>> sorted(as_departures(("rounding", "inf")))
    ['inf', 'rounding']
    """
    found = frozenset([names] if isinstance(names, str) else names)
    unknown = sorted(found - DEPARTURES.keys())
    if unknown:
        raise ValueError(
            f"no rule can change {', '.join(map(repr, unknown))}; it may change "
            f"{', '.join(map(repr, DEPARTURES))}"
        )
    return found
