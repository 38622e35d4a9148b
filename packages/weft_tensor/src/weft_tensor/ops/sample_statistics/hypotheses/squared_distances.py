"""How far distribution functions are apart on the whole: Cramér's and von Mises' test."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import factorial, gamma, nan, pi
from typing import Any, Final

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import SignificanceResult, observations
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.bessel import kve
from weft_tensor.types.axes import Axes

__all__ = ["cramervonmises"]

_TERMS: Final = 11
_FAR: Final = 8.0
"""From here on the probability is below 1e-16, and terms enough."""


def cramervonmises(
    rvs: TensorLike,
    cdf: str | Callable[..., TensorVariable],
    args: Any = (),
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether observations may come from a distribution, by its squared distances on the whole.

    `cdf` is a function, called with `args`, too, or the name of a distribution of `wt.stats`. The
    probability is that of infinitely many observations with its first correction: S. Csörgő and J.
    J. Faraway, The exact and asymptotic distributions of Cramér-von Mises statistics, 1996. See
    `scipy.stats.cramervonmises`. NaN for fewer than two observations.

    >>> [v.eval().round(4).item() for v in cramervonmises([0.1, 0.4, 0.9], "uniform")]
    [0.0467, 0.9302]
    """
    of = observations(rvs, axis, nan_policy, keepdims)
    law = getattr(import_module("weft_tensor.stats"), cdf).cdf if isinstance(cdf, str) else cdf
    shares = law(sort(of.rows, -1), *args)
    n = lengths_of(shares)[-1].astype("float64")
    places = (2 * arange(lengths_of(shares)[-1]) + 1) / (2 * n)
    w = 1 / (12 * n) + sum((places - shares) ** 2, -1)
    near = minimum(w, _FAR)
    below = _limit(near) * (1 + 1 / (12 * n)) + _correction(near) / n
    chance = where(w <= 1 / (12 * n), 1.0, where(w >= n / 3, 0.0, maximum(1 - below, 0.0)))
    results = (where(n < 2, nan, v).astype(of.rows.dtype) for v in (w, chance))
    return SignificanceResult(*[of.result(v) for v in results])


def _bessel(order: float, z: TensorVariable) -> TensorVariable:
    """exp(-z) K(z)."""
    return exp(-2 * z) * kve(order, z)


def _limit(x: TensorVariable) -> TensorVariable:
    """The distribution function for infinitely many: equation 1.2."""
    total: Any = 0.0
    for k in range(_TERMS):
        y = 4 * k + 1
        factor = gamma(k + 0.5) / factorial(k) * y**0.5
        total = total + factor * _bessel(0.25, y**2 / (16 * x))
    return total / (pi**1.5 * sqrt(x))


def _second(y: TensorVariable) -> TensorVariable:
    z = y**2 / 4
    return (y / 2) ** 1.5 * (_bessel(0.25, z) + _bessel(0.75, z)) / pi**0.5


def _third(y: TensorVariable) -> TensorVariable:
    z = y**2 / 4
    three = 2 * _bessel(0.25, z) + 3 * _bessel(0.75, z) - _bessel(1.25, z)
    return (y / 2) ** 2.5 * three / pi**0.5


def _correction(x: TensorVariable) -> TensorVariable:
    """What is divided by the number of observations: equation 1.10."""
    total: Any = 0.0
    root, short, long = 2 * sqrt(x), x**0.75, x**1.25
    for k in range(_TERMS):
        one, three, five = ((4 * k + j) / root for j in (1, 3, 5))
        m = 2 * k + 1
        terms = m * _second(three) / 9 + 7 * m * (_second(one) + _second(five)) / 144
        far = _third(one) / 72 + (m + 2) * (k + 0.5) * _third(five) / 6
        total = total + gamma(k + 0.5) / factorial(k) * (terms / short + far / long)
    return -total / pi
