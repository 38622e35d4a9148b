"""Distribution functions of mixtures, and what they lack of 1, as mpmath computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
from exact_tails import area, high, low

__all__ = ["MIXED_DENSITIES", "MIXED_TAILS"]


def noncentral(x: Any, df: Any, nc: Any) -> Any:
    power = (x / nc) ** (df / 4 - mp.mpf(1) / 2) * mp.exp(-(x + nc) / 2) / 2
    return power * mp.besseli(df / 2 - 1, mp.sqrt(nc * x))


def noncentral_share(side: Callable[..., Any], x: Any, df: Any, nc: Any) -> Any:
    parts = [(nc / 2) ** j / mp.factorial(j) * side(df / 2 + j, x / 2) for j in range(200)]
    return mp.exp(-nc / 2) * sum(parts)


def halphen(x: Any, p: Any, b: Any) -> Any:
    return x ** (p - 1) * mp.exp(-b * (x + 1 / x) / 2) / (2 * mp.besselk(p, b))


MIXED_TAILS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "geninvgauss": (
        lambda x, p, b: area(halphen, x / (1 + 90 * x), x, p, b),
        lambda x, p, b: area(halphen, x, x + 90, p, b),
    ),
    "ncx2": (
        lambda x, df, nc: noncentral_share(low, x, df, nc),
        lambda x, df, nc: noncentral_share(high, x, df, nc),
    ),
}
"""The distribution function and what it lacks of 1."""
MIXED_DENSITIES: Final[dict[str, Callable[..., Any]]] = {
    "geninvgauss": halphen,
    "ncx2": noncentral,
}
