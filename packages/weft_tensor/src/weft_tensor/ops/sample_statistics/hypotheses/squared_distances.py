"""How far distribution functions are apart on the whole: Cramér's and von Mises' tests."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import factorial, gamma, lcm, nan, pi
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.ranks import rankdata
from weft_tensor.ops.sample_statistics.samples import (
    SignificanceResult,
    observations,
    one_of,
    several,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.special.bessel import kve
from weft_tensor.types.axes import Axes

__all__ = ["cramervonmises", "cramervonmises_2samp"]

_TERMS: Final = 11
_FEW: Final = 20
"""Up to how many observations of a sample "auto" takes the exact distribution, as SciPy."""
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


def cramervonmises_2samp(
    x: TensorLike,
    y: TensorLike,
    method: str = "auto",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether two samples come from one distribution, by the squared distances of theirs.

    By T. W. Anderson, On the distribution of the two-sample Cramér-von Mises criterion, 1962. See
    `scipy.stats.cramervonmises_2samp`.

    Parameters
    ----------
    x, y
        Observations.
    method
        "exact" for the distribution without ties; "asymptotic" for that of infinitely many, moved
        and scaled; "auto" for the exact one of at most 20 observations of each. For both, the
        numbers of observations must be known.
    axis, nan_policy, keepdims
        As for `cramervonmises`.

    Raises
    ------
    ValueError
        for another method, for numbers of observations that are not known, or below 2.

    Examples
    --------
    >>> found = cramervonmises_2samp([0.1, 0.4, 0.9], [0.5, 0.7, 1.2, 1.5])
    >>> [v.eval().round(4).item() for v in found]
    [0.2619, 0.2857]
    """
    one_of("cramervonmises_2samp", "method", method, ("auto", "exact", "asymptotic"))
    of = several([x, y], axis, nan_policy, keepdims)
    sizes = [static_length(lengths_of(v.rows)[-1]) for v in of]
    if any(isinstance(size, int) and size < 2 for size in sizes):
        least = "cramervonmises_2samp takes two observations of each sample or more"
        raise ValueError(f"{least}, not {sizes[0]} and {sizes[1]}{called()}")
    kind = of[0].rows.dtype
    own = [sort(v.rows, -1) for v in of]
    ranks = rankdata(concatenate(own, -1), axis=-1)
    n, m = (lengths_of(v.rows)[-1] for v in of)
    parts = index(ranks, (..., slice(0, n))), index(ranks, (..., slice(n, None)))
    apart = [sum((v - arange(1, k + 1)) ** 2, -1) for v, k in zip(parts, (n, m), strict=True)]
    of_ranks = n * apart[0] + m * apart[1]
    ways, total = (n * m).astype("float64"), (n + m).astype("float64")
    statistic = of_ranks / (ways * total) - (4 * ways - 1) / (6 * total)
    many = any(isinstance(size, int) and size > _FEW for size in sizes)
    if method == "asymptotic" or (method == "auto" and many):
        spread = 4 * ways * total - 3 * (n * n + m * m) - 2 * ways
        spread = (total + 1) * spread / (4 * ways * total**2)
        moved = 1 / 6 + (statistic - (1 + 1 / total) / 6) / sqrt(spread)
        near = minimum(maximum(moved, 1e-3), _FAR)
        chance = maximum(1 - _limit(near), 0.0)
        chance = where(moved < 0.003, 1.0, where(moved >= _FAR, 0.0, chance))
    else:
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) < 2:
            unknown = "cramervonmises_2samp: the numbers of observations are not known before"
            way = "give them by `specify_shape`, or method='asymptotic'"
            raise ValueError(f"{unknown}: {way}{called()}")
        places, tail = (constant(v) for v in _squares_by_chance(*known))
        at = searchsorted(places, where(isnan(of_ranks), 0.0, of_ranks))
        chance = take(tail, minimum(at, lengths_of(tail)[0] - 1))
    holes = isnan(of_ranks)
    results = (where(holes, nan, v).astype(kind) for v in (statistic, chance))
    return SignificanceResult(*[of[0].result(v) for v in results])


def _squares_by_chance(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """The values that `of_ranks` takes without ties, and a quarter, and how likely at least each.

    They are linear in the sum of (i / n - j / m)² over all observations so far, i and j of each
    sample: Y. Xiao, A. Gordon and A. Yakovlev, A C++ program for the Cramér-von Mises two-sample
    test, 2006.
    """
    whole = lcm(n, m)
    up, right = whole // n, whole // m
    column: list[dict[int, int]] = []
    for i in range(n + 1):
        below: dict[int, int] = {}
        for j in range(m + 1):
            ways: dict[int, int] = {0: 1} if i == j == 0 else {}
            for before in (below if j else {}, column[j] if i else {}):
                for value, count in before.items():
                    more = value + (i * up - j * right) ** 2
                    ways[more] = ways.get(more, 0) + count
            below = ways
            column[j : j + 1] = [ways]
    values = np.array(sorted(column[m]))
    counts = [column[m][int(v)] for v in values]
    tail = np.cumsum(counts[::-1], dtype="float64")[::-1] / float(np.sum(counts, dtype=object))
    # The statistic is n m / (n + m)² of these over whole²; ranks are that and a constant.
    statistics = values * (n * m / (n + m) ** 2 / whole**2)
    places = (statistics + (4 * n * m - 1) / (6 * (n + m))) * (n * m * (n + m))
    return np.round(places * 2) / 2 + 0.25, tail


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
