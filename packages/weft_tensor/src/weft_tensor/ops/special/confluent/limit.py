"""The confluent hypergeometric limit function: a power series, or a Bessel function.

NIST Digital Library of Mathematical Functions, 10.16.9, 10.39.9 and 16.2.1.
"""

from __future__ import annotations

from math import inf, nan
from typing import Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import maximum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.special.bessel import ive, jv
from weft_tensor.ops.special.composed.formula import formula
from weft_tensor.ops.special.gamma import gammaln, gammasgn
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["hyp0f1"]

_T = TensorVariable
_TERMS: Final = 36
"""Of which each is at most the one before over its number, but next to a pole below 0."""


def _by_powers(v: _T, x: _T) -> tuple[_T, _T]:
    """The series, and its slope in the order."""

    def add(state: tuple[_T, ...]) -> tuple[_T, ...]:
        k, total, slope = state
        under = v + (k - 1)
        share = x / (k * under)
        return k - 1, 1 + share * total, share * (slope - total / under)

    start = (0 * x + _TERMS, 0 * x + 1, 0 * x)
    _, total, slope = while_loop(lambda s: (s[0] > 0).any(), add, start)
    return total, slope


_DOMAIN: Final = (POSITIVE, (-1.0, 1.0))
_slope_in_order = slope_row(
    "hyp0f1_series_slope", "hyp0f1_series", _DOMAIN, (1.5, 0.5, -0.25932087),
    lambda v, x: _by_powers(v, x)[1],
)  # fmt: skip
hyp0f1_series: Binary = binary(
    "hyp0f1_series",
    None,
    "`hyp0f1` of x that is not larger than the order, or 1: a row, that its terms are a loop.",
    _DOMAIN,
    (1.5, 0.5, 1.368298872),
    lambda v, x, r: (_slope_in_order(v, x), hyp0f1_series(v + 1, x) / v),
    summation=doubled(lambda v, x: _by_powers(v, x)[0]),
    dtypes=floating,
    cost=LOOP,
)


def _hyp0f1(v: _T, x: _T) -> _T:
    wrong = isnan(v) | isnan(x) | eq(abs(x), inf) | eq(abs(v), inf)
    pole = (v <= 0) & eq(v, rint(v))
    fine = ~(wrong | pole)
    order, place = where(fine, v, 1), where(fine, x, 0)
    near = abs(place) <= maximum(abs(order), 1)
    by_series = hyp0f1_series(where(near, order, 1), where(near, place, 0))
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
