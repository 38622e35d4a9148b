"""Quotients of polynomials, as expressions."""

from __future__ import annotations

from typing import Any

__all__ = ["Coefficients", "polynomial", "quotient"]

Coefficients = tuple[tuple[float, ...], tuple[float, ...]]
"""Of the polynomials above and below the line, lowest powers first."""


def quotient(terms: Coefficients, t: Any) -> Any:
    """p(t) / q(t), both by Horner's scheme.

    >>> quotient(((1.0, 2.0), (1.0, 1.0)), 3.0)
    1.75
    """
    top, bottom = (polynomial(coefficients, t) for coefficients in terms)
    return top / bottom


def polynomial(coefficients: tuple[float, ...], t: Any) -> Any:
    """Its value at t, by Horner's scheme; lowest powers first.

    >>> polynomial((1.0, 2.0), 3.0)
    7.0
    """
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * t + coefficient
    return total
