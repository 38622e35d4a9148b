"""How far two samples go together, and the line through them."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, eye, ones_like
from weft_tensor.ops.distributions.gamma_rows import beta, t
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import abs, ceil, maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp, log2
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take, take_along_axis
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.extremes_so_far import cummax
from weft_tensor.ops.reduction.standard import all, any, max, mean, sum
from weft_tensor.ops.sample_statistics.ranks import rankdata
from weft_tensor.ops.sample_statistics.resampled import (
    MonteCarloMethod,
    PearsonRResult,
    PermutationMethod,
    chance_of_pairs,
)
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    SignificanceResult,
    by_policy,
    numbers,
    pairs,
    probability,
)
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.special.gamma import gammaln
from weft_tensor.types.axes import Axes

__all__ = [
    "LinregressResult",
    "kendalltau",
    "linregress",
    "pearsonr",
    "pointbiserialr",
    "spearmanr",
]

_FEW: Final = 33
"""Up to how many pairs SciPy's "auto" takes the exact distribution of `kendalltau`."""
_TINY: Final = 1e-20
"""What SciPy adds, so that points on a line have a finite statistic."""


def _checked_length(rows: TensorVariable, least: int, name: str) -> None:
    n = static_length(lengths_of(rows)[-1])
    if isinstance(n, int) and n < least:
        raise ValueError(f"{name} takes at least {least} pairs, not {n}{called()}")


def _unit(rows: TensorVariable) -> TensorVariable:
    """Distances from the mean, over the root of their squares' sum: NaN if all are equal."""
    apart = rows - mean(rows, -1, keepdims=True)
    equal = all(eq(rows, index(rows, (..., slice(0, 1)))), -1, keepdims=True)
    size = max(abs(apart), -1, keepdims=True, initial=0.0)
    apart = apart / where(equal, nan, stop_gradient(size))  # squares neither overflow nor vanish
    return apart / sqrt(sum(apart * apart, -1, keepdims=True))


def pearsonr(
    x: TensorLike,
    y: TensorLike,
    *,
    alternative: str = "two-sided",
    method: PermutationMethod | MonteCarloMethod | None = None,
    axis: Axes = 0,
) -> PearsonRResult:
    """The correlation of pairs, and the probability of one as far from 0 by chance.

    The result has a `confidence_interval`. See `scipy.stats.pearsonr`. NaN where all numbers of a
    sample are equal. Raises ValueError for fewer than two pairs, if their number is known, and for
    another `method`.

    >>> pearsonr([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]).statistic.eval().round(12)
    np.float64(0.8)
    """
    first, second = (of.rows for of in pairs(x, y, axis))
    _checked_length(first, 2, "pearsonr")

    def correlation(one: TensorVariable, two: TensorVariable) -> TensorVariable:
        return maximum(minimum(sum(_unit(one) * _unit(two), -1), 1.0), -1.0).astype(first.dtype)

    r = correlation(first, second)
    r = where(lengths_of(first)[-1] > 0, r, nan).astype(r.dtype)
    if method is not None:
        chance = chance_of_pairs(method, "pearsonr", (first, second), correlation, alternative)
        found = r, chance.astype(r.dtype)
        return PearsonRResult.of(found, (first, second), correlation, alternative)
    half = (lengths_of(first)[-1] / 2 - 1).astype(r.dtype)
    many = half > 0
    shape = where(many, half, 1.0)
    chance = probability(beta, r, alternative, shape, shape, -1, 2)
    of_two = where(eq(r, r), 1.0, r)
    found = r, where(many, chance, of_two).astype(r.dtype)
    return PearsonRResult.of(found, (first, second), correlation, alternative)


def pointbiserialr(
    x: TensorLike,
    y: TensorLike,
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """The correlation of bools, or of two values, with numbers: `pearsonr`, along an axis.

    See `scipy.stats.pointbiserialr`.

    >>> pointbiserialr([0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0]).statistic.eval().round(4)
    np.float64(0.4472)
    """
    first, second = pairs(x, y, axis, nan_policy, keepdims)
    return SignificanceResult(*map(first.result, pearsonr(first.rows, second.rows, axis=-1)))


def _t_test(r: TensorVariable, df: TensorVariable, alternative: str) -> TensorVariable:
    statistic = r * sqrt(maximum(df / ((r + 1) * (1 - r)), 0.0))
    return probability(t, statistic, alternative, df)


def spearmanr(
    a: TensorLike,
    b: TensorLike | None = None,
    axis: int | None = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
) -> SignificanceResult:
    """The correlation of ranks, and the probability of one as far from 0 by chance.

    Of two vectors it is a number; of matrices, whose variables are columns for axis 0 and rows
    for axis 1, those of all pairs of variables, in a matrix unless there are two. See
    `scipy.stats.spearmanr`. Raises ValueError for a single variable, and for more than two axes.

    >>> spearmanr([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 20.0, 4.0]).statistic.eval().round(12)
    np.float64(0.8)
    """
    tensors = [numbers(v) for v in ([a] if b is None else [a, b])]
    if axis is None:
        tensors, axis = [ravel(v) for v in tensors], 0
    if not {v.ndim for v in tensors} <= {1, 2} or axis not in (0, 1, -1):
        raise ValueError(f"spearmanr takes vectors or matrices, not {tensors}{called()}")
    if [v.ndim for v in tensors] == [1, 1]:
        tensors = [of.rows for of in pairs(tensors[0], tensors[1], 0, nan_policy)]
    else:
        of = [by_policy(nan_policy, Observations(v, (), False))[0] for v in tensors]
        tensors = [v.rows for v in of]
    columns = [expand_dims(v, 1) if v.ndim == 1 else v.T if axis else v for v in tensors]
    ranks = rankdata(concatenate([v.T for v in columns], 0), axis=-1)
    count = ranks.type.shape[0]
    if count == 1:
        raise ValueError(f"spearmanr compares two variables or more: give b{called()}")
    unit = _unit(ranks)
    r = maximum(minimum(matmul(unit, unit.T), 1.0), -1.0)
    r = where(eye(lengths_of(r)[0], dtype="bool") & eq(r, r), 1.0, r)
    r = index(r, (1, 0)) if count == 2 else r
    df = lengths_of(ranks)[-1].astype(r.dtype) - 2
    r = where(df > -2, r, float("nan"))  # of none
    return SignificanceResult(r, _t_test(r, df, alternative))


def _inversions(n: int) -> np.ndarray:
    """The shares of the orders of n elements with at most 0, 1, ... pairs in the wrong order."""
    counts = np.array([1.0])
    for k in range(2, n + 1):
        counts = np.convolve(counts, np.full(k, 1 / k))
    return np.cumsum(counts)


class _Comparisons(NamedTuple):
    """Of all pairs of observations of two samples: numbers of those that ..."""

    agreed: TensorVariable
    """Go the same way, less those that do not."""
    ties: tuple[TensorVariable, TensorVariable]
    """Are equal in a sample."""
    against: TensorVariable
    """Go different ways."""
    before: tuple[TensorVariable, TensorVariable]
    """How many that come before it, in order, equal each observation of a sample."""


def _compare(first: TensorVariable, second: TensorVariable) -> _Comparisons:
    kind = first.dtype
    n = lengths_of(first)[-1]
    holes = any(isnan(first) | isnan(second), -1)
    # By the second, and then by the first: what are equal in it stay in that order.
    order = argsort(second, -1)
    moved, begins = take_along_axis(first, order, -1), _begins(take_along_axis(second, order, -1))
    order = argsort(moved, -1, stable=True)
    ranks = take_along_axis(cumsum(begins, -1), order, -1)
    of_first = _begins(take_along_axis(moved, order, -1))
    every, places = stack([of_first, begins, of_first | _begins(ranks)], 0), arange(n)
    before = (places - cummax(where(every, places, 0), -1)).astype(kind)
    ties = sum(before, -1)
    against = where(holes, nan, _inverted(ranks)).astype(kind)
    agreed = (n * (n - 1) / 2).astype(kind) - ties[0] - ties[1] + ties[2] - 2 * against
    return _Comparisons(agreed, (ties[0], ties[1]), against, (before[0], before[1]))


def _begins(ordered: TensorVariable) -> TensorVariable:
    """Whether each element is another than the one before, along the last axis."""
    first = ones_like(index(ordered, (..., slice(0, 1)))).astype("bool")
    others = index(ordered, (..., slice(1, None))).neq(index(ordered, (..., slice(None, -1))))
    return concatenate([first, others], -1)


def _inverted(ranks: TensorVariable) -> TensorVariable:
    """How many pairs of ranks, at most as large as their number, fall, along the last axis.

    By their bits, from the highest on: of those alike so far, 0 moves before 1, as many places as
    there are pairs that fall by this bit.
    """
    n = lengths_of(ranks)[-1]
    levels = ceil(log2(n.astype("float64") + 2)).astype("int64")

    def body(i: TensorVariable, state: tuple[Any, Any]) -> tuple[Any, Any]:
        ordered, count = state
        order = argsort(ordered >> (levels - 1 - i), -1, stable=True)
        moves = sum(maximum(order - arange(n), 0), -1)
        return take_along_axis(ordered, order, -1), count + moves

    count: TensorVariable = fori_loop(0, levels, body, (ranks, sum(0 * ranks, -1)))[1]
    return count


def _spread(before: tuple[TensorVariable, TensorVariable], n: TensorVariable) -> TensorVariable:
    """The variance of `agreed` by chance, with ties.

    By M. G. Kendall, Rank Correlation Methods, 4th ed., 1970, chapter 4: there are sums over ties
    of k observations of k (k - 1), k (k - 1) (k - 2) and k (k - 1) (2 k + 5).
    """
    terms: tuple[Callable[[Any], Any], ...] = (
        lambda j: 2 * j,
        lambda j: 3 * j * (j - 1),
        lambda j: 6 * j * (j + 2),
    )
    twos, threes, corrections = ([sum(term(j), -1) for j in before] for term in terms)
    every = n * (n - 1)
    spread = (every * (2 * n + 5) - corrections[0] - corrections[1]) / 18
    spread = spread + twos[0] * twos[1] / (2 * every)
    return spread + threes[0] * threes[1] / (9 * every * where(n > 2, n - 2, 1.0))


def kendalltau(
    x: TensorLike,
    y: TensorLike,
    *,
    nan_policy: str = "propagate",
    method: str = "auto",
    variant: str = "b",
    alternative: str = "two-sided",
    axis: Axes = None,
    keepdims: bool = False,
) -> SignificanceResult:
    """Kendall's tau: how many more pairs of observations go the same way than not.

    See `scipy.stats.kendalltau`. The probability is
    "asymptotic", that of a normal number, or "exact", for which there must be no ties and the
    number of observations must be known before; "auto" takes the exact one of at most 33 without
    ties. Raises ValueError for another method or variant, where method is "exact" for an unknown
    number, and, at the call, for ties.

    >>> kendalltau([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]).statistic.eval().round(4)
    np.float64(0.6667)
    """
    if method not in ("auto", "asymptotic", "exact") or variant not in ("b", "c"):
        choices = "kendalltau: method is 'auto', 'asymptotic' or 'exact', variant 'b' or 'c'"
        raise ValueError(f"{choices}, not {method!r} and {variant!r}{called()}")
    first, second = pairs(x, y, axis, nan_policy, keepdims)
    comparisons = _compare(first.rows, second.rows)
    kind, n = first.rows.dtype, first.number
    total = n * (n - 1) / 2
    xs, ys = comparisons.ties
    if variant == "b":
        tau = comparisons.agreed / sqrt(total - xs) / sqrt(total - ys)
    else:
        classes = minimum(*(sum(j.eq(0), -1) for j in comparisons.before)).astype(kind)
        tau = 2 * comparisons.agreed / (n * n * (classes - 1) / classes)
    holes = eq(xs, total) | eq(ys, total)
    tau = maximum(minimum(where(holes, float("nan"), tau), 1.0), -1.0).astype(kind)
    score = comparisons.agreed / sqrt(_spread(comparisons.before, n))
    chance = probability(norm, score, alternative)
    if method != "asymptotic":
        chance = _exact(comparisons, chance, lengths_of(first.rows)[-1], alternative, method)
    chance = where(eq(tau, tau), chance, tau).astype(kind)
    return SignificanceResult(first.result(tau), first.result(chance))


def _exact(
    comparisons: _Comparisons, asymptotic: TensorVariable, n: Any, alternative: str, method: str
) -> TensorVariable:
    """The share of orders that agree as well by chance, where there are no ties."""
    count = static_length(n)
    if method == "exact" and not isinstance(count, int):
        unknown = "kendalltau: the number of observations is not known before"
        raise ValueError(f"{unknown}: give it by `specify_shape`, or method='auto'{called()}")
    kind = asymptotic.dtype
    total = n * (n - 1) // 2
    against, agreeing = comparisons.against, total - comparisons.against
    counts = [count] if isinstance(count, int) and method == "exact" else range(_FEW + 1)
    table = np.concatenate([_inversions(k) for k in counts]).astype(kind)
    few = minimum(n, _FEW)
    begin = 0 if method == "exact" else few * (few - 1) * (few - 2) // 6 + few  # of fewer ones

    def up_to(k: TensorVariable) -> TensorVariable:
        at = minimum(begin + maximum(minimum(k, total), 0), len(table) - 1)
        exact = take(constant(table), where(eq(at, at), at, 0).astype("int64"))
        if method == "exact":
            return exact
        of_many = where(k <= 1, exp(-gammaln(n + 1.0 - minimum(k, 1.0))), 1.0)
        return where(n <= _FEW, exact, of_many.astype(kind))

    if alternative == "two-sided":
        share = minimum(2 * up_to(minimum(against, agreeing)), 1.0)
    else:
        share = up_to(against if alternative == "greater" else agreeing)
    has_ties = (comparisons.ties[0] > 0) | (comparisons.ties[1] > 0)
    if method == "exact":
        message = "kendalltau: there are ties, for which there is no exact probability"
        return check_and_raise(share, ~has_ties, ValueError, message)
    is_sure = (n <= _FEW) | (minimum(against, agreeing) <= 1)
    return where(is_sure & ~has_ties, share, asymptotic)


class _Line(NamedTuple):
    slope: TensorVariable
    intercept: TensorVariable
    rvalue: TensorVariable
    pvalue: TensorVariable
    stderr: TensorVariable


class LinregressResult(_Line):
    """A line, its correlation, and how sure it is; `intercept_stderr` stands beside the tuple."""

    intercept_stderr: TensorVariable


def linregress(
    x: TensorLike,
    y: TensorLike,
    alternative: str = "two-sided",
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> LinregressResult:
    """The line with the least squares through points, and how sure it is.

    See `scipy.stats.linregress`. The result is a tuple of `slope`, `intercept`, `rvalue`, `pvalue`
    (of no slope) and `stderr`, and has `intercept_stderr`: these are NaN of two points, as from
    SciPy 1.18 on. NaN where all `x`, or all `y`, are equal. Raises ValueError for fewer points.

    >>> line = linregress([0.0, 1.0, 2.0], [1.0, 3.0, 5.5])
    >>> line.slope.eval(), line.intercept.eval().round(4)
    (array(2.25), np.float64(0.9167))
    """
    first, second = pairs(x, y, axis, nan_policy, keepdims)
    _checked_length(first.rows, 2, "linregress")
    kind, n = first.rows.dtype, first.number
    middle, height = (mean(v.rows, -1, keepdims=True) for v in (first, second))
    across, up = first.rows - middle, second.rows - height
    xx, xy, yy = (mean(u * v, -1) for u, v in ((across, across), (across, up), (up, up)))
    slope = xy / xx
    intercept = height.squeeze(-1) - slope * middle.squeeze(-1)
    r = maximum(minimum(xy / sqrt(xx * yy), 1.0), -1.0).astype(kind)
    df = n - 2
    exact = eq(df, 0)
    safe = where(exact, 1.0, df)
    statistic = r * sqrt(safe / ((1.0 - r + _TINY) * (1.0 + r + _TINY)))
    chance = probability(t, statistic.astype(kind), alternative, safe.astype(kind))
    chance = where(exact, nan, chance)
    error = where(exact, nan, sqrt((1 - r**2) * yy / xx / safe))
    base = error * sqrt(xx + middle.squeeze(-1) ** 2)
    parts = (v.astype(kind) for v in (slope, intercept, r, chance, error))
    result = LinregressResult(*[first.result(v) for v in parts])
    result.intercept_stderr = first.result(base.astype(kind))
    return result
