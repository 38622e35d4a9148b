"""Integrals as sums over an axis that is added at the end, and sums of parts one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["HALF_LINE", "UNIT_INTERVAL", "Rule", "added_up", "along", "half_line", "unit_interval"]

Rule = tuple[np.ndarray, np.ndarray]
"""The places and their weights."""
_EPS: Final = 2.0**-54
_MOST: Final = 1000
"""Sums have fewer parts."""


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


def added_up(
    advance: Callable[..., Sequence[Any]], state: Sequence[TensorVariable], least: TensorVariable
) -> TensorVariable:
    """The sum of parts, at least so many, until they are nothing to it.

    `advance`, of k and the state, gives a part and the next state.
    """

    def step(
        k: TensorVariable, total: TensorVariable, _: TensorVariable, *now: Any
    ) -> Sequence[Any]:
        part, *after = advance(k, *now)
        return k + 1, total + part, (k < least) | (abs(part) > _EPS * total), *after

    none = 0 * least
    first = (none, none, none.eq(0), *state)
    done = while_loop(lambda s: s[2].any(), lambda s: tuple(step(*s)), first, _MOST)
    return done[1]
