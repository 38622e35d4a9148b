"""Tests of several samples by what their distribution functions are, of quantiles and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt as root_of
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.distributions.discrete_rows import binom
from weft_tensor.ops.distributions.gamma_rows import chi2
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sign, sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, isnan, neq, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.matrices.forms.hermitian_inverse import pinvh
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import all, any, mean, sum
from weft_tensor.ops.sample_statistics.correlations import linregress, pearsonr
from weft_tensor.ops.sample_statistics.hypotheses.tables import chi2_contingency
from weft_tensor.ops.sample_statistics.ranks import rankdata, ties_of
from weft_tensor.ops.sample_statistics.resampled import PermutationMethod, chance_by
from weft_tensor.ops.sample_statistics.samples import (
    SignificanceResult,
    numbers,
    one_of,
    pairs,
    probability,
    several,
)
from weft_tensor.ops.sample_statistics.spread import iqr
from weft_tensor.ops.sample_statistics.tests_of_means import sum_of
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = [
    "Anderson_ksampResult",
    "MedianTestResult",
    "QuantileTestResult",
    "anderson_ksamp",
    "epps_singleton_2samp",
    "median_test",
    "obrientransform",
    "probplot",
    "quantile_test",
    "somersd",
    "spearmanrho",
    "tiecorrect",
]

_T = TensorVariable


class Anderson_ksampResult(NamedTuple):
    """The normalised statistic, what it is at probabilities from 25 % to 0.1 %, and its own."""

    statistic: TensorVariable
    critical_values: TensorVariable
    pvalue: TensorVariable


class MedianTestResult(NamedTuple):
    """The statistic, its probability, the median of all, and how many are above and below it."""

    statistic: TensorVariable
    pvalue: TensorVariable
    median: TensorVariable
    table: TensorVariable


class QuantileTestResult(NamedTuple):
    """How many observations are at most the quantile (type 1) or below it (type 2)."""

    statistic: TensorVariable
    statistic_type: TensorVariable
    pvalue: TensorVariable


def _vectors(
    name: str, samples: Sequence[TensorLike], least: int = 2, policy: str = "propagate"
) -> list[_T]:
    """Samples of one dtype, as vectors."""
    if len(samples) < least:
        raise ValueError(f"{name} compares {least} samples or more, not {len(samples)}{called()}")
    rows = [of.rows for of in several(samples, 0, policy)]
    for v in rows:
        if v.ndim != 1:
            raise ValueError(f"{name}: samples are vectors, not {v!r}{called()}")
    return rows


_LEVELS: Final = np.array([0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001])
_AT_LEVELS: Final = np.array([
    [0.675, 1.281, 1.645, 1.96, 2.326, 2.573, 3.085],
    [-0.245, 0.25, 0.678, 1.149, 1.822, 2.364, 3.615],
    [-0.105, -0.305, -0.362, -0.391, -0.396, -0.345, -0.154],
])  # fmt: skip
"""Statistics at these probabilities: coefficients of 1, 1/sqrt(m), 1/m; m, one sample less."""


def anderson_ksamp(
    samples: Sequence[TensorLike],
    midrank: bool = True,
    *,
    variant: str | None = None,
    method: PermutationMethod | None = None,
) -> Anderson_ksampResult:
    """Whether samples may have one distribution: by squared distances, weighted, of theirs.

    By F. W. Scholz and M. A. Stephens, K-sample Anderson-Darling tests, J. Am. Stat. Ass. 82
    (1987). Equal observations count half, or, with variant="right" (`midrank=False`), as at the
    right of them. Probabilities are between 0.001 and 0.25, unless `method` is a
    `PermutationMethod`. See `scipy.stats.anderson_ksamp`.
    Raises ValueError for fewer than two samples, other than vectors, and another variant or method.

    >>> anderson_ksamp([[1.0, 2.0, 3.0, 7.0], [2.5, 4.0, 9.0, 8.0]]).statistic.eval().round(4)
    np.float64(0.6224)
    """
    kind = ("midrank" if midrank else "right") if variant is None else variant
    one_of("anderson_ksamp", "variant", kind, ("midrank", "right"))
    rows = _vectors("anderson_ksamp", samples)
    ordered = sort(concatenate(rows, -1), -1)
    size, total = lengths_of(ordered)[-1], lengths_of(ordered)[-1].astype("float64")
    ties = ties_of(ordered)
    equal = (ties.last - ties.first + 1).astype("float64")
    half = 0.5 if kind == "midrank" else 0.0
    below = ties.last + 1 - half * equal
    spread = below * (total - below) - (total * equal / 4 if kind == "midrank" else 0.0)
    counted = spread > 0

    def distance(*several: _T) -> _T:
        parts = []
        for v in several:
            n, own = lengths_of(v)[-1].astype("float64"), sort(v, -1)
            left, right = (searchsorted(own, ordered, side=side) for side in ("left", "right"))
            apart = total * (right - half * (right - left)) - below * n
            part = sum(where(counted, apart**2 / where(counted, spread, 1.0), 0.0))
            parts.append(part / (total * n))
        return sum_of(parts) * ((total - 1) / total if kind == "midrank" else 1.0)

    shares = sum_of([1 / lengths_of(v)[-1].astype("float64") for v in rows])
    k, m = len(rows), len(rows) - 1
    deviation = sqrt(_variance(k, size, shares))
    holes = any(isnan(ordered)) | (ordered[0] >= ordered[-1])
    statistic = where(holes, float("nan"), (distance(*rows) - m) / deviation)
    critical = np.array([1, 1 / root_of(m), 1 / m]) @ _AT_LEVELS
    if method is not None:
        kinds = (PermutationMethod,)
        chance = chance_by(method, "anderson_ksamp", rows, distance, "greater", kinds=kinds)
    else:
        bend, slope, start = np.polyfit(critical, np.log(_LEVELS), 2)
        inner = minimum(maximum(statistic, critical[0]), critical[-1])
        chance = exp(start + inner * (slope + inner * bend))
        chance = where(
            statistic < critical[0], 0.25, where(statistic > critical[-1], 0.001, chance)
        )
    return Anderson_ksampResult(statistic, constant(critical), where(holes, float("nan"), chance))


def _variance(k: int, size: _T, shares: _T) -> _T:
    """Of the statistic, by the number of samples and the sum of 1 over their lengths."""
    places = arange(1, size - 1).astype("float64")
    n = size.astype("float64")
    h = sum(1 / arange(1, size).astype("float64"))
    g = sum(cumsum(1 / (n - places)) / (places + 1))
    a = (4 * g - 6) * (k - 1) + (10 - 6 * g) * shares
    b = (2 * g - 4) * k**2 + 8 * h * k + (2 * g - 14 * h - 4) * shares - 8 * h + 4 * g - 6
    c = (6 * h + 2 * g - 2) * k**2 + (4 * h - 4 * g + 6) * k + (2 * h - 6) * shares + 4 * h
    d = (2 * h + 6) * k**2 - 4 * h * k
    return (a * n**3 + b * n**2 + c * n + d) / ((n - 1) * (n - 2) * (n - 3))


def median_test(
    *samples: TensorLike,
    ties: str = "below",
    correction: bool = True,
    lambda_: float | str | None = 1,
    nan_policy: str = "propagate",
) -> MedianTestResult:
    """Whether samples may have one median: by how many of each are above that of all.

    Those that equal it are counted "below" or "above", or not ("ignore"). The rest is that of
    `chi2_contingency`. See `scipy.stats.median_test`. Raises ValueError as `anderson_ksamp` does,
    for other `ties`, and, when the function runs, if none are above or below.

    >>> median_test([1.0, 2.0, 3.0, 7.0], [2.5, 4.0, 9.0, 8.0]).table.eval().tolist()
    [[1, 3], [3, 1]]
    """
    one_of("median_test", "ties", ties, ("below", "above", "ignore"))
    rows = _vectors("median_test", samples, policy=nan_policy)
    middle = median(concatenate(rows, -1), -1)
    above = stack([sum(v >= middle if ties == "above" else v > middle) for v in rows])
    below = stack([sum(v <= middle if ties == "below" else v < middle) for v in rows])
    table = stack([above, below])
    found = chi2_contingency(table, correction, lambda_)
    return MedianTestResult(found[0], found[1], middle, table)


def epps_singleton_2samp(
    x: TensorLike,
    y: TensorLike,
    t: TensorLike = (0.4, 0.8),
    *,
    axis: int = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether two samples may have one distribution: by their characteristic functions at `t`.

    By T. W. Epps and K. J. Singleton, An omnibus test for the two-sample problem using the
    empirical characteristic function (1986). NaN for fewer than 5 observations. See
    `scipy.stats.epps_singleton_2samp`.

    >>> x, y = [1.0, 2.0, 3.0, 7.0, 5.0], [2.5, 4.0, 9.0, 8.0, 6.0]
    >>> epps_singleton_2samp(x, y).statistic.eval().round(4)
    np.float64(1.5101)
    """
    of = several([x, y], axis, nan_policy, keepdims)
    first, second = (v.rows for v in of)
    scale = iqr(concatenate([first, second], -1), -1, keepdims=True) / 2
    at = numbers(t).astype(first.dtype)
    places = at[:, None] / scale[..., None]

    def waves(rows: _T) -> _T:
        turns = places * rows[..., None, :]
        return concatenate([cos(turns), sin(turns)], -2)

    both = [waves(v) for v in (first, second)]
    counts = [lengths_of(v)[-1].astype(first.dtype) for v in both]
    n, m = counts
    apart = [v - mean(v, -1, keepdims=True) for v in both]
    spreads = [(v @ matrix_transpose(v)) / c**2 for v, c in zip(apart, counts, strict=True)]
    spread = (n + m) * (spreads[0] + spreads[1])
    known = all(isfinite(spread), (-2, -1), keepdims=True)
    inverse = pinvh(where(known, spread, eye(lengths_of(spread)[-1])))
    off = mean(both[0], -1) - mean(both[1], -1)
    found = (n + m) * sum(off * (inverse @ off[..., None])[..., 0], -1)
    small = 1 / (1 + (n + m) ** -0.45 + 10.1 * (n**-1.7 + m**-1.7))
    found = where(maximum(n, m) < 25, small, 1.0) * found
    found = where(minimum(n, m) < 5, float("nan"), found).astype(first.dtype)
    df = (2 * lengths_of(at)[0]).astype(first.dtype)
    chance = chi2.sf(found, df, check=False).astype(found.dtype)
    return SignificanceResult(of[0].result(found), of[0].result(chance))


def quantile_test(
    x: TensorLike, *, q: TensorLike = 0, p: TensorLike = 0.5, alternative: str = "two-sided"
) -> QuantileTestResult:
    """Whether the quantile of the share `p` may be `q`, by how many observations are below it.

    By W. J. Conover, Practical Nonparametric Statistics (1999), 3.2. See
    `scipy.stats.quantile_test`. Raises ValueError for another alternative.

    >>> quantile_test([1.0, 2.0, 3.0, 4.0, 5.0], q=1.5).pvalue.eval()
    array(0.375)
    """
    one_of("quantile_test", "alternative", alternative, ("two-sided", "less", "greater"))
    rows, place = ravel(numbers(x)), as_tensor(q)
    n = lengths_of(rows)[0]
    most, fewer = sum(rows <= place), sum(rows < place)
    greater, less = binom.cdf(most, n, p), binom.sf(fewer - 1, n, p)
    first = greater <= less
    rarer = minimum(2 * where(first, greater, less), 1.0)
    chances = {"less": less, "greater": greater, "two-sided": rarer}
    is_first = {"less": constant(False), "greater": constant(True), "two-sided": first}[alternative]
    chance = where(any(isnan(rows)), float("nan"), chances[alternative])
    return QuantileTestResult(where(is_first, most, fewer), where(is_first, 1, 2), chance)


def somersd(
    x: TensorLike, y: TensorLike | None = None, alternative: str = "two-sided"
) -> SignificanceResult:
    """How far the order of `y` follows that of `x`: concordant pairs less others, not tied in x.

    `x` is a vector, as `y` is, or a table of counts alone. Of n pairs n² comparisons are made. See
    `scipy.stats.somersd`. Raises ValueError for another alternative or other ranks.

    >>> [v.eval().round(4).item() for v in somersd([1, 2, 3, 3, 5], [2, 1, 4, 4, 3])]
    [0.3333, 0.073]
    """
    first = numbers(x)
    if y is not None:
        a, b = pairs(ravel(first), ravel(numbers(y)), 0)
        rises = sign(a.rows[:, None] - a.rows) * sign(b.rows[:, None] - b.rows)
        whole = sum(rises, -1)
        counts, n = as_tensor(1.0), a.number
        untied = sum(neq(a.rows[:, None], a.rows)).astype(first.dtype)
    elif first.ndim == 2:
        before, beside = (sign(k[:, None] - k) for k in map(arange, lengths_of(first)))
        whole = before @ first @ matrix_transpose(beside)
        counts, n = first, sum(first)
        untied = n**2 - sum(sum(first, 1) ** 2)
    else:
        raise ValueError(f"somersd takes two vectors, or a table, not {first!r}{called()}")
    score = sum(counts * whole)
    spread = sum(counts * whole**2) - score**2 / n
    chance = probability(norm, score / (2 * sqrt(spread)), alternative)
    return SignificanceResult(score / untied, chance)


def spearmanrho(
    x: TensorLike,
    y: TensorLike,
    /,
    *,
    alternative: str = "two-sided",
    axis: int = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """The correlation of ranks along an axis, as `pearsonr` tests it.

    See `scipy.stats.spearmanrho`.

    >>> spearmanrho([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 9.0]).statistic.eval()
    array(0.8)
    """
    samples = pairs(x, y, axis, nan_policy, keepdims)
    ranks = [rankdata(of.rows, axis=-1).astype(of.rows.dtype) for of in samples]
    found = pearsonr(*ranks, alternative=alternative, axis=-1)
    return SignificanceResult(*map(samples[0].result, found))


def tiecorrect(rankvals: TensorLike) -> TensorVariable:
    """By what tests of ranks divide where some are equal: 1 less how many of all cubes are tied.

    See `scipy.stats.tiecorrect`.

    >>> tiecorrect([1.0, 2.5, 2.5, 4.0]).eval()
    array(0.9)
    """
    ordered = sort(ravel(numbers(rankvals)), -1)
    ties = ties_of(ordered)
    equal = (ties.last - ties.first + 1).astype("float64")
    n = lengths_of(ordered)[0].astype("float64")
    return 1 - sum(equal**2 - 1) / maximum(n**3 - n, 1.0)


def obrientransform(*samples: TensorLike) -> tuple[TensorVariable, ...]:
    """Of each sample numbers whose mean is its variance, which `f_oneway` takes.

    See `scipy.stats.obrientransform`; here results are a tuple for all lengths.

    >>> obrientransform([1.0, 2.0, 6.0])[0].eval()
    array([ 5.5 , -1.25, 16.75])
    """
    changed = []
    for v in _vectors("obrientransform", samples, 1):
        n = lengths_of(v)[0].astype(v.dtype)
        square = (v - mean(v)) ** 2
        changed.append(((n - 1.5) * n * square - 0.5 * sum(square)) / ((n - 1) * (n - 2)))
    return tuple(changed)


def expected_shares(ordered: TensorVariable) -> TensorVariable:
    """About which probabilities are below the places where observations in order are expected."""
    n = lengths_of(ordered)[0].astype("float64")
    end = 0.5 ** (1 / n)
    k = arange(1, lengths_of(ordered)[0] + 1).astype("float64")
    middle = (k - 0.3175) / (n + 0.365)
    return where(k <= 1, 1 - end, where(k >= n, end, middle))


def probplot(
    x: TensorLike, sparams: Any = (), dist: Any = "norm", fit: bool = True
) -> tuple[Any, Any]:
    """Places where observations are expected in order, and these in order; and a line through them.

    By J. J. Filliben, The probability plot correlation coefficient test for normality (1975).
    `dist` is a distribution of `wt.stats`, or its name, `sparams` its shape parameters. The line
    is slope, intercept and correlation. See `scipy.stats.probplot`, whose `plot` there is not.

    >>> (places, ordered), (slope, *_) = probplot([3.0, 1.0, 2.0])
    >>> places.eval().round(4), ordered.eval()
    (array([-0.8193,  0.    ,  0.8193]), array([1., 2., 3.]))
    """
    law: Any = lazy_import(f"weft_tensor.stats.{dist}") if isinstance(dist, str) else dist
    ordered = sort(ravel(numbers(x)), -1)
    shares = expected_shares(ordered)
    given = sparams if isinstance(sparams, (tuple, list)) else (sparams,)
    places = law.ppf(shares, *given)
    if not fit:
        return places, ordered
    line = linregress(places, ordered)
    return (places, ordered), (line.slope, line.intercept, line.rvalue)
