"""Lines through points by medians."""

from __future__ import annotations

from typing import NamedTuple

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, rint, sqrt
from weft_tensor.ops.elementwise.comparison import neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.order_statistics import median
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.ranks import ties_of
from weft_tensor.ops.sample_statistics.samples import numbers, one_of, pairs
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.ops.special.normal import ndtri

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
    y: TensorLike, x: TensorLike | None, nan_policy: str
) -> tuple[TensorVariable, TensorVariable]:
    values = ravel(numbers(y))
    places = arange(lengths_of(values)[0]).astype(values.dtype) if x is None else ravel(numbers(x))
    first, second = pairs(places, values, 0, nan_policy)
    return first.rows, second.rows


def theilslopes(
    y: TensorLike,
    x: TensorLike | None = None,
    alpha: float = 0.95,
    method: str = "separate",
    *,
    nan_policy: str = "propagate",
) -> TheilslopesResult:
    """The line whose slope is the median of those between all points.

    Its intercept is that of the medians of `x` and `y`, or, with method="joint", the median of
    what is left; the bounds hold the slope with the probability `alpha`. By P. K. Sen, Estimates
    of the regression coefficient based on Kendall's tau, 1968. `x` is 0, 1, 2, ... by default. See
    `scipy.stats.theilslopes`. Raises ValueError for another method.

    >>> theilslopes([1.0, 3.0, 4.5, 20.0]).slope.eval().round(4)
    np.float64(4.1667)
    """
    one_of("theilslopes", "method", method, ("separate", "joint"))
    across, up = _points(y, x, nan_policy)
    apart = across.expand_dims(-1) - across
    rising = apart > 0
    own = (up.expand_dims(-1) - up)[rising] / apart[rising]
    size = lengths_of(own)[0]
    slopes = sort(concatenate([own, [float("nan")]], 0))  # which is last, and alone if x are equal
    slope = sum(index(slopes, maximum(stack([size - 1, size]) // 2, 0))) / 2
    joint = method == "joint"
    intercept = median(up - slope * across) if joint else median(up) - slope * median(across)
    n, count = (k.astype("float64") for k in (lengths_of(up)[0], size))
    square = n * (n - 1) * (2 * n + 5)
    for values in (across, up):
        ties = ties_of(sort(values))
        k = (ties.last - ties.first + 1).astype("float64")
        square = square - sum((k - 1) * (2 * k + 5))
    width = ndtri(min(alpha, 1 - alpha) / 2) * sqrt(square / 18)
    low = maximum(rint((count + width) / 2) - 1, 0)
    high = maximum(minimum(rint((count - width) / 2), count - 1), 0)
    is_number = width.eq(width)
    ends = (index(slopes, where(is_number, v, 0).astype("int64")) for v in (low, high))
    return TheilslopesResult(slope, intercept, *(where(is_number, v, float("nan")) for v in ends))


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
    nan_policy: str = "propagate",
) -> SiegelslopesResult:
    """The line whose slope is the median of each point's median slope to the others.

    The intercept is the median of what is left, or, with method="separate", the median of each
    point's median. By A. F. Siegel, Robust regression using repeated medians, 1982. `x` is 0, 1,
    2, ... by default. See `scipy.stats.siegelslopes`. Raises ValueError for another method.

    >>> siegelslopes([1.0, 3.0, 4.5, 20.0]).slope.eval().round(4)
    np.float64(2.0)
    """
    one_of("siegelslopes", "method", method, ("hierarchical", "separate"))
    across, up = _points(y, x, nan_policy)
    apart = across - across.expand_dims(-1)
    differ = neq(apart, 0)
    safe = where(differ, apart, 1.0)
    slope = median(_medians((up - up.expand_dims(-1)) / safe, differ))
    if method == "hierarchical":
        return SiegelslopesResult(slope, median(up - slope * across))
    crossings = (up.expand_dims(-1) * across - up * across.expand_dims(-1)) / safe
    return SiegelslopesResult(slope, median(_medians(crossings, differ)))
