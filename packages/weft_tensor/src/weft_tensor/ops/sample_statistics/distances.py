"""How far two samples are apart, and what lies in each of neighbouring intervals."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.segments import segment_max, segment_min, segment_sum
from weft_tensor.ops.indexing.sort import argsort, sort
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import numbers, several
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.ops.statistics.histograms import histogram_bin_edges

__all__ = ["BinnedStatisticResult", "binned_statistic", "energy_distance", "wasserstein_distance"]


class BinnedStatisticResult(NamedTuple):
    """A statistic of each interval, the ends of all, and in which one each place lies."""

    statistic: TensorVariable
    bin_edges: TensorVariable
    binnumber: TensorVariable


def _share(values: TensorVariable, weights: TensorLike | None, at: TensorVariable) -> Any:
    """The share of values up to each place."""
    order = argsort(values)
    count = searchsorted(take(values, order), at, side="right")
    if weights is None:
        return count.astype(values.dtype) / lengths_of(values)[0].astype(values.dtype)
    total = cumsum(take(ravel(numbers(weights)).astype(values.dtype), order))
    total = concatenate([0 * index(total, slice(0, 1)), total])
    return take(total, count) / index(total, -1)


def _apart(
    u_values: TensorLike,
    v_values: TensorLike,
    u_weights: TensorLike | None,
    v_weights: TensorLike | None,
) -> tuple[TensorVariable, TensorVariable]:
    """How far apart shares up to places are, and the distances of these."""
    samples = [numbers(u_values), numbers(v_values)]
    if any(x.ndim > 1 for x in samples):
        raise ValueError(f"samples of numbers are vectors, not {samples}{called()}")
    u, v = (of.rows for of in several(list(map(ravel, samples)), 0))
    every = sort(concatenate([u, v]))
    places = index(every, slice(None, -1))
    shares = _share(u, u_weights, places) - _share(v, v_weights, places)
    return shares, diff(every)


def wasserstein_distance(
    u_values: TensorLike,
    v_values: TensorLike,
    u_weights: TensorLike | None = None,
    v_weights: TensorLike | None = None,
) -> TensorVariable:
    """How far values must be moved, on the average, to make one sample of the other.

    Of numbers, with weights. See `scipy.stats.wasserstein_distance`. Raises ValueError for
    matrices.

    >>> wasserstein_distance([0.0, 1.0, 3.0], [5.0, 6.0, 8.0]).eval().round(12)
    np.float64(5.0)
    """
    shares, widths = _apart(u_values, v_values, u_weights, v_weights)
    return sum(abs(shares) * widths)


def energy_distance(
    u_values: TensorLike,
    v_values: TensorLike,
    u_weights: TensorLike | None = None,
    v_weights: TensorLike | None = None,
) -> TensorVariable:
    """The root of twice the integral of the squared distance of two distribution functions.

    Of numbers, with weights. See `scipy.stats.energy_distance`. Raises ValueError for matrices.

    >>> energy_distance([0.0], [2.0]).eval()
    array(2.)
    """
    shares, widths = _apart(u_values, v_values, u_weights, v_weights)
    return sqrt(2 * sum(shares * shares * widths))


STATISTICS: Final = ("mean", "std", "count", "sum", "min", "max")


def binned_statistic(
    x: TensorLike,
    values: TensorLike,
    statistic: str = "mean",
    bins: Any = 10,
    range: Any = None,
) -> BinnedStatisticResult:
    """A statistic of the values whose places lie in each of neighbouring intervals.

    "mean", "std", "count", "sum", "min" or "max"; `values` has the shape of `x`, or is a list of
    such. `bins` is a number of intervals, in `range`, a pair or a list of one, or a vector of their
    ends, which rise; the last one has its end in it. See `scipy.stats.binned_statistic`. Of an
    empty interval the count and the sum are 0, others NaN. Raises ValueError for another statistic.

    >>> binned_statistic([1.0, 2.0, 5.0], [1.0, 2.0, 3.0], bins=2).statistic.eval()
    array([1.5, 3. ])
    """
    if statistic not in STATISTICS:
        names = ", ".join(map(repr, STATISTICS))
        raise ValueError(f"binned_statistic: statistic is {names}, not {statistic!r}{called()}")
    places = ravel(numbers(x))
    (limits,) = range if range is not None and len(range) == 1 else (range,)
    edges = numbers(histogram_bin_edges(places, bins, limits))
    last = index(edges, -1)
    count: Any = lengths_of(edges)[0]
    number = searchsorted(edges, places, side="right")
    number = where(eq(places, last), count - 1, number)
    each = of_boxes(values, number, count + 1, statistic)
    return BinnedStatisticResult(index(each, (..., slice(1, -1))), edges, number)


def of_boxes(
    values: TensorLike, number: TensorVariable, count: TensorVariable, statistic: str
) -> TensorVariable:
    """The statistic of the values with each number: for a list of several, a row for each."""
    if isinstance(values, (list, tuple)) and not isinstance(values[0], (int, float)):
        rows = [ravel(numbers(v)) for v in values]
        return stack([_of_segments(v, number, count, statistic) for v in rows])
    return _of_segments(ravel(numbers(values)), number, count, statistic)


def _of_segments(
    values: TensorVariable, number: TensorVariable, count: TensorVariable, statistic: str
) -> TensorVariable:
    """The statistic of the values with each number."""
    if statistic in ("min", "max"):
        function = segment_min if statistic == "min" else segment_max
        extreme = function(values, number, count)
        none = eq(segment_sum(0 * values + 1, number, count), 0)
        return where(none, float("nan"), extreme).astype(values.dtype)
    total = segment_sum(values, number, count)
    if statistic == "sum":
        return total
    size = segment_sum(0 * number + 1, number, count).astype(values.dtype)
    if statistic == "count":
        return size
    size = where(size > 0, size, float("nan"))
    middle = total / size
    if statistic == "mean":
        return middle
    apart = values - take(middle, number)
    square = segment_sum(apart * apart, number, count) / size
    return where(eq(square, 0), 0.0, sqrt(where(eq(square, 0), 1.0, square))).astype(values.dtype)
