"""Lines through points by medians."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import isnan, neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.standard import any, sum
from weft_tensor.ops.sample_statistics.ranks import ties_of
from weft_tensor.ops.sample_statistics.samples import (
    Observations,
    by_policy,
    observations,
    one_of,
    pairs,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.special.normal import ndtri
from weft_tensor.types.axes import Axes

__all__ = ["SiegelslopesResult", "TheilslopesResult", "siegelslopes", "theilslopes"]


class TheilslopesResult(NamedTuple):
    """A line, and bounds of its slope."""

    slope: TensorVariable
    intercept: TensorVariable
    low_slope: TensorVariable
    high_slope: TensorVariable


class SiegelslopesResult(NamedTuple):
    """A line."""

    slope: TensorVariable
    intercept: TensorVariable


def _points(
    y: TensorLike, x: TensorLike | None, axis: Axes, nan_policy: str, keepdims: bool
) -> tuple[TensorVariable, Observations]:
    """Where points are along the last axis, and how high."""
    if x is not None:
        across, up = pairs(x, y, axis, nan_policy, keepdims, one_stays=True)
        return across.rows, up
    heights = observations(y, axis, keepdims=keepdims)
    places = 0 * heights.rows + arange(lengths_of(heights.rows)[-1]).astype(heights.rows.dtype)
    up, across = by_policy(nan_policy, heights, heights._replace(rows=places), one_stays=True)
    return across.rows, up


def theilslopes(
    y: TensorLike,
    x: TensorLike | None = None,
    alpha: float = 0.95,
    method: str = "separate",
    *,
    axis: Axes = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> TheilslopesResult:
    """The line whose slope is the median of those between all points along an axis.

    Its intercept is that of the medians of `x` and `y`, or, with method="joint", the median of
    what is left; the bounds hold the slope with the probability `alpha`. By P. K. Sen, Estimates
    of the regression coefficient based on Kendall's tau, 1968. `x` is 0, 1, 2, ... by default. NaN
    where there is NaN, and where all of `x` are equal. See `scipy.stats.theilslopes`. Raises
    ValueError for another method.

    >>> theilslopes([1.0, 3.0, 4.5, 20.0]).slope.eval().round(4)
    np.float64(4.1667)
    """
    one_of("theilslopes", "method", method, ("separate", "joint"))
    across, of = _points(y, x, axis, nan_policy, keepdims)
    up = of.rows
    slopes, size = _every(across, up)
    ends = [_at(slopes, k // 2) for k in (size - 1, size)]
    slope = (ends[0] + ends[1]) / 2
    joint = method == "joint"
    middle = median(up, -1) - slope * median(across, -1)
    intercept = median(up - slope.expand_dims(-1) * across, -1) if joint else middle
    n, count = (k.astype("float64") for k in (lengths_of(up)[-1], size))
    square = n * (n - 1) * (2 * n + 5)
    for values in (across, up):
        ties = ties_of(sort(values, -1))
        k = (ties.last - ties.first + 1).astype("float64")
        square = square - sum((k - 1) * (2 * k + 5), -1)
    width = ndtri(min(alpha, 1 - alpha) / 2) * sqrt(square / 18)
    low = maximum(rint((count + width) / 2) - 1, 0)
    high = maximum(minimum(rint((count - width) / 2), count - 1), 0)
    is_number = ~isnan(width) & ~isnan(slope)
    bounds = (_at(slopes, where(is_number, v, 0).astype("int64")) for v in (low, high))
    bounds = (where(is_number, v, float("nan")) for v in bounds)
    return TheilslopesResult(*_results(of, across, slope, intercept, *bounds))


def _every(across: TensorVariable, up: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """The slopes between all points, in order along the last axis, and how many there are.

    From each point to the next ones, as far as half of all: of an even number, the farthest have
    two ways. Infinities fill what is none.
    """
    n = lengths_of(up)[-1]
    place, steps = arange(n), (1 + arange(n // 2)).expand_dims(1)
    there = (place + steps) % maximum(n, 1)
    once = neq(2 * steps, n) | (2 * place < n)
    apart, risen = (index(v, (..., there)) - v.expand_dims(-2) for v in (across, up))
    is_one = once & neq(apart, 0)
    slopes = where(is_one, risen / where(is_one, apart, 1.0), float("inf"))
    slopes = reshape(slopes, (*lengths_of(slopes)[:-2], -1))
    nothing = 0 * index(up, (..., slice(0, 1))) + float("inf")
    size = sum(is_one, (-2, -1)) + 0 * sum(up, -1).astype("int64")
    return sort(concatenate([slopes, nothing], -1), -1), size


def _at(slopes: TensorVariable, place: TensorVariable) -> TensorVariable:
    return take_along_axis(slopes, maximum(place, 0).expand_dims(-1), -1).squeeze(-1)


def _results(
    of: Observations, across: TensorVariable, *values: TensorVariable
) -> Iterable[TensorVariable]:
    """NaN where there is NaN, or but one place."""
    holes = any(isnan(across) | isnan(of.rows), -1)
    alone = ~any(neq(across, index(across, (..., slice(0, 1)))), -1)
    return [of.result(where(holes | alone, float("nan"), v)) for v in values]


def _medians(values: TensorVariable, counted: TensorVariable) -> TensorVariable:
    """The medians of the values that count along the last axis."""
    ordered = sort(where(counted, values, float("inf")), -1)
    n = sum(counted, -1, keepdims=True)
    low, high = (take_along_axis(ordered, maximum(k, 0) // 2, -1) for k in (n - 1, n))
    return where(n > 0, (low + high) / 2, float("nan")).squeeze(-1)


def siegelslopes(
    y: TensorLike,
    x: TensorLike | None = None,
    method: str = "hierarchical",
    *,
    axis: Axes = None,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SiegelslopesResult:
    """The line whose slope is the median of each point's median slope to the others on an axis.

    The intercept is the median of what is left, or, with method="separate", the median of each
    point's median. By A. F. Siegel, Robust regression using repeated medians, 1982. `x` is 0, 1,
    2, ... by default. NaN where there is NaN, and where all of `x` are equal. See
    `scipy.stats.siegelslopes`. Raises ValueError for another method.

    >>> siegelslopes([1.0, 3.0, 4.5, 20.0]).slope.eval().round(4)
    np.float64(2.0)
    """
    one_of("siegelslopes", "method", method, ("hierarchical", "separate"))
    across, of = _points(y, x, axis, nan_policy, keepdims)
    up = of.rows
    apart = across.expand_dims(-2) - across.expand_dims(-1)
    differ = neq(apart, 0)
    safe = where(differ, apart, 1.0)
    slope = median(_medians((up.expand_dims(-2) - up.expand_dims(-1)) / safe, differ), -1)
    if method == "hierarchical":
        intercept = median(up - slope.expand_dims(-1) * across, -1)
    else:
        both = up.expand_dims(-1) * across.expand_dims(-2)
        crossings = both - up.expand_dims(-2) * across.expand_dims(-1)
        intercept = median(_medians(crossings / safe, differ), -1)
    return SiegelslopesResult(*_results(of, across, slope, intercept))
