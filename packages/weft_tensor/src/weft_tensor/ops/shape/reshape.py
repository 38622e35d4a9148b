"""The same elements in another shape; axes of length 1 more or less."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from weft_graph import Variable
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import View
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import SizeLike, SizesLike, TensorLike, TensorVariable
from weft_tensor.ops.shape.length import (
    as_size,
    has_lengths,
    lengths_of,
    same_size,
    sizes_of,
    static_length,
)
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.axes import Axes, as_axes, as_axis, listed
from weft_tensor.types.symbolic_dims import Dim, Length, provably_differ, show_shape
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "ExpandDims",
    "Reshape",
    "Squeeze",
    "atleast_1d",
    "atleast_2d",
    "expand_dims",
    "flatten",
    "join_dims",
    "ravel",
    "reshape",
    "split_dims",
    "squeeze",
]


N = TypeVar("N")
T = TypeVar("T")


class Reshape(TensorOp):
    """The elements of the first input, in C order, in the shape that the others give.

    The lengths are int64 scalars, none of them -1.
    """

    view_of = (0,)
    linear = slice(1)

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """The lengths as far as they are known; ValueError if the sizes can't agree."""
        x, *sizes = inputs
        shape = tuple(map(static_length, sizes))
        old, new = _count(x.type.shape), _count(shape)
        if old is not None and new is not None and _ints_differ(old, new):
            raise ValueError(f"can't reshape {show_shape(x.type.shape)} to {show_shape(shape)}")
        return TensorType(x.dtype, shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.reshape`."""
        x, *sizes = values
        shape = tuple(map(int, sizes))
        if any(n < 0 for n in shape):
            raise ValueError(f"lengths can't be negative: {shape}")
        if len(shape) == np.ndim(x) == 1 and shape[0] != np.size(x):
            differ = f"a vector of length {np.size(x)} is not of length {shape[0]}"
            raise ValueError(f"{differ}: lengths that must agree differ")
        return np.reshape(x, shape)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent in the old shape."""
        x, *sizes = inputs
        return [Reshape()(cotangents[0], *lengths_of(x)), *([None] * len(sizes))]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The lengths that were given."""
        return [tuple(node.inputs[1:])]

    @classmethod
    def examples(cls) -> Examples:
        """To fewer and more axes, and to a scalar."""
        sizes = ((2, 3), (6,), (1, 3, 2), (3, 2))
        return [
            *((cls(), [np.arange(6.0).reshape(3, 2), *map(np.int64, s)]) for s in sizes),
            (cls(), [np.ones((1, 1))]),
        ]

    def __str__(self) -> str:
        return "reshape"


def _count(shape: Sequence[Length]) -> Any:
    return None if None in shape else math.prod(shape)


def _ints_differ(a: Dim | int, b: Dim | int) -> bool:
    return isinstance(a, int) and isinstance(b, int) and a != b


def reshape(x: TensorLike, shape: SizesLike, order: str = "C") -> TensorVariable:
    """`x` in another shape of as many elements; one length may be -1. See `numpy.reshape`.

    With `order="F"`, elements are read and placed with the first index running fastest. Raises
    ValueError for another order than that and "C", and if the numbers of elements are known to
    differ.

    >>> reshape([1, 2, 3, 4], (2, -1)).eval()
    array([[1, 2],
           [3, 4]])
    """
    tensor = as_tensor(x)
    targets = sizes_of(shape)
    if order != "C":
        if order != "F":
            raise ValueError(f"order of reshape is 'C' or 'F', not {order!r}")
        return transpose(reshape(transpose(tensor), targets[::-1]))
    free = [i for i, n in enumerate(targets) if not isinstance(n, Variable) and n == -1]
    if len(free) > 1:
        raise ValueError("only one length may be -1")
    sizes = [as_size(n) for i, n in enumerate(targets) if i not in free]
    if any(isinstance(n, int) and n < 0 for n in map(static_length, sizes)):
        raise ValueError(f"lengths can't be negative: {shape}")
    if free:
        sizes.insert(free[0], _rest(tensor, sizes, targets))
    if has_lengths(tensor, sizes):
        return tensor
    return Reshape()(tensor, *sizes)


def _rest(x: TensorVariable, sizes: Tensors, entries: Sequence[SizeLike]) -> TensorVariable:
    """The length that -1 stands for."""
    left, others = list(lengths_of(x)), []
    for size in sizes:
        match = next((n for n in left if same_size(n, size)), None)
        if match is None:
            others.append(size)
        else:
            left = [n for n in left if n is not match] + [n for n in left if n is match][1:]
    factors = [n for n in left if isinstance(static_length(n), int)]
    total: Any = math.prod(static_length(n) for n in factors)
    product: Any = math.prod(n for s in others if isinstance(n := static_length(s), int))
    if product == 0:
        raise ValueError(f"can't tell what -1 is in {tuple(entries)}: another length is 0")
    symbolic = [s for s in others if not isinstance(static_length(s), int)]
    if not symbolic and len(factors) == len(left) and total % product:
        raise ValueError(f"can't reshape {show_shape(x.type.shape)} to {tuple(entries)}")
    if total % product == 0:
        total, product = total // product, 1
    result: Any = total
    for size in left:
        if size not in factors:
            result = size * result if isinstance(result, Variable) or result != 1 else size
    for divisor in ([product] if product != 1 else []) + symbolic:
        result = result // divisor
    return as_size(result)


def ravel(x: TensorLike, order: str = "C") -> TensorVariable:
    """All elements in one axis, the last index running fastest. See `numpy.ravel`.

    The first one with `order="F"`.

    >>> ravel([[1, 2], [3, 4]]).eval()
    array([1, 2, 3, 4])
    """
    return reshape(x, (-1,), order)


def with_axis(x: TensorLike, axis: int | None) -> tuple[TensorVariable, int]:
    """`x`, in one axis if no `axis` is given, and the number of the axis.

    >>> with_axis([[1, 2], [3, 4]], -1)[1], with_axis([[1, 2], [3, 4]], None)[0].eval()
    (1, array([1, 2, 3, 4]))
    """
    x = as_tensor(x)
    if axis is None:
        return ravel(x), 0
    along = as_axis(axis, x.ndim)
    return x, along


def flatten(x: TensorLike, ndim: int | str = 1, order: str = "C") -> TensorVariable:
    """`x` with `ndim` axes: the last ones are joined.

    `order` is that of `ravel`, and may be given for `ndim`, as NumPy has it. Raises ValueError for
    an `ndim` below 1 or above that of `x`, and for another order than "C" with more axes than one.

    >>> flatten([[[1, 2], [3, 4]]], ndim=2).eval()
    array([[1, 2, 3, 4]])
    >>> flatten([[1, 2], [3, 4]], "F").eval()
    array([1, 3, 2, 4])
    """
    x = as_tensor(x)
    if isinstance(ndim, str):
        order = ndim
        ndim = 1
    if order != "C":
        if ndim != 1:
            raise ValueError(f"flatten: order={order!r} is for one axis, not for {ndim}{called()}")
        return ravel(x, order)
    if not 1 <= ndim <= max(x.ndim, 1):
        raise ValueError(f"can't flatten a tensor of rank {x.ndim} to rank {ndim}")
    return join_dims(x, ndim - 1)


def join_dims(x: TensorLike, start_axis: int = 0, n_axes: int | None = None) -> TensorVariable:
    """`x` with `n_axes` axes from `start_axis` on joined to one, the last index fastest.

    As PyTensor's `join_dims`: without `n_axes` all from there on, and a new axis of length 1 for
    none. Raises ValueError where there are not so many axes.

    >>> join_dims([[[1, 2], [3, 4]]], 1).eval()
    array([[1, 2, 3, 4]])
    """
    x = as_tensor(x)
    start = start_axis + max(x.ndim, 1) if start_axis < 0 else start_axis
    end = x.ndim if n_axes is None else start + n_axes
    if not 0 <= start <= end <= x.ndim:
        count = "all" if n_axes is None else n_axes
        raise ValueError(
            f"join_dims: there are no {count} axes from {start_axis} on in {x!r}, of rank {x.ndim}"
        )
    lengths = lengths_of(x)
    joined = math.prod(lengths[start:end]) if 0 in x.type.shape else -1
    return reshape(x, (*lengths[:start], joined, *lengths[end:]))


def split_dims(x: TensorLike, shape: SizesLike, axis: int = 0) -> TensorVariable:
    """`x` with the axis `axis` split into axes of the lengths `shape`; one may be -1.

    As PyTensor's `split_dims`. Raises ValueError if `x` has no such axis, or one of another
    length.

    >>> split_dims([[1, 2, 3, 4]], (2, -1), axis=1).eval()
    array([[[1, 2],
            [3, 4]]])
    """
    x = as_tensor(x)
    along, lengths = as_axis(axis, x.ndim), lengths_of(x)
    return reshape(x, (*lengths[:along], *sizes_of(shape), *lengths[along + 1 :]))


class ExpandDims(TensorOp):
    """New axes of length 1 at the places `axis` of the result, in order."""

    axis: tuple[int, ...]
    view_of = (0,)
    linear = slice(1)
    primitive = True

    def infer(self, *types: TensorType) -> TensorType:
        """The shape with ones inserted."""
        (x,) = types
        as_axes(self.axis, x.ndim + len(self.axis))
        return TensorType(x.dtype, _with(1, x.shape, self.axis))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.expand_dims`."""
        return np.expand_dims(values[0], self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent without these axes."""
        return [Squeeze(self.axis)(cotangents[0])]

    def kind(self, *inputs: TensorVariable) -> View:
        """New axes among the old ones."""
        return View(tuple(_with(None, range(inputs[0].ndim), self.axis)))

    @classmethod
    def examples(cls) -> Examples:
        """At the front, in the middle, at the end, for a scalar."""
        x = np.arange(6.0).reshape(2, 3)
        return [*((cls(a), [x]) for a in ((0,), (1, 2), (2,))), (cls((0, 1)), [np.array(2.0)])]

    def __str__(self) -> str:
        return f"expand_dims{list(self.axis)}"


def _with(new: N, old: Sequence[T], axes: Sequence[int]) -> list[N | T]:
    """`new` at the places `axes`, the `old` in order at all others."""
    rest = iter(old)
    return [new if i in axes else next(rest) for i in range(len(old) + len(axes))]


def expand_dims(x: TensorLike, axis: Axes) -> TensorVariable:
    """`x` with new axes of length 1. See `numpy.expand_dims`.

    Raises TypeError without an axis.

    >>> expand_dims([1, 2], 1).eval()
    array([[1],
           [2]])
    """
    x = as_tensor(x)
    if axis is None:
        raise TypeError("expand_dims needs an axis")
    axes = as_axes(axis, x.ndim + len(listed(axis)))
    return ExpandDims(axes)(x) if axes else x


class Squeeze(TensorOp):
    """Without the axes `axis`, whose length must be 1."""

    axis: tuple[int, ...]
    view_of = (0,)
    linear = slice(1)
    primitive = True

    def infer(self, *types: TensorType) -> TensorType:
        """The other lengths."""
        (x,) = types
        for a in as_axes(self.axis, x.ndim):
            if provably_differ(x.shape[a], 1) and isinstance(x.shape[a], int):
                raise ValueError(f"can't squeeze axis {a}, of length {x.shape[a]}")
        return TensorType(x.dtype, [n for a, n in enumerate(x.shape) if a not in self.axis])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.squeeze`."""
        return np.squeeze(values[0], self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent with these axes."""
        return [ExpandDims(self.axis)(cotangents[0])]

    def kind(self, *inputs: TensorVariable) -> View:
        """The other axes."""
        return View(tuple([a for a in range(inputs[0].ndim) if a not in self.axis]))

    @classmethod
    def examples(cls) -> Examples:
        """One axis, several, all."""
        x = np.arange(3.0).reshape(1, 3, 1)
        return [(cls((0,)), [x]), (cls((0, 2)), [x]), (cls((0, 1)), [np.ones((1, 1))])]

    def __str__(self) -> str:
        return f"squeeze{list(self.axis)}"


def squeeze(x: TensorLike, axis: Axes = None) -> TensorVariable:
    """`x` without axes of length 1: those in `axis`, or all that are known to be 1.

    See `numpy.squeeze`. Raises ValueError for an axis of another length.

    >>> squeeze([[[1, 2]]]).eval()
    array([1, 2])
    """
    x = as_tensor(x)
    if axis is None:
        axes = tuple(a for a, n in enumerate(x.type.shape) if n == 1)
    else:
        axes = as_axes(axis, x.ndim)
    return Squeeze(axes)(x) if axes else x


def atleast_1d(*xs: TensorLike) -> Any:
    """`x`, a scalar as a vector of length 1; of several, a tuple. See `numpy.atleast_1d`.

    >>> atleast_1d(2).eval()
    array([2])
    """
    return _of_rank(1, xs)


def atleast_2d(*xs: TensorLike) -> Any:
    """`x`, a vector as a matrix of one row; of several, a tuple. See `numpy.atleast_2d`.

    >>> atleast_2d([1, 2]).eval()
    array([[1, 2]])
    """
    return _of_rank(2, xs)


def _of_rank(ndim: int, xs: Sequence[TensorLike]) -> Any:
    results = [expand_dims(x, tuple(range(ndim - x.ndim))) for x in map(as_tensor, xs)]
    return results[0] if len(results) == 1 else tuple(results)
