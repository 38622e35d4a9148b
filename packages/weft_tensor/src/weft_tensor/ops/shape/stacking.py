"""Tensors put beside each other: by rows, by columns, in depth; and taken apart again."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of, sizes_of
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.reshape import atleast_1d, atleast_2d, expand_dims, ravel, reshape
from weft_tensor.ops.shape.transpose import moveaxis, transpose
from weft_tensor.types.axes import Axes, as_axes, as_axis, listed

__all__ = [
    "atleast_3d",
    "block",
    "broadcast_shapes",
    "column_stack",
    "dstack",
    "hstack",
    "pack",
    "rollaxis",
    "rot90",
    "unpack",
    "unstack",
    "vstack",
]


def broadcast_shapes(*shapes: SizeLike | Sequence[SizeLike]) -> tuple[Any, ...]:
    """The shape that tensors of `shapes` are broadcast to. See `numpy.broadcast_shapes`.

    Lengths may be variables; that they fit is then seen when tensors are broadcast.

    >>> broadcast_shapes((3, 1), (1, 2), 2)
    (3, 2)
    """
    listed_shapes = [tuple(sizes_of(s)) for s in shapes]
    if not any(isinstance(n, Variable) for s in listed_shapes for n in s):
        return np.broadcast_shapes(*listed_shapes)
    return broadcast_dims(*listed_shapes)


def atleast_3d(*xs: TensorLike) -> Any:
    """`x` with three axes at least: a vector as the middle one, a matrix as the first two.

    Of several tensors, a tuple. See `numpy.atleast_3d`.

    >>> atleast_3d([1, 2]).eval().shape, atleast_3d([[1, 2]]).eval().shape
    ((1, 2, 1), (1, 2, 1))
    """
    new_axes: list[tuple[int, ...]] = [(0, 1, 2), (0, 2), (2,)]
    results = [x if x.ndim > 2 else expand_dims(x, new_axes[x.ndim]) for x in map(as_tensor, xs)]
    return results[0] if len(results) == 1 else tuple(results)


def vstack(tensors: Sequence[TensorLike], dtype: Any = None) -> TensorVariable:
    """`tensors` below one another; vectors count as rows. See `numpy.vstack`.

    >>> vstack([[1, 2], [[3, 4]]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(x) for x in as_tensors(tensors)], 0, dtype)


def hstack(tensors: Sequence[TensorLike], dtype: Any = None) -> TensorVariable:
    """`tensors` side by side: along the second axis, vectors along their only one.

    See `numpy.hstack`.

    >>> hstack([[1, 2], [3]]).eval()
    array([1, 2, 3])
    """
    rows = [atleast_1d(x) for x in as_tensors(tensors)]
    return concatenate(rows, 1 if rows and rows[0].ndim > 1 else 0, dtype)


def dstack(tensors: Sequence[TensorLike]) -> TensorVariable:
    """`tensors` behind one another, along the third axis. See `numpy.dstack`.

    >>> dstack([[1, 2], [3, 4]]).eval()
    array([[[1, 3],
            [2, 4]]])
    """
    return concatenate([atleast_3d(x) for x in as_tensors(tensors)], 2)


def column_stack(tensors: Sequence[TensorLike]) -> TensorVariable:
    """`tensors` side by side; vectors and scalars count as columns. See `numpy.column_stack`.

    >>> column_stack([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    parts = [atleast_1d(x) for x in as_tensors(tensors)]
    if parts and all(x.ndim == 1 for x in parts):
        return stack(parts, 1)
    return concatenate([x if x.ndim > 1 else expand_dims(x, 1) for x in parts], 1)


def block(arrays: Any) -> TensorVariable:
    """Tensors in nested lists, put together: the innermost lists along the last axis, and so on.

    See `numpy.block`. Raises ValueError for empty lists and for lists of different depth, TypeError
    for tuples.

    >>> block([[as_tensor([1, 2]), 3], [as_tensor([4, 5]), 6]]).eval()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    depth, row = 0, [arrays]
    while any(isinstance(part, list) for part in row):
        if not all(isinstance(part, list) and part for part in row):
            raise ValueError(f"block takes lists of one depth, none of them empty, not {arrays}")
        depth, row = depth + 1, [inner for part in row for inner in part]
    if any(isinstance(part, tuple) for part in row):
        raise TypeError(f"block takes lists of tensors, not tuples: {arrays}")
    tensors = as_tensors(row)
    ndim = max([depth, *(x.ndim for x in tensors)])
    ends = iter([expand_dims(x, tuple(range(ndim - x.ndim))) for x in tensors])
    return _joined(arrays, depth, ends)


def _joined(part: Any, depth: int, tensors: Iterator[TensorVariable]) -> TensorVariable:
    """One part of what `block` is given, made of the next of its tensors."""
    if not depth:
        return next(tensors)
    return concatenate([_joined(inner, depth - 1, tensors) for inner in part], -depth)


def unstack(x: TensorLike, axis: int = 0) -> tuple[TensorVariable, ...]:
    """What stands at each place of `axis`, whose length must be known. See `numpy.unstack`.

    Raises ValueError for a scalar, TypeError if the length of the axis is not known.

    >>> [part.eval() for part in unstack([[1, 2], [3, 4]], axis=1)]
    [array([1, 3]), array([2, 4])]
    """
    x = as_tensor(x)
    if not x.ndim:
        raise ValueError(f"unstack takes a tensor with an axis, but {x!r} is a scalar")
    along = as_axis(axis, x.ndim)
    n = x.type.shape[along]
    if not isinstance(n, int):
        raise TypeError(
            f"unstack: the length of axis {along} of {x!r} must be known: it is the number of "
            "results. Give the input a shape, or use specify_shape"
        )
    return tuple([index(x, (slice(None),) * along + (k,)) for k in range(n)])


def rot90(x: TensorLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> TensorVariable:
    """`x` turned `k` times by 90 degrees, from the first of two axes to the second.

    See `numpy.rot90`. Raises ValueError unless there are two axes, TypeError for a k that is no
    integer.

    >>> rot90([[1, 2], [3, 4]]).eval()
    array([[2, 4],
           [1, 3]])
    """
    x = as_tensor(x)
    pair = listed(axes)
    if len(pair) != 2:
        raise ValueError(f"rot90 turns from one axis to another, not {axes}")
    as_axes(pair, x.ndim)
    a, b = (axis % x.ndim for axis in pair)
    k = operator.index(k)
    if k % 4 == 0:
        return flip(x, ())
    if k % 4 == 2:
        return flip(x, (a, b))
    order = list(range(x.ndim))
    order[a], order[b] = b, a
    return transpose(flip(x, b), order) if k % 4 == 1 else flip(transpose(x, order), b)


def rollaxis(x: TensorLike, axis: int, start: int = 0) -> TensorVariable:
    """An axis moved to stand before the one that is `start` now. See `numpy.rollaxis`.

    `moveaxis` says the same by the place where the axis is in the result. Raises ValueError if
    `start` is out of range.

    >>> rollaxis([[[1, 2, 3]]], 2).eval().shape
    (3, 1, 1)
    """
    x = as_tensor(x)
    along = as_axis(axis, x.ndim)
    place = start + x.ndim if start < 0 else start
    if not 0 <= place <= x.ndim:
        raise ValueError(f"rollaxis: start {start} is out of range for {x!r}, of rank {x.ndim}")
    return moveaxis(x, along, place - (place > along))


def pack(*tensors: TensorLike, axes: Axes = None) -> tuple[TensorVariable, list[Any]]:
    """All elements of `tensors` in one, and the shapes with which `unpack` gives them back.

    Axes among `axes` are kept, and are of the same length in all; from the left they are
    counted from 0, from the right from -1. The others are joined to one, between these. Raises
    ValueError without any tensor, or for one that has fewer axes than are kept.

    >>> packed, shapes = pack([[1, 2], [3, 4]], 5)
    >>> packed.eval()
    array([1, 2, 3, 4, 5])
    """
    if not tensors:
        raise ValueError("pack needs at least one tensor")
    left, right = _kept(axes)
    parts, shapes = [], []
    for x in as_tensors(tensors):
        if x.ndim < left + right:
            raise ValueError(f"pack keeps {left + right} axes, but {x!r} has {x.ndim}")
        lengths = lengths_of(x)
        end = x.ndim - right
        shapes.append(lengths[left:end])
        parts.append(reshape(x, (*lengths[:left], -1, *lengths[end:])) if lengths else ravel(x))
    return concatenate(parts, left), shapes


def unpack(
    packed: TensorLike, axes: Axes, packed_shapes: Sequence[Sequence[SizeLike]]
) -> list[TensorVariable]:
    """The tensors of which `pack`, with the same `axes`, made `packed` and `packed_shapes`.

    Raises ValueError for a tensor that does not have the axes that were kept.

    >>> packed, shapes = pack([[1, 2], [3, 4]], 5)
    >>> [part.eval() for part in unpack(packed, None, shapes)]
    [array([[1, 2],
           [3, 4]]), array(5)]
    """
    x = as_tensor(packed)
    left, right = _kept(axes)
    if x.ndim != left + right + 1:
        raise ValueError(f"unpack: {x!r} of rank {x.ndim} is no tensor that kept the axes {axes}")
    lengths = lengths_of(x)
    tensors = []
    start: Any = 0
    for own_shape in packed_shapes:
        count: Any = 1
        for n in own_shape:
            count = n * count
        end = start + count
        part = index(x, (slice(None),) * left + (slice(start, end),))
        tensors.append(reshape(part, (*lengths[:left], *own_shape, *lengths[left + 1 :])))
        start = end
    return tensors


def _kept(axes: Axes) -> tuple[int, int]:
    """How many axes at the left, and at the right, are kept."""
    entries = [] if axes is None else listed(axes)
    left, right = [a for a in entries if a >= 0], [a for a in entries if a < 0]
    if sorted(left) != list(range(len(left))) or sorted(right) != list(range(-len(right), 0)):
        raise ValueError(
            f"axes {axes} to keep must be the first ones, 0, 1, ..., or the last ones, ..., -1"
        )
    return len(left), len(right)
