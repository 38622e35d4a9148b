"""Indices and grids, some of them written as slices: mgrid, ogrid, r_, c_, s_."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from operator import index
from typing import Any, Final

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, linspace, zeros
from weft_tensor.ops.indexing.nonzero import nonzero
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import sizes_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel
from weft_tensor.ops.shape.transpose import swapaxes, transpose
from weft_tensor.types.dtypes import DTypeLike, promote

__all__ = ["c_", "indices", "ix_", "meshgrid", "mgrid", "ndindex", "ogrid", "r_", "s_"]


def _open(vectors: Sequence[Any]) -> tuple[Any, ...]:
    """Each vector along an axis of its own."""
    places = range(len(vectors))
    return tuple(
        [expand_dims(v, tuple(b for b in places if b != a)) for a, v in enumerate(vectors)]
    )


def meshgrid(
    *xs: TensorLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[TensorVariable, ...]:
    """The coordinates of a grid, of which each of `xs` has those along one axis.

    With `sparse`, of length 1 along the other axes. The first two axes are exchanged, unless
    `indexing` is "ij". See `numpy.meshgrid`. Raises ValueError for another `indexing` than 'xy' and
    'ij'.

    >>> [v.eval() for v in meshgrid([1, 2], [3, 4])]
    [array([[1, 2],
           [1, 2]]), array([[3, 3],
           [4, 4]])]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    grid = _open([ravel(x) for x in map(as_tensor, xs)])
    if indexing == "xy" and len(grid) > 1:
        grid = tuple([swapaxes(v, 0, 1) for v in grid])
    return grid if sparse else _broadcast(grid)


def _broadcast(grid: Sequence[Any]) -> tuple[Any, ...]:
    dtypes = [v.dtype for v in grid]
    return tuple(
        [v.astype(d) for v, d in zip(broadcast_arrays(*grid), dtypes, strict=True)] if grid else []
    )


def indices(
    dimensions: Sequence[SizeLike], dtype: DTypeLike = "int64", sparse: bool = False
) -> Any:
    """For each axis of a grid of lengths `dimensions`, the place along it. See `numpy.indices`.

    >>> indices((2, 2)).eval()
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """
    lengths = sizes_of(dimensions)
    grid = _open([arange(n, dtype=dtype) for n in lengths])
    if sparse:
        return grid
    return stack(_broadcast(grid)) if grid else zeros(0, dtype)


def ndindex(*shape: int | Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The places in a grid, one after another: numbers of Python's, for loops that write a graph.

    See `numpy.ndindex`; for places as a tensor, `indices`. Raises TypeError for lengths that are
    not known yet, ValueError for negative ones.

    >>> list(ndindex(2, 2))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    lengths: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    numbers = [index(n) for n in lengths]
    if any(n < 0 for n in numbers):
        raise ValueError(f"ndindex: a length of {tuple(numbers)} is negative")
    return product(*map(range, numbers))


def ix_(*xs: TensorLike) -> tuple[TensorVariable, ...]:
    """Vectors of places as an index of the grid that they make; masks are where they are true.

    See `numpy.ix_`. Raises ValueError for what is no vector.

    >>> as_tensor([[1, 2], [3, 4]])[ix_([0, 1], [1])].eval()
    array([[2],
           [4]])
    """
    axes = []
    for places in xs:
        x = (
            as_tensor(places, "int64")
            if isinstance(places, (list, tuple)) and not places
            else as_tensor(places)
        )
        if x.ndim != 1:
            raise ValueError(f"ix_ takes vectors, not {x!r}")
        axes.append(nonzero(x)[0] if x.dtype == "bool" else x)
    return _open(axes)


def _range(part: slice) -> TensorVariable:
    """The numbers that a slice names; an imaginary step says how many, with the end."""
    start = 0 if part.start is None else part.start
    if part.stop is None:
        raise TypeError(f"a slice of numbers needs an end, as 0:3, not {part}")
    step = 1 if part.step is None else part.step
    if isinstance(step, complex):
        return linspace(start, part.stop, int(abs(step)))
    return arange(start, part.stop, step)


class _Grid:
    """Makes grids of slices."""

    def __init__(self, *, is_open: bool) -> None:
        self._is_open = is_open

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        if isinstance(key, slice):
            return _range(key)
        vectors = [_range(part) for part in key]
        dtype = promote([v.dtype for v in vectors]) if vectors else "int64"
        grid = _open([v.astype(dtype) for v in vectors])
        return grid if self._is_open else stack(broadcast_arrays(*grid))


mgrid: Final = _Grid(is_open=False)
"""`mgrid[0:2, 0:3]`: the coordinates of a grid as one tensor. See `numpy.mgrid`."""
ogrid: Final = _Grid(is_open=True)
"""`ogrid[0:2, 0:3]`: the same, of length 1 along the other axes. See `numpy.ogrid`."""


class _Joined:
    """Joins tensors, numbers and slices, which stand for the numbers they name."""

    def __init__(self, axis: int, ndim: int, first: int) -> None:
        self._default = (axis, ndim, first)

    def __getitem__(self, key: Any) -> TensorVariable:
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndim, first = self._default
        if items and isinstance(items[0], str):
            axis, ndim, first = _directive(items.pop(0), self._default)
        tensors = as_tensors([_range(v) if isinstance(v, slice) else v for v in items])
        parts = []
        for x in tensors:
            missing = max(ndim - x.ndim, 0)
            whole = expand_dims(x, tuple(range(missing)))
            if missing and first != -1 and x.ndim:
                start = first + missing + 1 if first < 0 else first
                order = list(range(ndim))
                whole = transpose(whole, [*order[:start], *order[missing:], *order[start:missing]])
            parts.append(whole)
        return concatenate(parts, axis)


def _directive(text: str, default: tuple[int, int, int]) -> tuple[int, int, int]:
    """What "axis,rank,place" says, of which the first one or two suffice."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(
            f"r_ and c_ take numbers, as 'axis,rank,place', not {text!r}: there are no matrices"
        ) from None
    axis, ndim, first = (*numbers, *default[len(numbers) :])[:3]
    return axis, ndim, first


r_: Final = _Joined(0, 1, -1)
"""`r_[0:3, 5, x]`: joined along the first axis. See `numpy.r_`."""
c_: Final = _Joined(-1, 2, 0)
"""`c_[x, y]`: joined along the last axis, vectors as columns. See `numpy.c_`."""
s_: Final = np.s_
"""`s_[1:, ::2]`: what stands between the brackets. See `numpy.s_`."""
