"""Tests of whether several samples have one spread, mean or place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.distributions.gamma_rows import chi2, f
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import abs, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.elementwise.exponential import log, log1p
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any, mean, sum
from weft_tensor.ops.sample_statistics.means import trim_mean
from weft_tensor.ops.sample_statistics.ranks import rankdata, ties_of
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    SignificanceResult,
    by_policy,
    one_of,
    precision,
    probability,
    several,
)
from weft_tensor.ops.sample_statistics.tests_of_means import sum_of
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.special.normal import ndtri
from weft_tensor.ops.statistics.moments import var
from weft_tensor.types.axes import Axes

__all__ = ["alexandergovern", "bartlett", "fligner", "friedmanchisquare", "levene", "mood"]


def _samples(
    name: str,
    samples: Sequence[TensorLike],
    axis: Axes,
    policy: str,
    keepdims: bool,
    least: int = 2,
) -> list[Observations]:
    if len(samples) < least:
        raise ValueError(f"{name} compares {least} samples or more, not {len(samples)}{called()}")
    return several(samples, axis, policy, keepdims)


def _by_chi2(of: Observations, statistic: TensorVariable, df: float) -> SignificanceResult:
    statistic = statistic.astype(of.rows.dtype)
    chance = chi2.sf(statistic, df, check=False).astype(statistic.dtype)
    return SignificanceResult(of.result(statistic), of.result(chance))


def bartlett(
    *samples: TensorLike, axis: Axes = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> SignificanceResult:
    """Whether normal samples may have one variance. See `scipy.stats.bartlett`.

    Raises ValueError for fewer than two samples, as the other functions of several do.

    >>> bartlett([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]).statistic.eval().round(4)
    np.float64(2.123)
    """
    each = _samples("bartlett", samples, axis, nan_policy, keepdims)
    groups = len(each)
    own = [var(of.rows, -1, ddof=1) for of in each]
    df = [of.number - 1 for of in each]
    rest = sum_of(df)
    pooled = sum_of([n * v for n, v in zip(df, own, strict=True)]) / rest
    logs = sum_of([n * log(v) for n, v in zip(df, own, strict=True)])
    share = 1 + (sum_of([1 / n for n in df]) - 1 / rest) / (3 * (groups - 1))
    return _by_chi2(each[0], maximum((rest * log(pooled) - logs) / share, 0.0), groups - 1.0)


def _apart(
    each: Sequence[Observations], center: str, cut: float, name: str
) -> list[TensorVariable]:
    """How far observations are from the middles of their samples."""
    one_of(name, "center", center, ("median", "mean", "trimmed"))
    middles: dict[str, Callable[[TensorVariable], TensorVariable]] = {
        "median": lambda rows: median(rows, -1, keepdims=True),
        "mean": lambda rows: mean(rows, -1, keepdims=True),
        "trimmed": lambda rows: trim_mean(rows, cut, -1, keepdims=True),
    }
    return [abs(of.rows - middles[center](of.rows)) for of in each]


def levene(
    *samples: TensorLike,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether samples may have one spread: `f_oneway` of the distances from their middles.

    The middle is the "median", the "mean", or that without a share at both ends, "trimmed". See
    `scipy.stats.levene`.

    >>> levene([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]).statistic.eval().round(4)
    np.float64(1.25)
    """
    each = _samples("levene", samples, axis, nan_policy, keepdims)
    parts = _apart(each, center, proportiontocut, "levene")
    groups, counts = len(each), [of.number for of in each]
    total = sum_of(counts)
    own = [mean(v, -1) for v in parts]
    middle = sum_of([n * v for n, v in zip(counts, own, strict=True)]) / total
    between = sum_of([n * (v - middle) ** 2 for n, v in zip(counts, own, strict=True)])
    inside = sum_of(
        [sum((p - v.expand_dims(-1)) ** 2, -1) for p, v in zip(parts, own, strict=True)]
    )
    df = total - groups
    statistic = (df * between / ((groups - 1) * inside)).astype(each[0].rows.dtype)
    chance = f.sf(statistic, groups - 1.0, df, check=False).astype(statistic.dtype)
    return SignificanceResult(each[0].result(statistic), each[0].result(chance))


def fligner(
    *samples: TensorLike,
    center: str = "median",
    proportiontocut: float = 0.05,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether samples may have one spread, by the ranks of the distances from their middles.

    `center` is as for `levene`. See `scipy.stats.fligner`.

    >>> fligner([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]).statistic.eval().round(4)
    np.float64(1.0813)
    """
    each = _samples("fligner", samples, axis, nan_policy, keepdims)
    rows = concatenate(_apart(each, center, proportiontocut, "fligner"), -1)
    n = lengths_of(rows)[-1].astype("float64")
    scores = ndtri(rankdata(rows, axis=-1) / (2 * (n + 1)) + 0.5)
    middle, between, at = mean(scores, -1), [], constant(0)
    for of in each:
        end = at + lengths_of(of.rows)[-1]
        own = mean(index(scores, (..., slice(at, end))), -1)
        between.append((end - at) * (own - middle) ** 2)
        at = end
    statistic = sum_of(between) / var(scores, -1, ddof=1)
    return _by_chi2(each[0], statistic, len(each) - 1.0)


def alexandergovern(
    *samples: TensorLike, nan_policy: str = "propagate", axis: Axes = 0, keepdims: bool = False
) -> SignificanceResult:
    """Whether samples of unequal variances may have one mean. See `scipy.stats.alexandergovern`.

    By R. A. Alexander and D. M. Govern, A new and simpler approximation for ANOVA under variance
    heterogeneity, 1994. NaN where a sample's numbers are equal.

    >>> alexandergovern([1.0, 2.0, 3.0], [2.0, 4.0, 9.0]).statistic.eval().round(4)
    np.float64(1.1258)
    """
    each = _samples("alexandergovern", samples, axis, nan_policy, keepdims)
    means = [mean(of.rows, -1) for of in each]
    squares = []
    for of, own in zip(each, means, strict=True):
        square = var(of.rows, -1, ddof=1) / of.number
        steady = sqrt(square) <= abs(precision(of.rows.dtype) * own)
        squares.append(where(steady, float("nan"), square))
    whole = sum_of([1 / v for v in squares])
    middle = sum_of([m / v for m, v in zip(means, squares, strict=True)]) / whole
    scores = []
    for of, own, square in zip(each, means, squares, strict=True):
        df = of.number - 1
        a = df - 0.5
        b, s = 48 * a**2, a * log1p((own - middle) ** 2 / (square * df))
        last = (4 * s**3 + 33 * s**2 + 240 * s + 855) / (10 * b**2 + 8 * b * s**2 + 1000 * b)
        scores.append(s * (1 + (s + 3) / b - last) ** 2)
    return _by_chi2(each[0], sum_of(scores), len(each) - 1.0)


def mood(
    x: TensorLike,
    y: TensorLike,
    axis: Axes = 0,
    alternative: str = "two-sided",
    *,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Whether two samples may have one spread, by squared distances of ranks from their middle.

    Equal observations share the mean of theirs: P. W. Mielke, Note on some squared rank tests with
    existing ties, 1967. See `scipy.stats.mood`. Raises ValueError for another alternative.

    >>> [v.eval().round(4).item() for v in mood([1.0, 9.0, 5.0], [4.0, 4.5, 5.5, 6.0])]
    [1.2247, 0.2207]
    """
    of = _samples("mood", [x, y], axis, nan_policy, keepdims)
    rows = concatenate([v.rows for v in of], -1)
    n, total = lengths_of(of[0].rows)[-1], lengths_of(rows)[-1]
    order = argsort(rows, -1)
    ties = ties_of(take_along_axis(rows, order, -1))
    squares = (arange(total) - (total - 1) / 2) ** 2
    sums = concatenate([[0.0], cumsum(squares)], 0)
    equal = ties.last - ties.first + 1
    shared = (index(sums, ties.last + 1) - index(sums, ties.first)) / equal
    count, size = n.astype("float64"), total.astype("float64")
    beside = size - 1 - ties.first - ties.last
    lost = sum((equal**2 - 1) * (equal**2 - 4 + 15 * beside**2), -1) / (size * (size - 1))
    spread = count * (size - count) / 180 * ((size + 1) * (size**2 - 4) - lost)
    score = sum(where(order < n, shared, 0.0), -1) - count * (size**2 - 1) / 12
    score = where(any(isnan(rows), -1), float("nan"), score / sqrt(spread)).astype(rows.dtype)
    chance = probability(norm, score, alternative)
    return SignificanceResult(of[0].result(score), of[0].result(chance))


def friedmanchisquare(
    *samples: TensorLike, axis: Axes = 0, nan_policy: str = "propagate", keepdims: bool = False
) -> SignificanceResult:
    """Whether repeated measurements may have one distribution, by ranks within each repetition.

    See `scipy.stats.friedmanchisquare`. Raises ValueError for fewer than three samples.

    >>> friedmanchisquare([1.0, 2.0, 3.0], [2.0, 4.0, 9.0], [3.0, 3.0, 4.0]).statistic.eval()
    array(4.66666667)
    """
    each = _samples("friedmanchisquare", samples, axis, "propagate", keepdims, 3)
    each = by_policy(nan_policy, *each)
    groups, n = len(each), each[0].number.astype("float64")
    rows = stack(broadcast_arrays(*[of.rows for of in each]), -1)
    ties = ties_of(sort(rows, -1))
    equal = (ties.last - ties.first + 1).astype("float64")
    share = 1 - sum(equal**2 - 1, (-2, -1)) / (groups * (groups**2 - 1) * n)
    sums = sum(rankdata(rows, axis=-1), -2)
    height = 12 / (groups * n * (groups + 1)) * sum(sums**2, -1) - 3 * n * (groups + 1)
    return _by_chi2(each[0], height / share, groups - 1.0)
