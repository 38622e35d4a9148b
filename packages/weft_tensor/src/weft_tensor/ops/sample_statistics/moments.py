"""Moments of samples: skewness, kurtosis, standard errors, scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import isnan, le, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.reduction.standard import max, mean, min
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    central_moment,
    chosen_observations,
    in_place,
    numbers,
    observations,
    precision,
)
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.statistics.moments import std, var
from weft_tensor.ops.statistics.without_nan import nanmean, nanstd
from weft_tensor.types.axes import Axes

__all__ = [
    "DescribeResult",
    "describe",
    "gzscore",
    "kurtosis",
    "moment",
    "sem",
    "skew",
    "variation",
    "zmap",
    "zscore",
]


class DescribeResult(NamedTuple):
    """The number of observations, their ends, and moments."""

    nobs: TensorVariable
    minmax: tuple[TensorVariable, TensorVariable]
    mean: TensorVariable
    variance: TensorVariable
    skewness: TensorVariable
    kurtosis: TensorVariable


def _standard_moment(of: Observations, order: int) -> TensorVariable:
    """A central moment over that power of the deviation; NaN where all are equal."""
    rows = of.rows
    middle = mean(rows, -1, keepdims=True)
    square = central_moment(rows, 2, middle)
    alike = le(square, (precision(rows.dtype) * middle.squeeze(-1)) ** 2)
    scale = where(alike, 1.0, square).astype(rows.dtype)
    power = scale * scale if order == 4 else scale * sqrt(scale)
    share = where(alike, float("nan"), central_moment(rows, order, middle) / power)
    return where(isnan(square), square, share).astype(rows.dtype)


def skew(
    a: TensorLike,
    axis: Axes = 0,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The skewness of observations along an axis. See `scipy.stats.skew`.

    NaN where all are equal. Without `bias`, of more than two, it is that of the whole population.
    Raises ValueError for another `nan_policy`, TypeError for complex numbers.

    >>> skew([1.0, 2.0, 6.0]).eval().round(4)
    np.float64(0.5952)
    """
    of = observations(a, axis, nan_policy, keepdims)
    share = _standard_moment(of, 3)
    if not bias:
        n = of.number
        few = n <= 2
        share = where(few, share, sqrt(n * where(few, 1.0, n - 1)) / where(few, 1.0, n - 2) * share)
    return of.result(share.astype(of.rows.dtype))


def kurtosis(
    a: TensorLike,
    axis: Axes = 0,
    fisher: bool = True,
    bias: bool = True,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The kurtosis of observations along an axis; less 3 with `fisher`. See `scipy.stats.kurtosis`.

    As `skew`, without `bias` of more than three.

    >>> kurtosis([1.0, 2.0, 6.0, 2.0], fisher=False).eval().round(4)
    np.float64(2.2353)
    """
    of = observations(a, axis, nan_policy, keepdims)
    share = _standard_moment(of, 4)
    if not bias:
        n = of.number
        few = n <= 3
        rest = where(few, 1.0, (n - 2) * (n - 3))
        whole = ((n**2 - 1) * share - 3 * (n - 1) ** 2) / rest + 3
        share = where(few, share, whole)
    return of.result((share - 3 if fisher else share).astype(of.rows.dtype))


def moment(
    a: TensorLike,
    order: int | Sequence[int] = 1,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    *,
    center: TensorLike | None = None,
    keepdims: bool = False,
) -> TensorVariable:
    """Means of powers of the distances from the mean, or from `center`. See `scipy.stats.moment`.

    `order` is the power; of several, results have a first axis. Raises ValueError for an order that
    is negative or no whole number.

    >>> moment([1.0, 2.0, 6.0], [2, 3]).eval().round(4)
    array([4.6667, 6.    ])
    """
    of = observations(a, axis, nan_policy, keepdims)
    orders = [order] if isinstance(order, (int, float)) else list(order)
    for power in orders:
        if power != int(power) or power < 0:
            raise ValueError(f"an order of moments is 0, 1, 2, ..., not {power!r}{called()}")
    middle: Any = mean(of.rows, -1, keepdims=True)
    if center is not None:
        middle = as_tensors((of.rows, center))[1]
        middle = middle if keepdims or not middle.ndim else middle.expand_dims(-1)
    powers = [of.result(_moment(of.rows, int(k), middle, center is None)) for k in orders]
    return powers[0] if isinstance(order, (int, float)) else stack(powers)


def _moment(rows: TensorVariable, order: int, middle: Any, is_central: bool) -> TensorVariable:
    if order > 1 or (order == 1 and not is_central):
        return central_moment(rows, order, middle)
    whole = mean(rows, -1)
    return where(isnan(whole), whole, 1.0 - order).astype(rows.dtype)


def sem(
    a: TensorLike,
    axis: Axes = 0,
    ddof: TensorLike = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The standard error of the mean of observations along an axis. See `scipy.stats.sem`.

    >>> sem([1.0, 2.0, 3.0]).eval().round(4)
    np.float64(0.5774)
    """
    of = observations(a, axis, nan_policy, keepdims)
    return of.result(std(of.rows, -1, ddof=ddof) / sqrt(of.number))


def variation(
    a: TensorLike,
    axis: Axes = 0,
    nan_policy: str = "propagate",
    ddof: TensorLike = 0,
    *,
    keepdims: bool = False,
) -> TensorVariable:
    """The standard deviation over the mean, along an axis. See `scipy.stats.variation`.

    >>> variation([1.0, 2.0, 3.0], ddof=1).eval()
    array(0.5)
    """
    of = observations(a, axis, nan_policy, keepdims)
    share = std(of.rows, -1, ddof=ddof) / mean(of.rows, -1)
    few = as_tensor(ddof) > lengths_of(of.rows)[-1]
    return of.result(where(few, float("nan"), share).astype(of.rows.dtype))


def zscore(
    a: TensorLike, axis: Axes = 0, ddof: TensorLike = 0, nan_policy: str = "propagate"
) -> TensorVariable:
    """Distances from the mean in standard deviations. See `scipy.stats.zscore`.

    NaN where all are equal.

    >>> zscore([1.0, 2.0, 3.0]).eval().round(4)
    array([-1.2247,  0.    ,  1.2247])
    """
    return zmap(a, a, axis, ddof, nan_policy)


def zmap(
    scores: TensorLike,
    compare: TensorLike,
    axis: Axes = 0,
    ddof: TensorLike = 0,
    nan_policy: str = "propagate",
) -> TensorVariable:
    """Distances from the mean of `compare`, in its standard deviations. See `scipy.stats.zmap`.

    >>> zmap([0.0, 4.0], [1.0, 2.0, 3.0], ddof=1).eval()
    array([-2.,  2.])
    """
    values, others = numbers(scores), in_place(compare, nan_policy)
    of_others = (nanmean, nanstd) if nan_policy == "omit" else (mean, std)
    middle = of_others[0](others, axis, keepdims=True)
    spread = of_others[1](others, axis, ddof=ddof, keepdims=True)
    alike = le(spread, precision(others.dtype) * abs(middle))
    if scores is compare:
        spread = where(alike, float("nan"), spread).astype(others.dtype)
    return (values - middle) / spread


def gzscore(
    a: TensorLike, *, axis: Axes = 0, ddof: TensorLike = 0, nan_policy: str = "propagate"
) -> TensorVariable:
    """`zscore` of logarithms, as of numbers that are multiplied. See `scipy.stats.gzscore`.

    >>> gzscore([1.0, 10.0, 100.0]).eval().round(4)
    array([-1.2247,  0.    ,  1.2247])
    """
    return zscore(log(numbers(a)), axis, ddof, nan_policy)


def describe(
    a: TensorLike,
    axis: int | None = 0,
    ddof: TensorLike = 1,
    bias: bool = True,
    nan_policy: str = "propagate",
) -> DescribeResult:
    """The number of observations, both ends, mean, variance, skewness and kurtosis.

    See `scipy.stats.describe`. Raises ValueError, at the call if it is not known before, where
    there are no observations.

    >>> describe([1, 2, 6]).minmax[1].eval(), describe([1, 2, 6]).mean.eval()
    (array(6), array(3.))
    """
    given = chosen_observations(a, axis, nan_policy).rows
    x = as_floating(given)
    return DescribeResult(
        lengths_of(x)[-1],
        (min(given, -1), max(given, -1)),
        mean(x, -1),
        var(x, -1, ddof=ddof),
        skew(x, -1, bias),
        kurtosis(x, -1, bias=bias),
    )
