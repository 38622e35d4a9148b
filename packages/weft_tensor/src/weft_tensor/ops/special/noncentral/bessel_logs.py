"""Logarithms of the modified Bessel function I, of any size, and their slopes.

For small orders and arguments by its power series (NIST Digital Library of Mathematical Functions,
10.25.2), else by Debye's expansion (10.41.3), whose polynomials, divided by powers of the order,
are functions of its square, so that they hold for order 0, and for those above -1, too.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf, log, nan, pi
from typing import Any, Final, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import hypot
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import log as logarithm
from weft_tensor.ops.elementwise.exponential import log1p
from weft_tensor.ops.elementwise.op import Binary, binary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.reduction.cumulative import cumprod, cumsum
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.gamma_forms import gammaln_of_next
from weft_tensor.ops.special.quadrature import along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = ["log_iv", "log_ive"]

_FROM: Final = 30.0
"""Sizes from where on Debye's expansion is right to the last place."""
_TERMS: Final = 13
_KS: Final = np.arange(1.0, 65.0)
_AFTER: Final = np.where(_KS > 1, 1.0, 0.0)
_HALF_LOG_2PI: Final = 0.5 * log(2 * pi)


def _debye() -> np.ndarray:
    """By columns, the coefficients of p^(2j), of which U_k(p) is p^k times the sum (10.41.9)."""
    rows = [[Fraction(1)]]
    for k in range(_TERMS):
        row = [Fraction(0)] * (k + 2)
        for j, c in enumerate(rows[-1]):
            n = k + 2 * j
            row[j] += c * (Fraction(n, 2) + Fraction(1, 8 * (n + 1)))
            row[j + 1] -= c * (Fraction(n, 2) + Fraction(5, 8 * (n + 3)))
        rows.append(row)
    wide = [[*map(float, row), *[0.0] * (_TERMS + 1 - len(row))] for row in rows[1:]]
    return np.array(wide).T


_COLUMNS: Final = _debye()


Sums = tuple[TensorVariable, TensorVariable, TensorVariable]


class IParts(NamedTuple):
    """What the logarithm and its slopes are made of."""

    v: TensorVariable
    x: TensorVariable
    order: TensorVariable
    """|v|."""
    size: TensorVariable
    """sqrt(v² + x²)."""
    small: TensorVariable
    """Where the power series is taken."""
    series: Sums
    """The power series but for its first term, and times the slopes of terms' logarithms: by the
    logarithm of x², and by -v but for the share of its first factor, 1 / (v + 1)."""
    debye: Sums
    """The expansion but for its first term, and times the slopes: by -log(size), by (v / size)²."""

    @property
    def angle(self) -> TensorVariable:
        """-arsinh(|v| / x)."""
        return logarithm(self.x / (self.order + self.size))

    @property
    def near(self) -> TensorVariable:
        """The logarithm of the power series over (x / 2)^v."""
        below = self.v < 0
        of_above = gammaln_of_next(where(below, 0.0, self.v))
        norming = where(below, gammaln(where(below, self.v, 0.0) + 1), of_above)
        return log1p(self.series[0]) - norming

    @property
    def far(self) -> TensorVariable:
        """The logarithm of the expansion without its exponent."""
        return log1p(self.debye[0]) - 0.5 * logarithm(self.size) - _HALF_LOG_2PI

    def far_slope(self, by: TensorVariable, square_slope: TensorVariable) -> TensorVariable:
        """That of `far` by v or x, of which the square (v / size)² has the other, times size²."""
        total, by_size, by_square = self.debye
        slope = (by_square * square_slope - by_size * by) / (1 + total) - 0.5 * by
        return slope / self.size**2

    @property
    def far_by_v(self) -> TensorVariable:
        """The slope of `far` in v."""
        return self.far_slope(self.v, 2 * self.v * (self.x / self.size) ** 2)

    @property
    def far_by_x(self) -> TensorVariable:
        """The slope of `far` in x."""
        return self.far_slope(self.x, -2 * self.x * (self.v / self.size) ** 2)

    @property
    def near_by_v(self) -> TensorVariable:
        """The slope of `near` in v."""
        after = 1 / (self.v + 1) - self.series[2]
        return after / (1 + self.series[0]) - digamma(self.v + 2)

    @property
    def near_by_x(self) -> TensorVariable:
        """The slope of `near` in x, times x."""
        return 2 * self.series[1] / (1 + self.series[0])


def _sums(first: Any, second: Any, third: Any) -> Sums:
    return first.sum(axis=-1), second.sum(axis=-1), third.sum(axis=-1)


def i_parts(v: TensorVariable, x: TensorVariable) -> IParts:
    """Those of I of order v above -1, for x of 0 or more."""
    size = hypot(v, x)
    small = size < _FROM
    near_v, near_x = where(small, v, 0.0), where(small, x, 1.0)
    factors = along(0.25 * near_x * near_x) / (_KS * (along(near_v) + _KS))
    terms = cumprod(factors, axis=-1)
    inner = terms * cumsum(_AFTER / (along(near_v) + _KS), axis=-1)
    series = _sums(terms, _KS * terms, inner)
    far = where(small, _FROM, size)
    square = along((where(small, 0.0, v) / far) ** 2)
    total: Any = 0.0
    slope: Any = 0.0
    for j in range(_TERMS, -1, -1):
        total = total * square + _COLUMNS[j]
        slope = slope * square + j * _COLUMNS[j] if j else slope
    powers = cumprod(along(1 / far) + np.zeros(_TERMS), axis=-1)
    ks = np.arange(1.0, _TERMS + 1)
    debye = _sums(powers * total, powers * (ks * total), powers * slope)
    sizes = where(size > 0, size, 1.0)
    return IParts(v, x, abs(v), sizes, small, series, debye)


Form = Callable[[IParts], TensorVariable]


def _value(p: IParts, scaled: int) -> TensorVariable:
    near = xlogy(p.v, 0.5 * p.x) + p.near - scaled * p.x
    exponent = p.v * (p.v / (p.size + p.x)) if scaled else p.size
    value = where(p.small, near, exponent + p.order * p.angle + p.far)
    return where(p.x < inf, value, -inf if scaled else inf)


def _by_v(p: IParts) -> TensorVariable:
    far = where(p.v < 0, -p.angle, p.angle) + p.far_by_v
    return where(p.small, logarithm(0.5 * p.x) + p.near_by_v, far)


def _by_x(p: IParts, scaled: int) -> TensorVariable:
    x = where(p.x > 0, p.x, 1.0)
    near = (p.v + p.near_by_x) / x - scaled
    exponent = (p.v / x) * (p.v / (p.size + x)) if scaled else p.size / x
    at_0 = where(eq(p.v, 0), -scaled, where(p.v < 0, -inf, inf))
    return where(p.x > 0, where(p.small, near, exponent + p.far_by_x), at_0)


def _of_parts(form: Form) -> Callable[..., Any]:
    def compute(v: TensorVariable, x: TensorVariable) -> TensorVariable:
        valid = (v > -1) & (x >= 0)
        return where(valid, form(i_parts(where(valid, v, 0.0), where(valid, x, 1.0))), nan)

    return compute


_PAIR: Final = (POSITIVE, POSITIVE)


_by_order = slope_row("log_iv_slope", "log_iv", _PAIR, (0.5, 1.0, -0.831979386), _of_parts(_by_v))


def _row(name: str, summary: str, scaled: int, result: float, slope: float) -> Binary:
    by_place = slope_row(
        f"{name}_by_x", name, _PAIR, (0.5, 1.0, slope), _of_parts(partial(_by_x, scaled=scaled)),
        "second",
    )  # fmt: skip
    return binary(
        name, None, summary, _PAIR, (0.5, 1.0, result),
        lambda v, x, r: (_by_order(v, x), by_place(v, x)),
        summation=doubled(_of_parts(partial(_value, scaled=scaled))), dtypes=floating, cost=LOOP,
    )  # fmt: skip


# fmt: off
log_iv: Binary = _row(
    "log_iv", "log(iv(v, x)) of orders above -1, also where iv under- or overflows.", 0,
    -0.0643519911, 0.813035285,
)
log_ive: Binary = _row(
    "log_ive", "log(ive(v, x)) of orders above -1, also where ive underflows.", 1,
    -1.0643519911, -0.186964715,
)
# fmt: on
