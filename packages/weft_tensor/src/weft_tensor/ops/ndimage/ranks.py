"""The least, the largest and the middle of neighbours, and what lies between by rank."""

from __future__ import annotations

from collections.abc import Callable
from operator import index as whole
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.ndimage.borders import (
    Axes,
    along_axes,
    bordered,
    chosen_axes,
    footprint_neighbours,
    window,
)
from weft_tensor.ops.ndimage.output import with_output
from weft_tensor.ops.reduction.standard import max, min
from weft_tensor.ops.reduction.windows import extremes_of_windows

__all__ = [
    "maximum_filter",
    "maximum_filter1d",
    "median_filter",
    "minimum_filter",
    "minimum_filter1d",
    "percentile_filter",
    "rank_filter",
]


@with_output
def median_filter(
    input: TensorLike,
    size: Any = None,
    footprint: Any = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The median of each element's neighbours. See `scipy.ndimage.median_filter`.

    All functions here take the following arguments, and return what `input` is.

    Parameters
    ----------
    input
        Real numbers.
    size
        How long the window is: one number, or one for each axis.
    footprint
        Which neighbours count, instead of `size`: an array of bools, with an axis for each of
        `axes`.
    mode, cval, origin
        As for `correlate`.
    axes
        Along which axes the window goes, all by default.

    Raises
    ------
    ValueError
        for neither or both of `size` and `footprint`, for a footprint without True, for another
        mode, and an origin outside.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> median_filter([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([1., 2., 3., 3.])
    """
    places = (size, footprint, mode, cval, origin, axes)
    return _ranked(input, *places, rank=lambda count: count // 2)


@with_output
def rank_filter(
    input: TensorLike,
    rank: int,
    size: Any = None,
    footprint: Any = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The neighbour of that rank, from 0, or -1 for the largest. See `scipy.ndimage.rank_filter`.

    >>> rank_filter([1.0, 9.0, 2.0, 3.0], -1, 3).eval()
    array([9., 9., 9., 3.])
    """
    number = whole(rank)
    return _ranked(
        input,
        *(size, footprint, mode, cval, origin, axes),
        rank=lambda count: number + count if number < 0 else number,
    )


@with_output
def percentile_filter(
    input: TensorLike,
    percentile: float,
    size: Any = None,
    footprint: Any = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The neighbour that `percentile` % are below. See `scipy.ndimage.percentile_filter`.

    >>> percentile_filter([1.0, 9.0, 2.0, 3.0], 100, 3).eval()
    array([9., 9., 9., 3.])
    """
    share = float(percentile) + (100.0 if percentile < 0 else 0.0)
    return _ranked(
        input,
        *(size, footprint, mode, cval, origin, axes),
        rank=lambda count: count - 1 if share == 100.0 else int(count * share / 100.0),
    )


@with_output
def maximum_filter(
    input: TensorLike,
    size: Any = None,
    footprint: Any = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The largest of each element's neighbours. See `scipy.ndimage.maximum_filter`.

    >>> maximum_filter([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([9., 9., 9., 3.])
    """
    return _extreme(max, maximum, input, size, footprint, mode, cval, origin, axes)


@with_output
def minimum_filter(
    input: TensorLike,
    size: Any = None,
    footprint: Any = None,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: Any = 0,
    axes: Axes = None,
) -> TensorVariable:
    """The least of each element's neighbours. See `scipy.ndimage.minimum_filter`.

    >>> minimum_filter([1.0, 9.0, 2.0, 3.0], 3).eval()
    array([1., 1., 2., 2.])
    """
    return _extreme(min, minimum, input, size, footprint, mode, cval, origin, axes)


@with_output
def maximum_filter1d(
    input: TensorLike,
    size: int,
    axis: int = -1,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int = 0,
) -> TensorVariable:
    """`maximum_filter` along one axis. See `scipy.ndimage.maximum_filter1d`.

    >>> maximum_filter1d([1.0, 9.0, 2.0, 3.0], 2).eval()
    array([1., 9., 9., 3.])
    """
    return maximum_filter(input, size, mode=mode, cval=cval, origin=origin, axes=axis)


@with_output
def minimum_filter1d(
    input: TensorLike,
    size: int,
    axis: int = -1,
    *,
    mode: str = "reflect",
    cval: TensorLike = 0.0,
    origin: int = 0,
) -> TensorVariable:
    """`minimum_filter` along one axis. See `scipy.ndimage.minimum_filter1d`.

    >>> minimum_filter1d([1.0, 9.0, 2.0, 3.0], 2).eval()
    array([1., 1., 2., 2.])
    """
    return minimum_filter(input, size, mode=mode, cval=cval, origin=origin, axes=axis)


def _extreme(
    reduce: Callable[..., TensorVariable],
    combine: Callable[..., TensorVariable],
    input: TensorLike,
    size: Any,
    footprint: Any,
    mode: Any,
    cval: TensorLike,
    origin: Any,
    axes: Axes,
) -> TensorVariable:
    """By one axis after the other, but where a footprint says which neighbours count."""
    x = _ordered(input)
    if footprint is not None or size is None:
        return reduce(footprint_neighbours(x, size, footprint, mode, cval, origin, axes), -1)

    def extreme(x: Any, axis: int, size: int, origin: int, mode: str) -> TensorVariable:
        sizes = window(size, [axis], x.ndim, 1, "size")
        origins = window(origin, [axis], x.ndim, 0, "origin")
        wide = bordered(x, sizes, origins, mode, cval)
        return extremes_of_windows(combine, wide, axis, sizes[axis])

    return along_axes(x, chosen_axes(axes, x.ndim), extreme, size=size, origin=origin, mode=mode)


def _ordered(input: TensorLike) -> TensorVariable:
    x = as_tensor(input)
    if x.is_complex:
        raise TypeError(f"complex numbers have no order here: not {x!r}{called()}")
    return x


def _ranked(input: TensorLike, *places: Any, rank: Callable[[int], int]) -> TensorVariable:
    parts = footprint_neighbours(_ordered(input), *places)
    count = parts.type.shape[-1]
    assert isinstance(count, int)
    place = rank(count)
    if not 0 <= place < count:
        raise ValueError(f"rank not within filter footprint size{called()}")
    return index(sort(parts, -1), (..., place))
