"""Statistics of the values in boxes of a space, and the share of observations up to each."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.indexing.flat_places import ravel_multi_index
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.sample_statistics.distances import STATISTICS, of_boxes
from weft_tensor.ops.sample_statistics.samples import numbers, one_of
from weft_tensor.ops.sets.distinct import unique_counts
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import ravel, reshape
from weft_tensor.ops.statistics.histograms import histogram_bin_edges

__all__ = [
    "BinnedStatistic2dResult",
    "BinnedStatisticddResult",
    "ECDFResult",
    "EmpiricalDistributionFunction",
    "binned_statistic_2d",
    "binned_statistic_dd",
    "ecdf",
]


class BinnedStatisticddResult(NamedTuple):
    """Statistics of boxes, the ends along each axis, and the box of each point."""

    statistic: TensorVariable
    bin_edges: list[TensorVariable]
    binnumber: TensorVariable


class BinnedStatistic2dResult(NamedTuple):
    """Statistics of rectangles, the ends along both axes, and the rectangle of each point."""

    statistic: TensorVariable
    x_edge: TensorVariable
    y_edge: TensorVariable
    binnumber: TensorVariable


def binned_statistic_dd(
    sample: TensorLike | Sequence[TensorLike],
    values: TensorLike,
    statistic: str = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
) -> BinnedStatisticddResult:
    """A statistic of the values whose places lie in each box of a space.

    `sample` is a matrix with a known number of columns, one for each axis, or a list of vectors;
    `bins` one number for all axes, or one number or vector of ends for each; `range` a pair for
    each. Several lists of values make as many results. Numbers of boxes count those beyond the
    ends, too; with `expand_binnumbers` there is one for each axis. As `binned_statistic` otherwise.
    See `scipy.stats.binned_statistic_dd`. Raises ValueError for another statistic, and what are no
    such points.

    >>> points, heights = [[0.0, 0.0], [0.2, 1.0], [1.0, 1.0]], [1.0, 2.0, 5.0]
    >>> binned_statistic_dd(points, heights, "sum", bins=2).statistic.eval()
    array([[1., 2.],
           [0., 5.]])
    """
    one_of("binned_statistic_dd", "statistic", statistic, STATISTICS)
    places = _columns(sample)
    rank = len(places)
    each = [*bins] if isinstance(bins, (list, tuple)) and len(bins) == rank else [bins] * rank
    ends = [None] * rank if range is None else range
    edges = [
        numbers(histogram_bin_edges(x, k, r)) for x, k, r in zip(places, each, ends, strict=True)
    ]
    intervals = [_interval(x, e) for x, e in zip(places, edges, strict=True)]
    shape = [lengths_of(e)[0] + 1 for e in edges]
    number = ravel_multi_index(intervals, shape)
    size = as_tensor(1)
    for length in shape:
        size = size * length
    boxes = of_boxes(values, number, size, statistic)
    rows = lengths_of(boxes)[:-1]
    inner = index(reshape(boxes, (*rows, *shape)), (..., *[slice(1, -1)] * rank))
    return BinnedStatisticddResult(
        inner, edges, stack(intervals, 0) if expand_binnumbers else number
    )


def binned_statistic_2d(
    x: TensorLike,
    y: TensorLike,
    values: TensorLike,
    statistic: str = "mean",
    bins: Any = 10,
    range: Any = None,
    expand_binnumbers: bool = False,
) -> BinnedStatistic2dResult:
    """A statistic of the values whose places lie in each rectangle: `binned_statistic_dd`.

    See `scipy.stats.binned_statistic_2d`.

    >>> x, y, heights = [0.0, 0.2, 1.0], [0.0, 1.0, 1.0], [1.0, 2.0, 5.0]
    >>> binned_statistic_2d(x, y, heights, "sum", 2).statistic.eval()
    array([[1., 2.],
           [0., 5.]])
    """
    places = [ravel(numbers(x)), ravel(numbers(y))]
    result = binned_statistic_dd(places, values, statistic, bins, range, expand_binnumbers)
    across, up = result.bin_edges
    return BinnedStatistic2dResult(result.statistic, across, up, result.binnumber)


def _columns(sample: TensorLike | Sequence[TensorLike]) -> list[TensorVariable]:
    if isinstance(sample, (list, tuple)) and all(isinstance(x, TensorVariable) for x in sample):
        return [numbers(x) for x in sample]
    x = numbers(as_tensor(sample))
    rank = static_length(lengths_of(x)[1]) if x.ndim == 2 else None
    if not isinstance(rank, int):
        points = "a matrix with a known number of columns, or vectors"
        raise ValueError(f"binned_statistic_dd takes {points}, not {x!r}{called()}")
    return [x[:, k] for k in builtins.range(rank)]


def _interval(places: TensorVariable, edges: TensorVariable) -> TensorVariable:
    """The number of each place's interval, from 1; the last has its end in it."""
    number = searchsorted(edges, places, side="right")
    return where(eq(places, index(edges, -1)), lengths_of(edges)[0] - 1, number)


class EmpiricalDistributionFunction(NamedTuple):
    """A function of steps: where they are, and its value from each on."""

    quantiles: TensorVariable
    probabilities: TensorVariable
    before: float
    """Its value before all of them."""

    def evaluate(self, x: TensorLike) -> TensorVariable:
        """The value at places."""
        at = searchsorted(self.quantiles, x, side="right")
        return index(concatenate([[self.before], self.probabilities], 0), at)


class ECDFResult(NamedTuple):
    """The share of observations up to each, and beyond it."""

    cdf: EmpiricalDistributionFunction
    sf: EmpiricalDistributionFunction


def ecdf(sample: TensorLike) -> ECDFResult:
    """The distribution function of observations, all of which are known. See `scipy.stats.ecdf`.

    >>> steps = ecdf([3.0, 1.0, 3.0, 2.0]).cdf
    >>> steps.quantiles.eval(), steps.probabilities.eval()
    (array([1., 2., 3.]), array([0.25, 0.5 , 1.  ]))
    """
    x = numbers(sample)
    if x.ndim != 1:
        raise ValueError(f"ecdf takes a vector, not {x!r}{called()}")
    at, counts = unique_counts(x)
    shares = cumsum(counts) / lengths_of(x)[0]
    below, above = (
        EmpiricalDistributionFunction(at, v, b) for v, b in ((shares, 0.0), (1 - shares, 1.0))
    )
    return ECDFResult(below, above)
