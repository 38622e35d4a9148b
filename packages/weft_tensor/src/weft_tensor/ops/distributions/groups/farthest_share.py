"""How far shares of drawn numbers lie from those expected: draws of the largest distance."""

from __future__ import annotations

from typing import Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import expm1
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.special.quadrature import along

__all__ = ["farthest_share"]

_TERMS: Final = 64
_DRAWN: Final = 2.0**17
"""Of more, only so many are drawn."""


def farthest_share(draws: Draws, n: TensorVariable) -> TensorVariable:
    """Of n numbers in order; above a limit, of so many, which are stretched."""
    count = minimum(n, _DRAWN)
    return (_farthest(draws, count) + 1 / (6 * count)) * sqrt(count / n) - 1 / (6 * n)


def _farthest(draws: Draws, n: TensorVariable) -> TensorVariable:
    """The k-th least of n uniform numbers, 1 - exp(-s), from k / n and (k - 1) / n.

    By A. Rényi, On the theory of order statistics, 1953: s grows by exponential numbers.
    """
    most, size = largest(where(n >= 1, n, 0.0), initial=0).astype("int64"), along(n)

    def is_within(state: tuple[TensorVariable, ...]) -> TensorVariable:
        return state[0] < most

    def step(state: tuple[TensorVariable, ...]) -> tuple[TensorVariable, ...]:
        start, before, far = state
        k = start.astype(draws.kind) + np.arange(_TERMS).astype(draws.kind)
        counts = k < size
        gaps = draws.step(start, _TERMS).exponential() / where(counts, size - k, 1.0)
        gone = along(before) + cumsum(gaps, -1)
        at = -expm1(-gone)
        apart = where(counts, maximum(at - k / size, (k + 1) / size - at), 0.0)
        return start + _TERMS, gone[..., -1], maximum(far, largest(apart, axis=-1))

    zero = zeros(draws.sizes, dtype=draws.kind)
    found: TensorVariable = while_loop(is_within, step, (0 * most, zero, zero))[2]
    return found
