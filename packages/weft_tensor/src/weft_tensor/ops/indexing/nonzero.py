"""Where a tensor is not zero: what boolean masks choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Compress
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import Size, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import neq, where
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import as_size, lengths_of, same_size, static_length
from weft_tensor.ops.shape.reshape import ravel
from weft_tensor.types.axes import Axes
from weft_tensor.types.symbolic_dims import Length, provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Nonzero", "count_nonzero", "flatnonzero", "nonzero"]


class Nonzero(TensorOp):
    """The positions, along `axis`, of the true elements of a mask, in their order.

    Inputs are the mask, how many of its elements are true, and, if given, how long `axis`
    must be: the length of the axis of another tensor for which the mask is meant.
    """

    view_of = ()
    axis: int
    primitive = True

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """The mask, and int64 scalars."""
        mask, *sizes = inputs
        return (as_tensor(mask), *map(as_size, map(as_tensor, sizes)))

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """As many positions as are said to be true."""
        mask, count, *length = inputs
        if mask.dtype != "bool" or not 0 <= self.axis < mask.ndim:
            raise TypeError(
                f"nonzero needs a mask of bools with an axis {self.axis}, not {mask!r}: "
                "write neq(x, 0)"
            )
        _check_length(mask.type.shape[self.axis], *map(static_length, length), axis=self.axis)
        return TensorType("int64", [static_length(count)])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.nonzero`."""
        mask, count, *length = values
        if length and length[0] != mask.shape[self.axis]:
            _refuse(mask.shape[self.axis], length[0], self.axis)
        positions_along = np.nonzero(mask)[self.axis]
        if len(positions_along) != count:
            raise ValueError(f"the mask has {len(positions_along)} true elements, not {count}")
        return positions_along

    def kind(self, *inputs: TensorVariable) -> Compress:
        """Positions along the axis."""
        return Compress(self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None] * len(inputs)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The number of true elements."""
        return [(node.inputs[1],)]

    @classmethod
    def examples(cls) -> Examples:
        """Of vectors and of a matrix; with none, with all; for an axis of known length."""
        x = np.array([[True, False, True], [False, True, True]])
        return [
            (cls(0), [x[0], np.int64(2)]),
            (cls(0), [x[0], np.int64(2), np.int64(3)]),
            (cls(0), [x, np.int64(4)]),
            (cls(1), [x, np.int64(4), np.int64(3)]),
            (cls(0), [x[0] & False, np.int64(0)]),
            (cls(0), [x[0] | True, np.int64(3)]),
            (cls(0), [x[0, :0], np.int64(0)]),
        ]

    def __str__(self) -> str:
        return f"nonzero[{self.axis}]"


def _check_length(own: Length, other: Length = None, *, axis: int) -> None:
    if type(own) is type(other) and provably_differ(own, other):
        _refuse(own, other, axis)


def _refuse(own: object, other: object, axis: int) -> None:
    raise IndexError(
        f"axis {axis} of the boolean mask has length {own}, but of what it indexes, {other}"
    )


def positions(mask: TensorLike, lengths: Sequence[Size] = ()) -> list[TensorVariable]:
    """The positions of the true elements of `mask`, a tensor of bools, along each axis of it.

    `lengths`: those that its axes must have, if any.
    """
    mask = as_tensor(mask)
    count = sum(mask)
    pairs = list(zip(mask.shape, lengths, strict=True)) if lengths else [None] * mask.ndim
    return [
        Nonzero(a)(mask, count, *([] if pair is None or same_size(*pair) else [pair[1]]))
        for a, pair in enumerate(pairs)
    ]


def _mask(x: TensorLike) -> TensorVariable:
    x = as_tensor(x)
    return x if x.dtype == "bool" else neq(x, 0)


def nonzero(
    x: TensorLike, *, size: int | None = None, fill_value: Any = None
) -> tuple[TensorVariable, ...]:
    """The positions of the elements that are not zero, along each axis. See `numpy.nonzero`.

    With `size`, the first so many, as in `jax.numpy.nonzero`: no length depends on values, and
    what there is not stands as `fill_value`, a number or one for each axis, or 0. Raises ValueError
    for a scalar.

    >>> [places.eval() for places in nonzero([[0, 3], [4, 0]])]
    [array([0, 1]), array([1, 0])]
    >>> nonzero([0, 3, 4], size=3, fill_value=-1)[0].eval()
    array([ 1,  2, -1])
    """
    mask = _mask(x)
    if not mask.ndim:
        raise ValueError("a scalar has no positions: use atleast_1d(x)")
    if size is None:
        return tuple(positions(mask))
    several = isinstance(fill_value, (tuple, list))
    fills = [*fill_value] if several else [0 if fill_value is None else fill_value] * mask.ndim
    if len(fills) != mask.ndim:
        raise ValueError(f"nonzero: {len(fills)} fill values for {mask.ndim} axes{called()}")
    counts = lazy_import("weft_tensor.ops.reduction.cumulative.cumsum")(ravel(mask))
    numbers = lazy_import("weft_tensor.ops.creation.creation.arange")(1, size + 1)
    places = lazy_import("weft_tensor.ops.indexing.searchsorted.searchsorted")(counts, numbers)
    there = numbers <= sum(mask)
    inside: Any = where(there, places, 0)
    found = []
    for length in lengths_of(mask)[:0:-1]:
        size_of = maximum(as_size(length), 1)  # nothing is there of no elements
        found.append(inside % size_of)
        inside = inside // size_of
    along = [inside, *found[::-1]]
    return tuple([where(there, p, fill) for p, fill in zip(along, fills, strict=True)])


def flatnonzero(
    x: TensorLike, *, size: int | None = None, fill_value: Any = None
) -> TensorVariable:
    """The positions in the flattened `x` of what is not zero. See `numpy.flatnonzero`.

    `size` and `fill_value` are those of `nonzero`.

    >>> flatnonzero([[0, 3], [4, 0]]).eval()
    array([1, 2])
    """
    return nonzero(ravel(as_tensor(x)), size=size, fill_value=fill_value)[0]


def count_nonzero(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
    """How many elements over `axis` are not zero. See `numpy.count_nonzero`.

    >>> count_nonzero([[0, 3], [4, 5]], axis=1).eval()
    array([1, 2])
    """
    return sum(_mask(x), axis, keepdims=keepdims)
