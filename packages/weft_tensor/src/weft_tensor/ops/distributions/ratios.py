"""Functions that several densities need, right for small and for large numbers."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final, TypedDict

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs, minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp, expm1, log, log1mexp, log1p
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.special import log_ndtr
from weft_tensor.ops.special.gamma import digamma, gammaln
from weft_tensor.ops.special.gamma_forms import stirling_rest

__all__ = [
    "HALF_LOG_2PI",
    "LOG_2",
    "LOG_PI",
    "Tails",
    "gamma_entropy",
    "gamma_ratio",
    "log1p_over",
    "log1p_square",
    "log_mass",
    "log_of",
    "one_sided",
    "tails",
    "tilt",
    "tilt_slope",
    "variance",
    "weighted",
]

LOG_2: Final = 0.6931471805599453
LOG_PI: Final = 1.1447298858494002
HALF_LOG_2PI: Final = 0.9189385332046727
_LARGE: Final = 1e4
_CLOSE: Final = 1e-3
_FAR: Final = 1e18
"""Here log(1 + r²) is 2 log(1 + r), and r² is still a number of float32."""
_SERIES: Final = (1.0, -1 / 2, 1 / 3, -1 / 4, 1 / 5, -1 / 6, 1 / 7)
_LEVEL: Final = 0.5
_BERNOULLI: Final = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160,
                     -691 / 1307674368000, 1 / 74724249600)  # fmt: skip
"""Bernoulli's numbers of 2, 4, ... over factorials of the same."""
_SLOPES: Final = tuple([(2 * k + 1) * v for k, v in enumerate(_BERNOULLI)])


def tilt(t: TensorVariable) -> TensorVariable:
    """By how much the mean of the density exp(-t x) from 0 to 1 is below 1/2: about t/12 near 0.

    That is 1 / (exp(t) - 1) - 1/t + 1/2, near 0 as its series.
    """
    level = abs(t) < _LEVEL
    near, far = where(level, t, 0.0), where(level, 1.0, t)
    series = near * polynomial(_BERNOULLI, near * near)
    return where(level, series, 1 / expm1(far) - 1 / far + 0.5)


def tilt_slope(t: TensorVariable) -> TensorVariable:
    """The variance of the same: 1/t² - 1 / (4 sinh²(t/2)), and 1/12 at 0."""
    level = abs(t) < _LEVEL
    near, far = where(level, t, 0.0), where(level, 1.0, abs(t))
    apart = 1 / (far * far) - exp(-far) / expm1(-far) ** 2
    return where(level, polynomial(_SLOPES, near * near), apart)


def variance(second: TensorVariable, mean: TensorVariable) -> TensorVariable:
    """Of the mean square and the mean; infinite where the former is."""
    finite = second < inf
    return where(finite, where(finite, second, 0.0) - where(finite, mean, 0.0) ** 2, inf)


def gamma_entropy(a: TensorVariable) -> TensorVariable:
    """Of a gamma variable of scale 1; of large shapes by its asymptotic series."""
    large = a > _LARGE
    far, near = where(large, a, 1.0), where(large, 1.0, a)
    u = 1 / far
    series = 0.5 + HALF_LOG_2PI + 0.5 * log(far) - u * (1 / 3 + u * (1 / 12 + u / 90))
    return where(large, series, near + gammaln(near) + (1 - near) * digamma(near))


def gamma_ratio(a: TensorVariable, step: TensorVariable | float) -> TensorVariable:
    """Γ(a + step) / Γ(a); where both are large by Stirling's formula, without large terms."""
    b = a + step
    large = minimum(a, b) > 100
    far, end, move = where(large, a, 100.0), where(large, b, 100.0), where(large, step, 0.0)
    rest = stirling_rest(end) - stirling_rest(far)
    series = (end - 0.5) * log1p(move / far) - move + move * log(far) + rest
    return exp(where(large, series, gammaln(where(large, 1.0, b)) - gammaln(where(large, 1.0, a))))


def log1p_square(r: TensorVariable) -> TensorVariable:
    """log(1 + r²), where r² would overflow too."""
    large = abs(r) > _FAR
    near = where(large, 0.0, r)
    logarithm = log1p(where(large, abs(r), near * near))
    return where(large, 2 * logarithm, logarithm)


def log_of(share: TensorVariable) -> TensorVariable:
    """log(share), and without a derivative -inf for what is 0."""
    none = share <= 0
    return where(none, -inf, log(where(none, 1.0, share)))


class Tails(TypedDict):
    """Logarithms of both tails."""

    logcdf: Callable[..., TensorLike]
    logsf: Callable[..., TensorLike]


def tails(lower: Callable[..., TensorLike], upper: Callable[..., TensorLike]) -> Tails:
    """From formulas that are right where their tail is small: else what the other one leaves."""

    def side(
        own: Callable[..., TensorLike], other: Callable[..., TensorLike]
    ) -> Callable[..., TensorLike]:
        def formula(x: TensorVariable, *p: TensorVariable) -> TensorVariable:
            rest = as_tensor(other(x, *p))
            near_1 = rest < -LOG_2
            return where(near_1, log1mexp(where(near_1, rest, -1.0)), own(x, *p))

        return formula

    return {"logcdf": side(lower, upper), "logsf": side(upper, lower)}


def one_sided(x: TensorVariable) -> TensorVariable:
    """|x| as a formula for x ≥ 0, and its mirror, need it: the slope at 0 is 1, not `abs`' 0."""
    return where(x < 0, -x, x)


def log1p_over(u: TensorVariable) -> TensorVariable:
    """log(1 + u) / u, which is 1 at 0."""
    small = abs(u) < 1e-3
    near: TensorLike = _SERIES[-1]
    for term in _SERIES[-2::-1]:
        near = near * where(small, u, 0.0) + term
    apart = where(small, 1.0, u)
    return where(small, near, log1p(apart) / apart)


def log_mass(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    """The logarithm of the normal probability from a to b, in either tail; by the middle's density
    where these are near to each other."""
    above = a > 0
    low, high = where(above, -b, a), where(above, -a, b)
    top = log_ndtr(high)
    bounded = low > -inf
    near = ((high - low) * (1 + abs(high)) < _CLOSE) & (low < high)
    rest = log1mexp(log_ndtr(where(bounded & ~near, low, high - 1)) - top)
    size, middle = where(near, high - low, 1.0), where(near, 0.5 * (low + high), 0.0)
    square = middle * middle
    straight = log(size) - 0.5 * square + log1p((square - 1) * size * size / 24) - HALF_LOG_2PI
    return where(near, straight, top + where(bounded, rest, 0.0))


def weighted(weight: TensorVariable, log_density: TensorVariable) -> TensorVariable:
    """weight times exp(log_density), which is 0 at infinite weights."""
    finite = abs(weight) < inf
    return where(finite, where(finite, weight, 0.0) * exp(log_density), 0.0)
