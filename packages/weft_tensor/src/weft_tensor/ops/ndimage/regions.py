"""What is measured of regions of an image: sums, extremes, places.

`labels` says to which region each element belongs, and `index` of which regions to tell.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, linspace, zeros_like
from weft_tensor.ops.elementwise.arithmetic import maximum as larger
from weft_tensor.ops.elementwise.arithmetic import minimum as smaller
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.flat_places import unravel_index
from weft_tensor.ops.indexing.index import index as part_of
from weft_tensor.ops.indexing.partition import lexsort
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.indexing.segments import segment_max, segment_min, segment_sum
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = [
    "center_of_mass",
    "extrema",
    "histogram",
    "maximum",
    "maximum_position",
    "mean",
    "median",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "variance",
]

_T = TensorVariable
_WIDEST: Final = 16
"""Labels are looked up in a table of so many rows for each of them."""


class _Regions(NamedTuple):
    """The elements as a vector, the number of each one's region, and where to read results."""

    values: _T
    ids: _T
    count: Any
    """How many regions there are; elements of others have this number."""
    places: Any
    shape: list[Any]
    image_shape: list[Any]

    def each(self, of_regions: _T) -> _T:
        """Results of regions, in the order and the shape of `index`."""
        wanted = part_of(of_regions, self.places)
        return reshape(wanted, [*self.shape, *lengths_of(of_regions)[1:]])

    def sums(self, values: _T) -> _T:
        return self.kept(segment_sum(values, self.ids, self.count + 1))

    def kept(self, of_all: _T) -> _T:
        return part_of(of_all, slice(0, self.count))

    def numbers(self) -> _T:
        return self.sums(zeros_like(self.ids) + 1)

    def own(self, of_regions: _T) -> _T:
        """What each element's region has; the last one's for elements of none."""
        return part_of(of_regions, smaller(self.ids, self.count - 1))


def _regions(input: TensorLike, labels: Any, index: Any, name: str) -> _Regions:
    x = as_tensor(input)
    if x.is_complex:
        raise TypeError(f"{name}: an image has real numbers, not {x!r}{called()}")
    shape = list(lengths_of(x))
    values = reshape(x, (-1,))
    if labels is None:
        if index is not None:
            raise ValueError(f"{name}: an index needs labels{called()}")
        return _Regions(values, zeros_like(values).astype("int64"), 1, [0], [], shape)
    marks = as_tensor(labels)
    if marks.dtype[0] not in "iub":
        raise TypeError(f"{name}: labels are integers, not {marks!r}{called()}")
    marks = reshape(broadcast_to(marks.astype("int64"), tuple(shape)), (-1,))
    if index is None:
        return _Regions(values, where(marks > 0, 0, 1), 1, [0], [], shape)
    wanted = as_tensor(index).astype("int64")
    own = list(lengths_of(wanted))
    wanted = reshape(wanted, (-1,))
    count = lengths_of(wanted)[0]
    ids = _found_in_table(marks, wanted)
    if ids is not None:
        return _Regions(values, *ids, own, shape)
    ordered = sort(wanted)
    at = searchsorted(ordered, marks)
    hit = (at < count) & part_of(ordered, smaller(at, larger(count - 1, 0))).eq(marks)
    places = searchsorted(ordered, wanted)
    return _Regions(values, where(hit, at, count), count, places, own, shape)


def _found_in_table(marks: _T, wanted: _T) -> tuple[_T, int, Any] | None:
    """Numbers of regions, how many, and that of each wanted one; None if these are not known.

    They are when the graph is built, and not much farther from each other than they are many.
    """
    if not isinstance(wanted.op, Constant) or not wanted.op.value.size:
        return None
    labels, places = np.unique(wanted.op.value, return_inverse=True)
    first, count = int(labels[0]), len(labels)
    rows = int(labels[-1]) - first + 3  # one more at both ends, for others
    if rows > _WIDEST * (count + 1):
        return None
    table = np.full(rows, count)
    table[labels - first + 1] = np.arange(count)
    row = larger(smaller(marks, int(labels[-1]) + 1), first - 1) - (first - 1)
    return part_of(as_tensor(table), row), count, places


def sum_labels(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The sums of the elements of regions. See `scipy.ndimage.sum_labels`; `sum` is the same.

    All functions of regions take the following arguments. They have derivatives by `input`.

    Parameters
    ----------
    input
        An image of any rank: real numbers. Of integers, results are float64, but for extremes.
    labels
        Integers that broadcast to `input`; by default all elements are one region.
    index
        Which labels to tell of: a number, or an array of them, whose shape results have. By
        default the elements whose label is positive are one region.

    Raises
    ------
    TypeError
        for complex numbers, and labels that are no integers.
    ValueError
        for an index without labels.

    Examples
    --------
    >>> sum_labels([1.0, 2.0, 4.0], [1, 2, 1], [1, 2, 3]).eval()
    array([5., 2., 0.])
    """
    r = _regions(input, labels, index, "sum_labels")
    return r.each(r.sums(as_floating(r.values)))


def sum(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The sums of the elements of regions: `sum_labels`. See `scipy.ndimage.sum`.

    >>> sum([1.0, 2.0, 4.0], [1, 2, 1], 1).eval()
    array(5.)
    """
    return sum_labels(input, labels, index)


def _moments(r: _Regions) -> tuple[_T, _T]:
    """Means and variances of regions; NaN of none."""
    values, n = as_floating(r.values), r.numbers()
    n = where(n > 0, n, float("nan")).astype(values.dtype)
    middle = r.sums(values) / n
    apart = where(r.ids < r.count, values - r.own(middle), 0)
    return middle, r.sums(apart**2) / n


def mean(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The means of regions; NaN without elements. See `scipy.ndimage.mean` and `sum_labels`.

    >>> mean([1.0, 2.0, 4.0], [1, 2, 1], [1, 2]).eval()
    array([2.5, 2. ])
    """
    r = _regions(input, labels, index, "mean")
    return r.each(_moments(r)[0])


def variance(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The variances of regions; NaN without elements. See `scipy.ndimage.variance`.

    >>> variance([1.0, 2.0, 4.0], [1, 2, 1], [1, 2]).eval()
    array([2.25, 0.  ])
    """
    r = _regions(input, labels, index, "variance")
    return r.each(_moments(r)[1])


def standard_deviation(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The roots of `variance`. See `scipy.ndimage.standard_deviation`.

    >>> standard_deviation([1.0, 2.0, 4.0], [1, 2, 1], 1).eval()
    array(1.5)
    """
    return sqrt(variance(input, labels, index))


def _extremes(r: _Regions, largest: bool) -> _T:
    """The extremes of regions; 0 without elements."""
    extreme = segment_max if largest else segment_min
    some = r.numbers() > 0
    return where(some, r.kept(extreme(r.values, r.ids, r.count + 1)), 0).astype(r.values.dtype)


def minimum(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The least elements of regions; 0 without elements. See `scipy.ndimage.minimum`.

    >>> minimum([1.0, 2.0, 4.0], [1, 2, 1], [2, 1]).eval()
    array([2., 1.])
    """
    r = _regions(input, labels, index, "minimum")
    return r.each(_extremes(r, False))


def maximum(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The largest elements of regions; 0 without elements. See `scipy.ndimage.maximum`.

    >>> maximum([1.0, 2.0, 4.0], [1, 2, 1], [2, 1]).eval()
    array([2., 4.])
    """
    r = _regions(input, labels, index, "maximum")
    return r.each(_extremes(r, True))


def _position(r: _Regions, largest: bool) -> _T:
    """Where the first of the extremes of regions are; the first element without elements."""
    n = lengths_of(r.values)[0]
    is_extreme = r.values.eq(r.own(_extremes(r, largest)))
    first = segment_min(where(is_extreme, arange(n), n), r.ids, r.count + 1)
    flat = where(r.numbers() > 0, r.kept(first), 0)
    return stack(unravel_index(smaller(flat, larger(n - 1, 0)), r.image_shape), -1)


def minimum_position(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """Where the least elements of regions are: subscripts, along the last axis.

    Of several, it is the first. See `scipy.ndimage.minimum_position`.

    >>> minimum_position([[3.0, 2.0], [1.0, 4.0]], [[1, 1], [2, 2]], [1, 2]).eval()
    array([[0, 1],
           [1, 0]])
    """
    r = _regions(input, labels, index, "minimum_position")
    return r.each(_position(r, False))


def maximum_position(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """Where the largest elements of regions are: subscripts, along the last axis.

    Of several, it is the first. See `scipy.ndimage.maximum_position`.

    >>> maximum_position([[3.0, 2.0], [1.0, 4.0]]).eval()
    array([1, 1])
    """
    r = _regions(input, labels, index, "maximum_position")
    return r.each(_position(r, True))


def extrema(
    input: TensorLike, labels: Any = None, index: Any = None
) -> tuple[TensorVariable, TensorVariable, TensorVariable, TensorVariable]:
    """`minimum`, `maximum`, `minimum_position` and `maximum_position` of regions.

    See `scipy.ndimage.extrema`.

    >>> [v.eval().tolist() for v in extrema([3.0, 1.0, 4.0])]
    [1.0, 4.0, [1], [2]]
    """
    r = _regions(input, labels, index, "extrema")
    values = [_extremes(r, largest) for largest in (False, True)]
    low, high, first, last = (r.each(v) for v in (*values, _position(r, False), _position(r, True)))
    return low, high, first, last


def median(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The medians of regions; NaN without elements. See `scipy.ndimage.median`.

    >>> median([1.0, 2.0, 4.0, 9.0], [1, 1, 1, 2], [1, 2]).eval()
    array([2., 9.])
    """
    r = _regions(input, labels, index, "median")
    values, n = as_floating(r.values), r.numbers()
    ordered = part_of(values, lexsort((values, r.ids)))
    begin = cumsum(n) - n
    last = larger(lengths_of(values)[0] - 1, 0)
    low, high = (part_of(ordered, smaller(begin + larger(k, 0) // 2, last)) for k in (n - 1, n))
    return r.each(where(n > 0, (low + high) / 2, float("nan")).astype(values.dtype))


def center_of_mass(input: TensorLike, labels: Any = None, index: Any = None) -> TensorVariable:
    """The means of subscripts, weighted by the elements, along the last axis.

    See `scipy.ndimage.center_of_mass`.

    >>> center_of_mass([[0.0, 1.0], [1.0, 2.0]]).eval()
    array([0.75, 0.75])
    """
    r = _regions(input, labels, index, "center_of_mass")
    values = as_floating(r.values)
    if labels is None:
        image = as_floating(input)
        axes = range(image.ndim)
        lines = [image.sum(tuple(a for a in axes if a != k)) for k in axes]
        return stack([(v * arange(lengths_of(v)[0])).sum() / v.sum() for v in lines])
    subscripts = unravel_index(arange(lengths_of(values)[0]), r.image_shape)
    whole = r.sums(values)
    middles = [r.sums(values * k) / whole for k in subscripts]
    return r.each(stack(middles, -1)).astype(values.dtype)


def histogram(
    input: TensorLike,
    min: TensorLike,
    max: TensorLike,
    bins: SizeLike,
    labels: Any = None,
    index: Any = None,
) -> TensorVariable:
    """How many elements of regions lie in each of `bins` intervals from `min` to `max`.

    They are along the last axis. See `scipy.ndimage.histogram`.

    >>> histogram([1.0, 2.0, 4.0, 2.5], 0.0, 4.0, 2, [1, 2, 1, 2], [1, 2]).eval()
    array([[1, 1],
           [0, 2]])
    """
    r = _regions(input, labels, index, "histogram")
    size = as_tensor(bins).astype("int64")
    edges = linspace(min, max, size + 1)
    at = smaller(searchsorted(edges, r.values, side="right") - 1, size - 1)
    inside = (r.values >= min) & (r.values <= max) & (r.ids < r.count)
    cells = where(inside, r.ids * size + at, r.count * size)
    counts = segment_sum(zeros_like(cells) + 1, cells, r.count * size + 1)
    return r.each(reshape(part_of(counts, slice(0, r.count * size)), (r.count, size)))
