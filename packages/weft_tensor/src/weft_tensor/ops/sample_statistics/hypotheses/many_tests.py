"""The probabilities of many tests together."""

from __future__ import annotations

from math import nan, pi

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, ones_like
from weft_tensor.ops.distributions.gamma_rows import beta, chi2, t
from weft_tensor.ops.distributions.normal_rows import norm
from weft_tensor.ops.elementwise.arithmetic import minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import log, log1p
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.extremes_so_far import cummin
from weft_tensor.ops.reduction.standard import min, sum
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    SignificanceResult,
    numbers,
    observations,
    one_of,
    pairs,
)
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import Axes

__all__ = ["combine_pvalues", "false_discovery_control"]

_METHODS = ("fisher", "pearson", "mudholkar_george", "tippett", "stouffer")


def combine_pvalues(
    pvalues: TensorLike,
    method: str = "fisher",
    weights: TensorLike | None = None,
    *,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """The probability of independent tests along an axis together.

    `method` is "fisher", "pearson", "mudholkar_george", "tippett", or "stouffer", which takes
    `weights`. See `scipy.stats.combine_pvalues`. Raises ValueError for another method.

    >>> combine_pvalues([0.1, 0.05, 0.02]).pvalue.eval().round(4)
    np.float64(0.0053)
    """
    one_of("combine_pvalues", "method", method, _METHODS)
    weighted: list[Observations] = []
    if weights is None:
        of = observations(pvalues, axis, nan_policy, keepdims)
    else:
        of, *weighted = pairs(pvalues, weights, axis, nan_policy, keepdims)
    rows, n = of.rows, of.number
    statistic: TensorVariable
    if method == "fisher":
        statistic = -2 * sum(log(rows), -1)
        chance = chi2.sf(statistic, 2 * n, check=False)
    elif method == "pearson":
        statistic = 2 * sum(log1p(-rows), -1)
        chance = chi2.cdf(-statistic, 2 * n, check=False)
    elif method == "mudholkar_george":
        statistic = sum(log1p(-rows), -1) - sum(log(rows), -1)
        df = 5 * n + 4
        chance = t.sf(statistic * sqrt(3 / n) / pi * sqrt(df / (df - 2)), df, check=False)
    elif method == "tippett":
        statistic = min(rows, -1)
        chance = beta.cdf(statistic, 1.0, n, check=False)
    else:
        shares = weighted[0].rows if weighted else ones_like(rows)
        scores = sum(shares * norm.isf(rows, check=False), -1)
        statistic = scores / sqrt(sum(shares**2, -1))
        chance = norm.sf(statistic, check=False)
    results = (where(n > 0, v, nan).astype(rows.dtype) for v in (statistic, chance))
    return SignificanceResult(*map(of.result, results))


def false_discovery_control(
    ps: TensorLike, *, axis: int | None = 0, method: str = "bh"
) -> TensorVariable:
    """Probabilities of tests, adjusted so that those below a share are false in that share.

    `method` is "bh" (Y. Benjamini and Y. Hochberg, 1995) for independent tests, or "by" (Y.
    Benjamini and D. Yekutieli, 2001) for any. See `scipy.stats.false_discovery_control`. Raises
    ValueError for another method.

    >>> false_discovery_control([0.01, 0.04, 0.03]).eval()
    array([0.03, 0.04, 0.04])
    """
    one_of("false_discovery_control", "method", method, ("bh", "by"))
    x = numbers(ps)
    if not x.ndim:
        raise ValueError(f"false_discovery_control takes several numbers, not {x!r}{called()}")
    x, along = (ravel(x), 0) if axis is None else (x, axis)
    rows = moveaxis(x, along, -1)
    order = argsort(rows, -1)
    n = lengths_of(rows)[-1]
    place = arange(1, n + 1)
    scaled = take_along_axis(rows, order, -1) * (n / place).astype(rows.dtype)
    if method == "by":
        scaled = scaled * sum(1 / place).astype(rows.dtype)
    back = (..., slice(None, None, -1))
    least = minimum(index(cummin(index(scaled, back), -1), back), 1.0)
    return moveaxis(take_along_axis(least, argsort(order, -1), -1), -1, along)
