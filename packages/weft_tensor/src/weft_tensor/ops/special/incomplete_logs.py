"""Logarithms of the incomplete gamma functions, also where these underflow, and their slopes.

The smaller of both is its density times an integral, as the slopes are (see `incomplete_slopes`);
up to x = 2, the lower one is its power series (NIST Digital Library of Mathematical Functions,
8.7.1). The other is what is missing at 1.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, Final

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.elementwise.op import binary
from weft_tensor.ops.elementwise.table import POSITIVE, floating
from weft_tensor.ops.special.entropies import xlogy
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.gamma_forms import gammaln_of_next
from weft_tensor.ops.special.incomplete_slopes import (
    POWERS,
    SERIES,
    log_density,
    log_less_digamma,
    log_shape,
)
from weft_tensor.ops.special.quadrature import HALF_LINE, along
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = [
    "density_over",
    "gammainc_density",
    "log_gammainc",
    "log_gammainc_slope",
    "log_gammaincc",
    "log_gammaincc_slope",
]

_PLACES, _WEIGHTS = HALF_LINE
_SMALL: Final = 2.0
_T = TensorVariable


def _logarithms(a: _T, x: _T) -> tuple[_T, _T]:
    """Of both functions, for positive numbers."""
    near = where(x > _SMALL, 1, x)
    parts = SERIES * along(near) ** POWERS / (along(a) + POWERS)
    by_series = xlogy(a, near) - gammaln_of_next(a) + log1p(a * parts.sum(axis=-1))
    far = maximum(x, _SMALL)
    above = far > a
    scale = where(above, 1.0, -1.0) / (abs(a - far) + sqrt(far))
    v = along(scale) * _PLACES
    total = (_WEIGHTS * exp(log_shape(a, far, v))).sum(axis=-1)
    tail = log_density(a, far) + log(abs(scale) * total)
    size = where(x > _SMALL, tail, by_series)
    rest = log1mexp(where(size < 0, size, -1e-300))
    is_upper = (x > _SMALL) & above
    return where(is_upper, rest, size), where(is_upper, size, rest)


def _of_lower(a: _T, x: _T) -> _T:
    return _with_ends(a, x, 0)


def _of_upper(a: _T, x: _T) -> _T:
    return _with_ends(a, x, 1)


def _with_ends(a: _T, x: _T, side: int) -> _T:
    inside = (a > 0) & (x > 0) & (a < inf) & (x < inf)
    logarithm = _logarithms(where(inside, a, 1), where(inside, x, 1))[side]
    low, high = (-inf, 0.0) if side == 0 else (0.0, -inf)
    at_end = where((a > 0) & (eq(x, 0) | eq(a, inf) & (x >= 0)), low, high)
    ended = (a >= 0) & (x >= 0) & ~(eq(a, 0) & eq(x, 0)) & ~(eq(a, inf) & eq(x, inf))
    return where(inside, logarithm, where(ended, at_end, nan))


def _slope_of_lower(a: _T, x: _T) -> _T:
    return _inner_slope(a, x, 0)


def _slope_of_upper(a: _T, x: _T) -> _T:
    return _inner_slope(a, x, 1)


def _inner_slope(a: _T, x: _T, side: int) -> _T:
    inside = (a > 0) & (x > 0) & (a < inf) & (x < inf)
    slope = _slopes(where(inside, a, 1), where(inside, x, 1), side)
    return where(inside, slope, where((a >= 0) & (x >= 0), 0, nan))


def _slopes(a: _T, x: _T, side: int) -> _T:
    """In a, of one of both logarithms.

    That of a tail is the mean of log(t) - digamma(a) under its integral.
    """
    near = where(x > _SMALL, 1, x)
    places = along(a) + POWERS
    parts = SERIES * along(near) ** POWERS / places
    sum = parts.sum(axis=-1)
    of_series = log(near) - digamma(a + 1)
    of_series = of_series + (sum - a * (parts / places).sum(axis=-1)) / (1 + a * sum)
    far = maximum(x, _SMALL)
    above = far > a
    scale = where(above, 1.0, -1.0) / (abs(a - far) + sqrt(far))
    v = along(scale) * _PLACES
    terms = _WEIGHTS * exp(log_shape(a, far, v))
    total = terms.sum(axis=-1)
    of_tail = log_less_digamma(a, far) + (v * terms).sum(axis=-1) / total
    tail = log_density(a, far) + log(abs(scale) * total)
    series = xlogy(a, near) - gammaln_of_next(a) + log1p(a * sum)
    direct = where(x > _SMALL, of_tail, of_series)
    size = where(x > _SMALL, tail, series)
    rest = -direct / expm1(-where(size < 0, size, -1e-300))
    is_direct = (x > _SMALL) & above if side else (x <= _SMALL) | ~above
    return where(is_direct, direct, rest)


_PAIR: Final = (POSITIVE, POSITIVE)
log_gammainc_slope = slope_row(
    "log_gammainc_slope", "log_gammainc", _PAIR, (1.5, 2.0, -0.375653473), _slope_of_lower
)
log_gammaincc_slope = slope_row(
    "log_gammaincc_slope", "log_gammaincc", _PAIR, (1.5, 2.0, 1.06107696), _slope_of_upper
)


def density_over(a: TensorVariable, x: TensorVariable, r: TensorVariable) -> TensorVariable:
    """`gammainc_density` over exp(r), also where both underflow."""
    return exp(log_density(a, x) - log(x) - r)


def _density(a: TensorVariable, x: TensorVariable) -> Any:
    """By that of a - 1, which is finite at x = 0, where a is large."""
    large = a > 5
    before = where(large, a - 1, 5)
    near = xlogy(a - 1, x) - x - gammaln(a)
    return exp(where(large, log_density(before, x) - log(before), near))


gammainc_density = binary(
    "gammainc_density",
    None,
    "The derivative of `gammainc` in its second argument.",
    _PAIR,
    (1.0, 2.0, 0.135335283),
    lambda a, x, r: (r * (log(x) - digamma(a)), r * ((a - 1) / x - 1)),
    doubled(_density),
    dtypes=floating,
)
log_gammainc = binary(
    "log_gammainc",
    None,
    "log(gammainc(a, x)), also where that underflows.",
    _PAIR,
    (1.0, 1.0, -0.458675145),
    lambda a, x, r: (log_gammainc_slope(a, x), density_over(a, x, r)),
    summation=doubled(_of_lower),
    dtypes=floating,
)
log_gammaincc = binary(
    "log_gammaincc",
    None,
    "log(gammaincc(a, x)), also where that underflows.",
    _PAIR,
    (1.0, 1.0, -1.0),
    lambda a, x, r: (log_gammaincc_slope(a, x), -density_over(a, x, r)),
    summation=doubled(_of_upper),
    dtypes=floating,
)
