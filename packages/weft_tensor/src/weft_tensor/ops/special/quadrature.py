"""Places and weights of integrals: sums over an axis that is added at the end."""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["HALF_LINE", "UNIT_INTERVAL", "Rule", "along", "half_line", "unit_interval"]

Rule = tuple[np.ndarray, np.ndarray]
"""The places and their weights."""


def half_line(step: float, count: int) -> Rule:
    """For integrals from 0 to infinity: v = exp(u - exp(-u)) with even steps of u.

    H. Takahasi, M. Mori: Double exponential formulas for numerical integration, Publ. RIMS 9, 1974.
    """
    at = -3.7 + step * np.arange(count)
    places = np.exp(at - np.exp(-at))
    return places, places * (1 + np.exp(-at)) * step


def unit_interval(count: int = 64) -> Rule:
    """Gauss' rule from 0 to 1."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (places + 1), 0.5 * weights


HALF_LINE: Final = half_line(0.05, 220)
UNIT_INTERVAL: Final = unit_interval()


def along(x: TensorVariable) -> TensorVariable:
    """With one more axis, for the places."""
    return expand_dims(x, -1)
