"""Tests of means: by one sample, by two, and by several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.gamma_rows import chi2, f, t
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.reduction.standard import all, mean, sum
from weft_tensor.ops.sample_statistics.means import trim_mean
from weft_tensor.ops.sample_statistics.ranks import rankdata, ties_of
from weft_tensor.ops.sample_statistics.resampled import (
    MonteCarloMethod,
    PermutationMethod,
    chance_by,
)
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    SignificanceResult,
    numbers,
    observations,
    pairs,
    probability,
    several,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.moments import var
from weft_tensor.types.axes import Axes

__all__ = [
    "F_onewayResult",
    "KruskalResult",
    "TtestResult",
    "f_oneway",
    "kruskal",
    "ttest_1samp",
    "ttest_ind",
    "ttest_ind_from_stats",
    "ttest_rel",
]


class _Test(NamedTuple):
    statistic: TensorVariable
    pvalue: TensorVariable


class TtestResult(_Test):
    """A statistic and its probability; `df`, the degrees of freedom, stands beside the tuple."""

    df: TensorVariable


class F_onewayResult(NamedTuple):  # SciPy's name
    """A statistic, and the probability of one at least as large."""

    statistic: TensorVariable
    pvalue: TensorVariable


class KruskalResult(NamedTuple):
    """A statistic, and the probability of one at least as large."""

    statistic: TensorVariable
    pvalue: TensorVariable


def _t_result(
    of: Observations, statistic: TensorVariable, df: TensorVariable, alternative: str
) -> TtestResult:
    kind = of.rows.dtype
    statistic, df = statistic.astype(kind), df.astype(kind)
    chance = probability(t, statistic, alternative, df)
    result = TtestResult(of.result(statistic), of.result(chance))
    result.df = of.result(df)
    return result


def ttest_1samp(
    a: TensorLike,
    popmean: TensorLike,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> TtestResult:
    """Whether the mean of observations along an axis may be `popmean`, by Student's test.

    See `scipy.stats.ttest_1samp`. The result is a tuple of `statistic` and `pvalue`, and has `df`.
    `popmean` broadcasts with the other axes, and is of length 1 along `axis` if it has that, too.
    NaN for fewer than two. Raises ValueError for another alternative than "two-sided", "less" or
    "greater".

    >>> ttest_1samp([1.0, 2.0, 3.0], 0.0).pvalue.eval().round(4)
    np.float64(0.0742)
    """
    of = observations(a, axis, nan_policy, keepdims)
    middle = numbers(popmean).astype(of.rows.dtype)
    if middle.ndim == numbers(a).ndim and middle.ndim:
        middle = middle.squeeze(of.axes)
    n = of.number
    own = mean(of.rows, -1)
    statistic = (own - middle) / sqrt(var(of.rows, -1, ddof=1) / n)
    return _t_result(of, statistic, n - 1 + 0 * own, alternative)


def ttest_rel(
    a: TensorLike,
    b: TensorLike,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    *,
    keepdims: bool = False,
) -> TtestResult:
    """Whether the means of pairs may be equal: `ttest_1samp` of their differences.

    See `scipy.stats.ttest_rel`.

    >>> ttest_rel([1.0, 2.0, 3.0], [1.5, 3.0, 3.5]).statistic.eval().round(4)
    np.float64(-4.0)
    """
    first, second = pairs(a, b, axis, nan_policy, keepdims)
    apart = first.rows - second.rows
    n = first.number
    own = mean(apart, -1)
    statistic = own / sqrt(var(apart, -1, ddof=1) / n)
    return _t_result(first, statistic, n - 1 + 0 * own, alternative)


def _trimmed(
    rows: TensorVariable, share: float
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The mean without a share at each end, the variance with ends as the next ones, the number."""
    length: Any = lengths_of(rows)[-1]
    n = length.astype(rows.dtype)
    if not share:
        return mean(rows, -1), var(rows, -1, ddof=1), n
    cut: Any = (length * float(share)).astype("int64")
    ordered = sort(rows, -1)
    inner = clip(ordered, ordered[..., cut, None], ordered[..., length - cut - 1, None])
    left = (length - 2 * cut).astype(rows.dtype)
    spread = var(inner, -1) * n / (left - 1)
    return trim_mean(rows, share, -1), spread, left


def _two_means(
    middles: tuple[TensorVariable, TensorVariable],
    spreads: tuple[TensorVariable, TensorVariable],
    counts: tuple[TensorVariable, TensorVariable],
    equal_var: bool,
) -> tuple[TensorVariable, TensorVariable]:
    """The statistic of two samples, and its degrees of freedom."""
    (n, m), (u, v) = counts, spreads
    one, other = eq(n, 1), eq(m, 1)
    nothing = 0 * (middles[0] + middles[1])
    if equal_var:
        df = n + m - 2 + nothing
        u, v = where(one, 0.0, u), where(other, 0.0, v)
        pooled = ((n - 1) * u + (m - 1) * v) / df
        error = sqrt(pooled * (1 / n + 1 / m))
    else:  # B. L. Welch, The generalization of Student's problem, 1947
        u, v = u / n, v / m
        none = (eq(u, 0) & eq(v, 0)) | one | other
        rest = u**2 / (n - 1) + v**2 / (m - 1)
        df = where(none, 1.0 + nothing, (u + v) ** 2 / where(none, 1.0, rest))
        error = sqrt(u + v)
    return (middles[0] - middles[1]) / error, df


def ttest_ind(
    a: TensorLike,
    b: TensorLike,
    *,
    axis: Axes = 0,
    equal_var: bool = True,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
    trim: float = 0,
    method: PermutationMethod | MonteCarloMethod | None = None,
    keepdims: bool = False,
) -> TtestResult:
    """Whether the means of two independent samples may be equal, by Student's or Welch's test.

    See `scipy.stats.ttest_ind`, and `ttest_1samp`. Welch's is that without `equal_var`; a share
    `trim` is left out at each end (K. K. Yuen, The two-sample trimmed t for unequal population
    variances, 1974). Raises ValueError for another share than `trim_mean` takes, and for another
    `method`.

    >>> ttest_ind([1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0]).pvalue.eval().round(4)
    np.float64(0.12)
    """
    first, second = several([a, b], axis, nan_policy, keepdims)

    def parts(one: TensorVariable, two: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        (m, v, n), (other, u, k) = _trimmed(one, trim), _trimmed(two, trim)
        return _two_means((m, other), (v, u), (n, k), equal_var)

    result = _t_result(first, *parts(first.rows, second.rows), alternative)
    if method is None:
        return result
    chance = chance_by(
        method,
        "ttest_ind",
        [first.rows, second.rows],
        lambda one, two: parts(one, two)[0],
        alternative,
    )
    resampled = TtestResult(result.statistic, first.result(chance.astype(result.pvalue.dtype)))
    resampled.df = result.df
    return resampled


def ttest_ind_from_stats(
    mean1: TensorLike,
    std1: TensorLike,
    nobs1: TensorLike,
    mean2: TensorLike,
    std2: TensorLike,
    nobs2: TensorLike,
    equal_var: bool = True,
    alternative: str = "two-sided",
) -> SignificanceResult:
    """`ttest_ind` by means, standard deviations and numbers of observations.

    See `scipy.stats.ttest_ind_from_stats`.

    >>> ttest_ind_from_stats(2.0, 1.0, 3, 5.0, 2.0, 5).statistic.eval().round(4)
    np.float64(-2.3717)
    """
    values = [numbers(v) for v in (mean1, mean2, std1, std2, nobs1, nobs2)]
    middles, spreads, counts = ((values[k], values[k + 1]) for k in (0, 2, 4))
    squares = spreads[0] ** 2, spreads[1] ** 2
    statistic, df = _two_means(middles, squares, counts, equal_var)
    return SignificanceResult(statistic, probability(t, statistic, alternative, df))


def f_oneway(
    *samples: TensorLike,
    axis: Axes = 0,
    equal_var: bool = True,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> F_onewayResult:
    """Whether the means of several samples may be equal, by their variances.

    See `scipy.stats.f_oneway`. Without `equal_var` it is Welch's test. NaN where all observations
    are equal, infinite where they differ between samples only. Raises ValueError for fewer than two
    samples.

    >>> f_oneway([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]).statistic.eval().round(4)
    np.float64(2.4)
    """
    if len(samples) < 2:
        raise ValueError(f"f_oneway compares two samples or more, not {len(samples)}{called()}")
    each = several(samples, axis, nan_policy, keepdims)
    if not equal_var:
        return _welch(each)
    groups, kind = len(each), each[0].rows.dtype
    count = sum_of([of.number for of in each])
    shift = sum_of([sum(of.rows, -1, keepdims=True) for of in each]) / count.expand_dims(-1)
    each = [of._replace(rows=of.rows - shift) for of in each]  # squares keep their digits
    middle = sum_of([sum(of.rows, -1) for of in each]) / count
    own = [mean(of.rows, -1) for of in each]
    inside = sum_of(
        [sum((of.rows - v.expand_dims(-1)) ** 2, -1) for of, v in zip(each, own, strict=True)]
    )
    between = sum_of([of.number * (v - middle) ** 2 for of, v in zip(each, own, strict=True)])
    steady, same = constant(True), constant(True)
    first = index(each[0].rows, (..., slice(0, 1)))
    for of in each:
        steady = steady & all(eq(of.rows, index(of.rows, (..., slice(0, 1)))), -1)
        same = same & all(eq(of.rows, first), -1)
    df = count - groups
    statistic = between / (groups - 1) / (where(steady, 0.0, inside) / df)
    statistic = where(same | (df <= 0), float("nan"), statistic).astype(kind)
    chance = f.sf(statistic, groups - 1.0, df, check=False).astype(kind)
    return F_onewayResult(each[0].result(statistic), each[0].result(chance))


def sum_of(values: Sequence[TensorVariable]) -> TensorVariable:
    """The sum of tensors that broadcast."""
    return reduce(add, values)


def _welch(each: Sequence[Observations]) -> F_onewayResult:
    """By B. L. Welch, On the comparison of several mean values, 1951."""
    groups, kind = len(each), each[0].rows.dtype
    weights = [of.number / var(of.rows, -1, ddof=1) for of in each]
    means = [mean(of.rows, -1) for of in each]
    whole = sum_of(weights)
    middle = sum_of([w * v for w, v in zip(weights, means, strict=True)]) / whole
    between = sum_of([w * (v - middle) ** 2 for w, v in zip(weights, means, strict=True)])
    rest = sum_of(
        [(1 - w / whole) ** 2 / (of.number - 1) for w, of in zip(weights, each, strict=True)]
    )
    share = 1 + 2 * (groups - 2) / (groups**2 - 1) * rest
    statistic = (between / (groups - 1) / share).astype(kind)
    df = (groups**2 - 1) / (3 * rest)
    chance = f.sf(statistic, groups - 1.0, df, check=False).astype(kind)
    return F_onewayResult(each[0].result(statistic), each[0].result(chance))


def kruskal(
    *samples: TensorLike,
    nan_policy: str = "propagate",
    axis: Axes = 0,
    keepdims: bool = False,
) -> KruskalResult:
    """Whether several samples may have one median, by their ranks among all.

    See `scipy.stats.kruskal`. NaN where all observations are equal. Raises ValueError for fewer
    than two samples.

    >>> kruskal([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).statistic.eval().round(4)
    np.float64(3.8571)
    """
    if len(samples) < 2:
        raise ValueError(f"kruskal compares two samples or more, not {len(samples)}{called()}")
    each = several(samples, axis, nan_policy, keepdims)
    rows = concatenate([of.rows for of in each], -1)
    ranks = rankdata(rows, axis=-1)
    n = lengths_of(rows)[-1].astype("float64")
    squares, at = [], constant(0)
    for of in each:
        end = at + lengths_of(of.rows)[-1]
        squares.append(sum(index(ranks, (..., slice(at, end))), -1) ** 2 / (end - at))
        at = end
    ties = ties_of(sort(rows, -1))
    equal = (ties.last - ties.first + 1).astype("float64")
    share = 1 - sum(equal**2 - 1, -1) / (n**3 - n)
    height = (12 / (n * (n + 1)) * sum_of(squares) - 3 * (n + 1)) / share
    statistic = height.astype(each[0].rows.dtype)
    chance = chi2.sf(statistic, len(each) - 1.0, check=False).astype(statistic.dtype)
    return KruskalResult(each[0].result(statistic), each[0].result(chance))
