"""Means over an estimated spread: s, where df s² is a chi-square number of df degrees of freedom.

Of u = log(s) the logarithm of the density is a constant - df (exp(2 u) - 1 - 2 u) / 2: it is
concave, and so are the logarithms of what is averaged here. So there is one stretch of u on which
the integrand is not negligible: rough values at even places find it, then Gauss' rule is for it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.distributions.ratios import LOG_2, log_of
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.ops.special.gamma_forms import stirling_rest
from weft_tensor.ops.special.quadrature import along

__all__ = ["LogPart", "estimated_df", "log_over_spread"]

LogPart = Callable[..., TensorVariable]
"""A logarithm at places, and how many places to take for its own integral."""
_DROP: Final = 42.0
"""The logarithm of how small the integrand is where it is cut off."""
_LEVELS: Final = 4
_EVEN: Final = np.linspace(0.0, 1.0, 24)
_ROUGH, _FINE = 16, 64
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(44)
_SHARP: Final = 6.0
"""All that is not about an exponential is no further from the end of the stretch."""
_BESIDE: Final = 0.8
"""How far from its turn what is averaged may be steep."""
_MOST_DF: Final = 1e13
"""What is beyond is infinity."""
_TERMS: Final = [1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 40320, 1 / 362880]
_TERMS_FAR: Final = [1 / 3628800, 1 / 39916800, 1 / 479001600, 1 / 6227020800]
_LOG_2PI: Final = 1.8378770664093453


def estimated_df(df: TensorVariable) -> TensorVariable:
    """Degrees of freedom of which infinitely many are a finite number."""
    return minimum(df, _MOST_DF)


def _excess(u: TensorVariable) -> TensorVariable:
    """exp(2 u) - 1 - 2 u, right for small u, too."""
    y = 2 * u
    small = abs(y) < 0.5
    near = where(small, y, 0.0)
    series = 0 * near
    for term in (*_TERMS_FAR[::-1], *_TERMS[::-1]):
        series = series * near + term
    return where(small, series * near * near, expm1(where(small, 1.0, y)) - where(small, 1.0, y))


def _log_peak(df: TensorVariable) -> TensorVariable:
    """Of the density of u at 0."""
    a = 0.5 * df
    large = a > 8
    far, near = where(large, a, 9.0), where(large, 1.0, a)
    direct = LOG_2 + near * log(near) - near - gammaln(near)
    return where(large, LOG_2 + 0.5 * (log(far) - _LOG_2PI) - stirling_rest(far), direct)


def log_over_spread(
    log_part: Callable[[TensorVariable, int], TensorVariable],
    x: TensorVariable,
    df: TensorVariable,
    turn: TensorVariable,
    low: TensorVariable,
    high: TensorVariable,
) -> TensorVariable:
    """The logarithm of the mean of exp(log_part(s x)).

    log_part is steep at most where log(s) is near `turn`, and the largest part of the mean is about
    where it is from `low` to `high`.
    """
    df = estimated_df(df)
    wide, half = along(x), along(0.5 * df)

    def logs(u: TensorVariable, count: int) -> TensorVariable:
        return log_part(wide * exp(u), count) - half * _excess(u)

    start, stop = _stretch(lambda u: logs(u, _ROUGH), df, low, high)
    rest = maximum(0.5 * (start + stop), stop - _SHARP)
    place = stop_gradient(turn)
    before, after = [minimum(maximum(place + v, start), stop) for v in (-_BESIDE, _BESIDE)]
    inner = maximum(before, minimum(rest, after))
    ends = [start, minimum(rest, before), inner, maximum(rest, after), stop]
    parts = [(begin, 0.5 * (end - begin)) for begin, end in pairwise(ends)]
    u = concatenate([along(begin) + along(size) * (_PLACES + 1) for begin, size in parts], -1)
    weights = concatenate([along(size) * _WEIGHTS for _, size in parts], -1)
    values = logs(u, _FINE)
    top = stop_gradient(maximum(values.max(axis=-1), -1e300))
    total = (weights * exp(values - along(top))).sum(axis=-1)
    return top + log_of(total) + _log_peak(df)


def _stretch(
    logs: Callable[[TensorVariable], TensorVariable],
    df: TensorVariable,
    low: TensorVariable,
    high: TensorVariable,
) -> tuple[TensorVariable, TensorVariable]:
    """Where the integrand is not negligible."""

    def level(k: TensorVariable, ends: Any) -> Any:
        start, stop = ends
        u = along(start) + along(stop - start) * _EVEN
        values = logs(u)
        top = maximum(values.max(axis=-1), -1e300)
        counts = values > along(top) - _DROP
        step = (stop - start) / (_EVEN.size - 1)
        first = where(counts, u, along(stop)).min(axis=-1) - step
        last = where(counts, u, along(start)).max(axis=-1) + step
        fall = (_DROP - top) / df
        below = where(3 * fall < 1, -sqrt(3 * fall), -fall - 0.5)
        above = minimum(sqrt(fall), 0.5 * log(4 * fall + 2))
        is_first = k < 1
        return (
            where(is_first, below, maximum(first, start)),
            where(is_first, above, minimum(last, stop)),
        )

    start, stop = fori_loop(0, _LEVELS + 1, level, (low, high))
    return stop_gradient(start), stop_gradient(stop)
