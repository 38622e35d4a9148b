"""How far the distribution functions of two samples are apart: Kolmogorov's and Smirnov's test."""

from __future__ import annotations

from importlib import import_module
from math import nan
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.rows.distance_rows import kstwo
from weft_tensor.ops.elementwise.arithmetic import abs, gcd, maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any, mean
from weft_tensor.ops.sample_statistics.ranks import rankdata, ties_of
from weft_tensor.ops.sample_statistics.resampled import PermutationMethod
from weft_tensor.ops.sample_statistics.resampling import (
    PermutationTestResult,
    permutation_test,
)
from weft_tensor.ops.sample_statistics.samples import one_of, several
from weft_tensor.ops.sample_statistics.tests_of_fit import KstestResult, ks_1samp
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.axes import Axes

__all__ = ["bws_test", "ks_2samp", "kstest"]


def ks_2samp(
    data1: TensorLike,
    data2: TensorLike,
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> KstestResult:
    """Whether two samples may come from one distribution, by how far their shares are apart.

    See `scipy.stats.ks_2samp`. The result is a tuple of `statistic` and `pvalue`, and has
    `statistic_location` and `statistic_sign`.

    Parameters
    ----------
    data1, data2
        Observations.
    alternative
        "two-sided", "less" or "greater".
    method
        "exact", which takes n (n + m) steps; "asymp", which is about that of one sample of
        n m / (n + m); "auto" for the exact one of at most 10,000 in each sample.
    axis, nan_policy, keepdims
        As for `ttest_ind`.

    Raises
    ------
    ValueError
        for another alternative or method.

    Examples
    --------
    >>> ks_2samp([1.0, 2.0, 3.0], [2.5, 4.0, 5.0]).pvalue.eval().round(4)
    np.float64(0.6)
    """
    one_of("ks_2samp", "alternative", alternative, ("two-sided", "less", "greater"))
    one_of("ks_2samp", "method", method, ("auto", "exact", "asymp"))
    of = several([data1, data2], axis, nan_policy, keepdims)
    kind = of[0].rows.dtype
    rows = concatenate([v.rows for v in of], -1)
    n, m = (lengths_of(v.rows)[-1] for v in of)
    order = argsort(rows, -1)
    ordered = take_along_axis(rows, order, -1)
    last = ties_of(ordered).last
    first, second = (
        take_along_axis(cumsum(side.astype("int64"), -1), last, -1)
        for side in (order < n, order >= n)
    )
    above = first / n - second / m
    ways = {"greater": above, "less": -above}
    if alternative == "two-sided":
        is_above = above.max(-1) >= (-above).max(-1)
        apart = where(is_above.expand_dims(-1), above, -above)
    else:
        is_above = constant(alternative == "greater")
        apart = ways[alternative]
    place = argmax(apart, -1, keepdims=True)
    holes = any(isnan(rows), -1) | minimum(n, m).eq(0)
    far = where(holes, 0.0, take_along_axis(apart, place, -1).squeeze(-1))
    both_sides = alternative == "two-sided"
    if method == "auto":
        few = maximum(n, m) <= 10_000
        chance = ifelse(few, _exact(far, n, m, both_sides), _limit(far, n, m, both_sides))
    else:
        chance = (_exact if method == "exact" else _limit)(far, n, m, both_sides)
    parts = (of[0].result(where(holes, nan, v).astype(kind)) for v in (far, chance))
    result = KstestResult(*parts)
    result.statistic_location = of[0].result(take_along_axis(ordered, place, -1).squeeze(-1))
    result.statistic_sign = of[0].result(where(is_above, 1, -1) + 0 * place.squeeze(-1))
    return result


def _exact(
    distance: TensorVariable, n: TensorVariable, m: TensorVariable, both_sides: bool
) -> TensorVariable:
    """The probability that shares of n and m elements are once that far apart.

    The last of i and j elements is of the first sample in i of i + j cases. By J. L. Hodges, The
    significance probability of the Smirnov two-sample test, 1958, from the end.
    """
    common = gcd(n, m)
    least = rint(distance * (n // common * m)).expand_dims(-1)
    own = arange(n + 1)

    def step(s: TensorVariable, shares: TensorVariable) -> TensorVariable:
        other = s - own
        ahead = (own * m - other * n) // common
        outside = (abs(ahead) if both_sides else ahead) >= least
        fewer = index(shares, (..., maximum(own - 1, 0)))
        by_chance = (where(own > 0, fewer * own, 0.0) + where(other > 0, shares * other, 0.0)) / s
        return where((other >= 0) & (other <= m), where(outside, 1.0, by_chance), 0.0)

    first = where(least <= 0, 1.0, 0.0) + 0.0 * own
    ends: TensorVariable = fori_loop(1, n + m + 1, step, first)
    return index(ends, (..., n))


def _limit(
    distance: TensorVariable, n: TensorVariable, m: TensorVariable, both_sides: bool
) -> TensorVariable:
    """Of many elements: as of one sample of about n m / (n + m); of one side by Hodges, 5.3."""
    n, m = (v.astype("float64") for v in (n, m))
    if both_sides:
        return kstwo.sf(distance, maximum(rint(n * m / (n + m)), 1.0), check=False)
    scaled = sqrt(n * m / (n + m)) * distance
    correction = scaled * (maximum(n, m) + 2 * minimum(n, m)) / sqrt(n * m * (n + m)) / 3
    return minimum(exp(-2 * (scaled**2 + correction)), 1.0)


def kstest(
    rvs: TensorLike,
    cdf: Any,
    args: Any = (),
    alternative: str = "two-sided",
    method: str = "auto",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> KstestResult:
    """Whether observations come from a distribution, or another sample from the same.

    `ks_1samp` where `cdf` is a function, or the name of one of `wt.stats`; else `ks_2samp`. See
    `scipy.stats.kstest`.

    >>> kstest([0.1, 0.4, 0.9], "uniform", alternative="less").statistic.eval().round(4)
    np.float64(0.2333)
    """
    how: Any = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
    if isinstance(cdf, str):
        cdf = getattr(import_module("weft_tensor.stats"), cdf).cdf
    if callable(cdf):
        return ks_1samp(rvs, cdf, args, alternative, method, **how)
    return ks_2samp(rvs, cdf, alternative, method, **how)


def _weighted_distance(x: TensorVariable, y: TensorVariable, is_two_sided: bool) -> TensorVariable:
    """Of ranks in order from those expected, over what they vary."""
    parts = []
    for own, other in ((x, y), (y, x)):
        n, m = lengths_of(own)[-1].astype("float64"), lengths_of(other)[-1].astype("float64")
        k = arange(1, lengths_of(own)[-1] + 1).astype("float64")
        apart = sort(own, -1) - (n + m) / n * k
        share = k / (n + 1)
        square = apart * (apart if is_two_sided else abs(apart))
        parts.append(mean(square / (share * (1 - share) * (m * (n + m) / n)), -1))
    return 0.5 * (parts[0] + (parts[1] if is_two_sided else -parts[1]))


def bws_test(
    x: TensorLike,
    y: TensorLike,
    *,
    alternative: str = "two-sided",
    method: PermutationMethod | None = None,
) -> PermutationTestResult:
    """Whether two samples may come from one distribution, by distances that weigh tails more.

    W. Baumgartner, P. Weiss and H. Schindler, A nonparametric test for the general two-sample
    problem, 1998; with a sign for one side, M. Neuhaeuser, Exact tests based on the
    Baumgartner-Weiss-Schindler statistic, 2005. The probability is that of `permutation_test`,
    with the arguments of `method`. See `scipy.stats.bws_test`. Raises ValueError for another
    alternative, what is no vector, and without a key in `method` where one is needed.

    >>> found = bws_test([1.0, 2.0, 3.0, 4.0], [5.0, 9.0, 10.0, 11.0])
    >>> found.statistic.eval().round(4), found.pvalue.eval().round(4)
    (np.float64(3.7109), np.float64(0.0286))
    """
    one_of("bws_test", "alternative", alternative, ("two-sided", "less", "greater"))
    first, second = (of.rows for of in several([x, y], 0))
    if first.ndim != 1 or second.ndim != 1:
        raise ValueError(f"bws_test takes vectors, not {first!r} and {second!r}{called()}")
    how = method or PermutationMethod()
    ranks = rankdata(concatenate([first, second], 0))
    size = lengths_of(first)[0]
    return permutation_test(
        (ranks[:size], ranks[size:]),
        lambda one, two: _weighted_distance(one, two, alternative == "two-sided"),
        rng=how.rng,
        n_resamples=how.n_resamples,
        alternative="less" if alternative == "less" else "greater",
    )
