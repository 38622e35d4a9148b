"""How well two samples agree, by ranks of which some count more, or by any curve."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, full_like
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import abs, sign, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, neq, where
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any, sum
from weft_tensor.ops.sample_statistics.ranks import rankdata
from weft_tensor.ops.sample_statistics.samples import (
    SignificanceResult,
    one_of,
    pairs,
    probability,
)
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.types.axes import Axes

__all__ = ["chatterjeexi", "weightedtau"]

Weigher = Callable[[TensorVariable], TensorVariable]


def _hyperbolic(rank: TensorVariable) -> TensorVariable:
    return 1 / (rank + 1)


def _from_the_top(first: TensorVariable, second: TensorVariable) -> TensorVariable:
    """Ranks from 0 on, of the largest of the first, and of the second where these are equal."""
    order = argsort(second, -1, stable=True)
    order = take_along_axis(order, argsort(take_along_axis(first, order, -1), -1, stable=True), -1)
    return lengths_of(first)[-1] - 1 - argsort(order, -1)


def weightedtau(
    x: TensorLike,
    y: TensorLike,
    rank: TensorLike | bool | None = True,
    weigher: Weigher | None = None,
    additive: bool = True,
    *,
    axis: Axes = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Kendall's tau in which pairs of high ranks count more; its probability is not known: NaN.

    By S. Vigna, A weighted correlation index for rankings with ties, 2015; all pairs of n
    observations are compared. See `scipy.stats.weightedtau`, which takes NaN for the least number:
    here it leads to NaN.

    Parameters
    ----------
    x, y
        Observations.
    rank
        True for the mean of both taus by the ranks of one sample, the largest first, and of the
        other where these are equal; False for the order of observations; or ranks from 0 on.
    weigher
        From ranks, as a tensor, to weights; by default 1 / (rank + 1).
    additive
        Whether weights of a pair are added, else multiplied.
    axis, nan_policy, keepdims
        As for `kendalltau`.

    Examples
    --------
    >>> weightedtau([12.0, 2.0, 1.0, 12.0, 2.0], [1.0, 4.0, 7.0, 1.0, 0.0]).statistic.eval()
    array(-0.56694968)
    """
    of, other = pairs(x, y, axis, nan_policy, keepdims)
    first, second = of.rows, other.rows
    holes = any(isnan(first) | isnan(second), -1)
    weights_of = weigher or _hyperbolic

    def tau(ranks: TensorVariable) -> TensorVariable:
        weights = weights_of(ranks.astype(first.dtype))
        one, two = expand_dims(weights, -1), expand_dims(weights, -2)
        both = one + two if additive else one * two
        ups, rights = (expand_dims(v, -1) - expand_dims(v, -2) for v in (first, second))

        def total(part: TensorVariable) -> TensorVariable:
            return sum(both * part.astype(first.dtype), (-2, -1))

        spread = total(neq(ups, 0)) * total(neq(rights, 0))
        return total(sign(ups) * sign(rights)) / sqrt(spread)

    if rank is None or isinstance(rank, bool):
        if rank:
            result = 0.5 * (tau(_from_the_top(first, second)) + tau(_from_the_top(second, first)))
        else:
            result = tau(arange(lengths_of(first)[-1]) + 0 * argsort(first, -1))
    else:
        given = as_tensor(rank)
        if given.ndim != 1:
            raise ValueError(f"weightedtau: rank is a vector, not {given!r}{called()}")
        result = tau(given + 0 * argsort(first, -1))
    result = where(holes, nan, result).astype(first.dtype)
    return SignificanceResult(of.result(result), of.result(full_like(result, nan)))


def chatterjeexi(
    x: TensorLike,
    y: TensorLike,
    *,
    axis: Axes = 0,
    y_continuous: bool = False,
    method: str = "asymptotic",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """How well `y` is a function of `x`: 1 if it is, about 0 if they have nothing to do.

    By S. Chatterjee, A new coefficient of correlation, 2021; the probability is that of a normal
    number. With `y_continuous`, formulas are those without ties. See `scipy.stats.chatterjeexi`.
    Raises ValueError for another `method` than "asymptotic".

    >>> chatterjeexi([1.0, 2.0, 3.0, 4.0, 5.0], [4.0, 1.0, 0.0, 1.5, 5.0]).statistic.eval()
    array(0.125)
    """
    one_of("chatterjeexi", "method", method, ("asymptotic",))
    of, other = pairs(x, y, axis, nan_policy, keepdims)
    holes = any(isnan(of.rows) | isnan(other.rows), -1)
    rows = take_along_axis(other.rows, argsort(of.rows, -1, stable=True), -1)
    n = lengths_of(rows)[-1].astype("float64")
    below = rankdata(rows, "max", axis=-1)
    above = rankdata(-rows, "max", axis=-1)
    steps = sum(abs(diff(below, axis=-1)), -1)
    if y_continuous:
        statistic: Any = 1 - 3 * steps / (n**2 - 1)
        deviation: Any = sqrt(0.4 / n)
    else:
        spread = sum((n - above) * above, -1)
        statistic = 1 - n * steps / (2 * spread)
        deviation = _deviation(sort(below, -1), spread / n**3, n)
    kind = of.rows.dtype
    statistic = where(holes, nan, statistic).astype(kind)
    chance = probability(norm, (statistic / deviation).astype(kind), "greater")
    return SignificanceResult(of.result(statistic), of.result(chance))


def _deviation(u: TensorVariable, spread: TensorVariable, n: TensorVariable) -> TensorVariable:
    """The standard deviation by chance, of ranks in order: the paper's theorem 2.2."""
    left = n - arange(1, lengths_of(u)[-1] + 1)
    total = cumsum(u, -1)
    squares = sum((2 * left + 1) * u**2, -1) / n**4
    mixed = sum((total + left * u) ** 2, -1) / n**5
    middle = sum((2 * left + 1) * u, -1) / n**3
    return sqrt((squares - 2 * mixed + middle**2) / n) / spread
