"""The confluent hypergeometric limit function: a power series, or a Bessel function.

NIST Digital Library of Mathematical Functions, 10.16.9, 10.39.9 and 16.2.1.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.special.bessel import ive, jv
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.gamma import gammaln, gammasgn
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["hyp0f1"]

_T = TensorVariable
_TERMS: Final = 36
"""Of which each is at most the one before over its number, but next to a pole below 0."""


def _hyp0f1(v: _T, x: _T) -> _T:
    wrong = isnan(v) | isnan(x) | eq(abs(x), inf) | eq(abs(v), inf)
    pole = (v <= 0) & eq(v, rint(v))
    fine = ~(wrong | pole)
    order, place = where(fine, v, 1), where(fine, x, 0)
    near = abs(place) <= maximum(abs(order), 1)
    by_series: Any = 1.0
    for k in range(_TERMS, 0, -1):
        by_series = 1 + where(near, place, 0) / (k * (order + (k - 1))) * by_series
    up, down = ~near & (place > 0), ~near & (place < 0)
    size = where(near, 1, abs(place))
    root = 2 * sqrt(size)
    bessel = where(
        up,
        ive(where(up, order - 1, 0), where(up, root, 1)),
        jv(where(down, order - 1, 0), where(down, root, 1)),
    )
    half = exp(0.5 * (gammaln(order) + 0.5 * (1 - order) * log(size) + where(up, root, 0)))
    far = gammasgn(order) * half * bessel * half
    return where(wrong, nan, where(pole, nan, where(near, by_series, far)))


hyp0f1 = formula(
    "hyp0f1", "The confluent hypergeometric limit function.", (1.5, 0.5, 1.368299), doubled(_hyp0f1)
)
