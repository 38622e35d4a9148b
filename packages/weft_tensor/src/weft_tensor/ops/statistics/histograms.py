"""How many elements lie in each of neighbouring intervals."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import linspace, zeros
from weft_tensor.ops.elementwise.arithmetic import floor, minimum
from weft_tensor.ops.elementwise.comparison import eq, ge, gt, isfinite, le, logical_and, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.reduction.standard import all, max, min, size, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.shape.stacking import unstack
from weft_tensor.ops.statistics.differences import diff
from weft_tensor.types.dtypes import promote

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def histogram_bin_edges(
    a: TensorLike, bins: Any = 10, range: Any = None, weights: TensorLike | None = None
) -> TensorVariable:
    """The edges of the intervals that `histogram` counts in. See `numpy.histogram_bin_edges`.

    `bins` is a number of intervals, or a vector of their edges; NumPy's names of ways to choose a
    number depend on values, and are no bins here. ValueError, at the call where that is known
    only there, for edges that fall and for a range that is not finite.

    >>> histogram_bin_edges([1, 2, 5], bins=2).eval()
    array([1., 3., 5.])
    """
    return _edges(ravel(as_tensor(a)), bins, range, "histogram_bin_edges").ends


def histogram(
    a: TensorLike,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: TensorLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """How many elements lie in each interval, and the edges. See `numpy.histogram`.

    As `histogram_bin_edges` for `bins` and `range`. With `weights` their sums are taken; with
    `density`, the area is 1. The last interval has its end in it.

    >>> [v.eval() for v in histogram([1, 2, 1, 5], bins=[0, 2, 3, 5])]
    [array([2, 1, 1]), array([0, 2, 3, 5])]
    """
    x = ravel(as_tensor(a))
    x = x.astype("uint8") if x.dtype == "bool" else x
    edges = _edges(x, bins, range, "histogram")
    amounts = None if weights is None else _weights(a, weights)
    counts = _counted([x], [edges], amounts)
    if not density:
        return counts, edges.ends
    return counts / diff(edges.ends).astype("float64") / sum(counts), edges.ends


def histogram2d(
    x: TensorLike,
    y: TensorLike,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: TensorLike | None = None,
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """How many points lie in each rectangle, and the edges of both. See `numpy.histogram2d`.

    `bins` is one number or vector for both, or a pair; as `histogram` otherwise.

    >>> histogram2d([0, 1, 1], [0, 1, 1], bins=2)[0].eval()
    array([[1., 0.],
           [0., 2.]])
    """
    points = [as_tensor(v) for v in (x, y)]
    if points[0].ndim != 1 or points[1].ndim != 1:
        raise ValueError(f"histogram2d takes two vectors, not {points}")
    pair = list(bins) if isinstance(bins, (list, tuple)) and len(bins) == 2 else [bins, bins]
    counts, ends = _of_points(points, pair, range, density, weights, "histogram2d")
    return counts, ends[0], ends[1]


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool = False,
    weights: TensorLike | None = None,
) -> tuple[TensorVariable, tuple[TensorVariable, ...]]:
    """How many points lie in each box of a space, and the edges along each axis.

    `sample` is a matrix with a known number of columns, one for each axis, or a list of vectors.
    `bins` is one number for all axes, or one number or vector for each; as `histogram` otherwise.
    See `numpy.histogramdd`. Raises ValueError for what are no such points, and for another number
    of bins than axes, TypeError if the number of axes is not known.

    >>> histogramdd([[0, 1, 1], [0, 1, 1]], bins=2)[0].eval()
    array([[1., 0.],
           [0., 2.]])
    """
    if isinstance(sample, (list, tuple)):
        points = [as_tensor(v) for v in sample]
    else:
        points = list(unstack(sample, axis=-1))
    if not points or any(v.ndim != 1 for v in points):
        raise ValueError(
            f"histogramdd takes points in a matrix, or vectors in a list, not {sample}"
        )
    each = list(bins) if isinstance(bins, (list, tuple)) else [bins] * len(points)
    if len(each) != len(points):
        raise ValueError(f"histogramdd takes bins for each of {len(points)} axes, not {len(each)}")
    return _of_points(points, each, range, density, weights, "histogramdd")


def _of_points(
    points: list[Any], bins: list[Any], limits: Any, density: bool, weights: Any, name: str
) -> tuple[TensorVariable, tuple[TensorVariable, ...]]:
    ranges = [None] * len(points) if limits is None else list(limits)
    edges = [_edges(v, b, r, name) for v, b, r in zip(points, bins, ranges, strict=True)]
    amounts = None if weights is None else _weights(points[0], weights)
    counts = _counted(points, edges, amounts).astype("float64")
    ends = tuple([e.ends for e in edges])
    if density:
        total = sum(counts)
        for axis, e in enumerate(ends):
            widths = diff(e.astype("float64"))
            counts = counts / expand_dims(widths, tuple(builtins.range(1, len(ends) - axis)))
        counts = counts / total
    return counts, ends


class _Edges(NamedTuple):
    """Where intervals end."""

    ends: TensorVariable
    at: Callable[[TensorVariable], TensorVariable] | None
    """The ends with these numbers, computed, and infinity for the last one; None if not all
    intervals are of one length."""


def _weights(a: TensorLike, weights: TensorLike) -> TensorVariable:
    amounts, values = as_tensor(weights), as_tensor(a)
    if amounts.ndim != values.ndim:
        raise ValueError(f"weights have the shape of what is counted, {values!r}, not {amounts!r}")
    same = [eq(n, m) for n, m in zip(lengths_of(values), lengths_of(amounts), strict=True)]
    message = "weights of a histogram must have the shape of what is counted"
    for fits in same:
        amounts = check_and_raise(amounts, fits, ValueError, message)
    return ravel(amounts)


def _edges(x: Any, bins: Any, limits: Any, name: str) -> _Edges:
    if x.is_complex:
        raise TypeError(f"{name} takes real numbers, not {x!r}")
    if isinstance(bins, str):
        raise TypeError(f"{name}: how many bins {bins!r} makes depends on values: give a number")
    if np.ndim(bins) == 0 and not hasattr(bins, "type"):
        return _even(x, bins, limits, name)
    edges = as_tensor(bins)
    if edges.ndim != 1:
        raise ValueError(f"bins of {name} are a number, or edges in a vector, not {edges!r}")
    steps = ge(index(edges, slice(1, None)), index(edges, slice(None, -1)))
    message = f"bins of {name} must not fall"
    return _Edges(check_and_raise(edges, all(steps), ValueError, message), None)


def _even(x: Any, bins: Any, limits: Any, name: str) -> _Edges:
    """Edges of intervals of one length."""
    if not hasattr(bins, "__index__"):
        raise TypeError(f"bins of {name} are a whole number, or edges in a vector, not {bins!r}")
    if bins < 1:
        raise ValueError(f"bins of {name} are 1 or more, not {bins}")
    _, *given = as_tensors((x, *([] if limits is None else limits)))
    dtype = promote((x.dtype, *[v.dtype for v in given]))
    dtype = dtype if dtype[0] == "f" else "float64"
    if limits is not None:
        low, high = (v.astype(dtype) for v in given)
        low = check_and_raise(
            low, le(low, high), ValueError, f"{name}: max must be larger than min"
        )
    else:
        values = x.astype(dtype)
        nothing = eq(size(x), 0)
        low = where(nothing, 0, min(values, initial=np.inf)).astype(dtype)
        high = where(nothing, 1, max(values, initial=-np.inf)).astype(dtype)
    finite = logical_and(isfinite(low), isfinite(high))
    low = check_and_raise(low, finite, ValueError, f"{name}: the range of values is not finite")
    flat = eq(low, high)
    low, high = (
        where(flat, low - 0.5, low).astype(dtype),
        where(flat, high + 0.5, high).astype(dtype),
    )
    ends, step = linspace(low, high, int(bins) + 1, retstep=True)

    def at(k: TensorVariable) -> TensorVariable:
        beyond = abs(k.astype(dtype) * step)  # XLA would not round what it adds in one instruction
        end = (low + beyond).astype("float64")
        return where(eq(k, float(bins)), np.inf, end)

    return _Edges(ends, at)


def _counted(points: list[Any], edges: list[_Edges], weights: Any) -> TensorVariable:
    """How many points lie between edges; those outside go to a place behind, which is cut off."""
    counts = [lengths_of(e.ends)[0] - 1 for e in edges]
    place: Any = 0
    inside: Any = None
    for x, e, n in zip(points, edges, counts, strict=True):
        kind = promote((x.dtype, e.ends.dtype))
        values, ends = x.astype(kind), e.ends.astype(kind)
        first, last = index(ends, 0), index(ends, -1)
        within = logical_and(ge(values, first), le(values, last))
        if e.at:
            own = _even_place(where(within, values, first), ends, e.at, n)
        else:
            behind = searchsorted(ends, values, side="right") - 1
            own = where(eq(values, last), n - 1, behind)
        place = place * n + own
        inside = within if inside is None else logical_and(inside, within)
    total: Any = 1
    for n in counts:
        total = total * n
    amounts = as_tensor(1) if weights is None else weights
    amounts = broadcast_to(amounts, lengths_of(points[0]))
    totals = index(zeros(total + 1, amounts.dtype), where(inside, place, total).astype("int64"))
    return index(updated(totals, "inc", amounts), slice(None, -1)).reshape(counts)


def _even_place(x: Any, ends: Any, end: Callable[[Any], Any], n: Any) -> TensorVariable:
    """The interval of each element that is in one.

    By division, which may be off by less than a half: it is the interval found there or the next.
    """
    x, ends = x.astype("float64"), ends.astype("float64")
    first, last = index(ends, 0), index(ends, -1)
    place = floor((x - first) / (last - first) * n - 0.5)  # n over a length next to zero is none
    place = where(gt(place, 0.0), place, 0.0)
    place = minimum(place, n - 1.0)
    following = place + 1.0
    return where(ge(x, end(following)), following, place)
