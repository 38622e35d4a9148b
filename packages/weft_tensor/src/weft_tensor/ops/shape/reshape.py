"""Changes of shape that leave the elements as they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import TensorLike, as_tensor, as_tensors
from weft_tensor.build.op import TensorOp
from weft_tensor.ops.elementwise.table import broadcast_dims
from weft_tensor.ops.reduction.base import Axes, as_axes, listed
from weft_tensor.ops.reduction.sum_to import sum_to
from weft_tensor.ops.shape.length import (
    SizeLike,
    as_size,
    has_lengths,
    lengths_of,
    same_size,
    sizes_of,
    static_length,
)
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import Dim, Length, provably_differ, show_shape
from weft_tensor.types.tensor_type import TensorType

if TYPE_CHECKING:
    from weft_tensor.front.variable import TensorVariable

__all__ = [
    "BroadcastTo",
    "ExpandDims",
    "Reshape",
    "Squeeze",
    "Transpose",
    "atleast_1d",
    "atleast_2d",
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "flatten",
    "matrix_transpose",
    "moveaxis",
    "ravel",
    "reshape",
    "squeeze",
    "swapaxes",
    "transpose",
]


class Reshape(TensorOp):
    """The elements of the first input, in C order, in the shape that the others give.

    The lengths are int64 scalars, none of them -1.
    """

    view_of = (0,)
    linear = slice(1)

    def infer_from(self, *inputs: Any) -> TensorType:
        """The lengths as far as they are known; ValueError if the sizes can't agree."""
        x, *sizes = inputs
        shape = tuple(map(static_length, sizes))
        old, new = _count(x.type.shape), _count(shape)
        if old is not None and new is not None and _ints_differ(old, new):
            raise ValueError(f"can't reshape {show_shape(x.type.shape)} to {show_shape(shape)}")
        return TensorType(x.dtype, shape)

    def impl(self, *values: Any) -> Any:
        """`numpy.reshape`."""
        x, *sizes = values
        shape = tuple(map(int, sizes))
        if any(n < 0 for n in shape):
            raise ValueError(f"lengths can't be negative: {shape}")
        return np.reshape(x, shape)

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent in the old shape."""
        x, *sizes = inputs
        return [Reshape()(cotangents[0], *lengths_of(x)), *([None] * len(sizes))]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The lengths that were given."""
        return [tuple(node.inputs[1:])]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
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


def reshape(x: TensorLike, shape: SizeLike | Sequence[SizeLike]) -> TensorVariable:
    """`x` in another shape of as many elements; one length may be -1. See `numpy.reshape`.

    Raises ValueError if the numbers of elements are known to differ.

    >>> reshape([1, 2, 3, 4], (2, -1)).eval()
    array([[1, 2],
           [3, 4]])
    """
    tensor = as_tensor(x)
    wanted = sizes_of(shape)
    free = [i for i, n in enumerate(wanted) if not isinstance(n, Variable) and n == -1]
    if len(free) > 1:
        raise ValueError("only one length may be -1")
    sizes = [None if i in free else as_size(n) for i, n in enumerate(wanted)]
    known = [static_length(s) for s in sizes if s is not None]
    if any(isinstance(n, int) and n < 0 for n in known):
        raise ValueError(f"lengths can't be negative: {shape}")
    if free:
        sizes[free[0]] = _rest(tensor, [s for s in sizes if s is not None], wanted)
    if has_lengths(tensor, sizes):
        return tensor
    return Reshape()(tensor, *sizes)


def _rest(x: Any, sizes: Sequence[Any], wanted: Sequence[Any]) -> Any:
    """The length that -1 stands for."""
    left, others = list(lengths_of(x)), []
    for size in sizes:
        match = next((n for n in left if same_size(n, size)), None)
        if match is None:
            others.append(size)
        else:
            left = [n for n in left if n is not match] + [n for n in left if n is match][1:]
    known = [n for n in left if isinstance(static_length(n), int)]
    total: Any = math.prod(static_length(n) for n in known)
    given: Any = math.prod(n for s in others if isinstance(n := static_length(s), int))
    if given == 0:
        raise ValueError(f"can't tell what -1 is in {tuple(wanted)}: another length is 0")
    symbolic = [s for s in others if not isinstance(static_length(s), int)]
    if not symbolic and len(known) == len(left) and total % given:
        raise ValueError(f"can't reshape {show_shape(x.type.shape)} to {tuple(wanted)}")
    if total % given == 0:
        total, given = total // given, 1
    result: Any = total
    for size in left:
        if size not in known:
            result = size * result if isinstance(result, Variable) or result != 1 else size
    for divisor in ([given] if given != 1 else []) + symbolic:
        result = result // divisor
    return as_size(result)


def ravel(x: TensorLike) -> TensorVariable:
    """All elements in one axis, in C order. See `numpy.ravel`.

    >>> ravel([[1, 2], [3, 4]]).eval()
    array([1, 2, 3, 4])
    """
    return reshape(x, (-1,))


def flatten(x: TensorLike, ndim: int = 1) -> TensorVariable:
    """`x` with `ndim` axes: the last ones are joined.

    >>> flatten([[[1, 2], [3, 4]]], ndim=2).eval()
    array([[1, 2, 3, 4]])
    """
    x = as_tensor(x)
    if not 1 <= ndim <= max(x.ndim, 1):
        raise ValueError(f"can't flatten a tensor of rank {x.ndim} to rank {ndim}")
    return reshape(x, (*lengths_of(x)[: ndim - 1], -1))


class Transpose(TensorOp):
    """The axes in the order `axes`."""

    axes: tuple[int, ...]
    view_of = (0,)
    linear = slice(1)

    def infer(self, *types: Any) -> TensorType:
        """The shape in the new order."""
        (x,) = types
        if sorted(self.axes) != list(range(x.ndim)):
            raise ValueError(f"axes {self.axes} are not those of a tensor of rank {x.ndim}")
        return TensorType(x.dtype, [x.shape[a] for a in self.axes])

    def impl(self, *values: Any) -> Any:
        """`numpy.transpose`."""
        return values[0].transpose(self.axes)

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent, transposed back."""
        return [Transpose(tuple(map(int, np.argsort(self.axes))))(cotangents[0])]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The lengths in the new order."""
        return [tuple(input_shapes[0][a] for a in self.axes)]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """A matrix, a stack of matrices."""
        x = np.arange(6.0).reshape(1, 2, 3)
        return [(cls((1, 0)), [x[0]]), (cls((2, 0, 1)), [x]), (cls((0, 1)), [x[0]])]

    def __str__(self) -> str:
        return f"transpose{list(self.axes)}"


def transpose(x: TensorLike, axes: Sequence[int] | None = None) -> TensorVariable:
    """The axes in the order `axes`; reversed by default. See `numpy.transpose`.

    >>> transpose([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor(x)
    order = tuple(range(x.ndim))[::-1] if axes is None else tuple(listed(axes))
    if sorted(a + x.ndim if a < 0 else a for a in order) != list(range(x.ndim)):
        raise ValueError(f"axes {axes} are not those of {x!r}, of rank {x.ndim}")
    order = tuple(a % x.ndim for a in order)
    return x if order == tuple(range(x.ndim)) else Transpose(order)(x)


def matrix_transpose(x: TensorLike) -> TensorVariable:
    """The last two axes exchanged. See `numpy.matrix_transpose`.

    >>> matrix_transpose([[[1, 2], [3, 4]]]).eval()
    array([[[1, 3],
            [2, 4]]])
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose needs at least two axes, {x!r} has {x.ndim}")
    return swapaxes(x, -1, -2)


def swapaxes(x: TensorLike, axis1: int, axis2: int) -> TensorVariable:
    """Two axes exchanged. See `numpy.swapaxes`.

    >>> swapaxes([[1, 2, 3]], 0, 1).eval().shape
    (3, 1)
    """
    x = as_tensor(x)
    (a,), (b,) = as_axes(axis1, x.ndim), as_axes(axis2, x.ndim)
    order = list(range(x.ndim))
    order[a], order[b] = order[b], order[a]
    return transpose(x, order)


def moveaxis(
    x: TensorLike, source: int | Sequence[int], destination: int | Sequence[int]
) -> TensorVariable:
    """Axes moved to other places, the rest in order. See `numpy.moveaxis`.

    >>> moveaxis([[[1, 2, 3]]], 2, 0).eval().shape
    (3, 1, 1)
    """
    x = as_tensor(x)
    sources, places = listed(source), listed(destination)
    if len(sources) != len(places):
        raise ValueError(
            f"moveaxis needs as many destinations as sources, not {source} and {destination}"
        )
    as_axes(sources, x.ndim)
    as_axes(places, x.ndim)
    moved = {to % x.ndim: a % x.ndim for a, to in zip(sources, places, strict=True)}
    rest = iter([a for a in range(x.ndim) if a not in moved.values()])
    return transpose(x, [moved[i] if i in moved else next(rest) for i in range(x.ndim)])


class ExpandDims(TensorOp):
    """New axes of length 1 at the places `axis` of the result, in order."""

    axis: tuple[int, ...]
    view_of = (0,)
    linear = slice(1)

    def infer(self, *types: Any) -> TensorType:
        """The shape with ones inserted."""
        (x,) = types
        as_axes(self.axis, x.ndim + len(self.axis))
        return TensorType(x.dtype, _with_ones(x.shape, self.axis))

    def impl(self, *values: Any) -> Any:
        """`numpy.expand_dims`."""
        return np.expand_dims(values[0], self.axis)

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent without these axes."""
        return [Squeeze(self.axis)(cotangents[0])]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The lengths with ones inserted."""
        return [tuple(_with_ones(input_shapes[0], self.axis))]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """At the front, in the middle, at the end, for a scalar."""
        x = np.arange(6.0).reshape(2, 3)
        return [*((cls(a), [x]) for a in ((0,), (1, 2), (2,))), (cls((0, 1)), [np.array(2.0)])]

    def __str__(self) -> str:
        return f"expand_dims{list(self.axis)}"


def _with_ones(shape: Sequence[Any], axes: Sequence[int]) -> list[Any]:
    rest = iter(shape)
    return [1 if i in axes else next(rest) for i in range(len(shape) + len(axes))]


def expand_dims(x: TensorLike, axis: Axes) -> TensorVariable:
    """`x` with new axes of length 1. See `numpy.expand_dims`.

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

    def infer(self, *types: Any) -> TensorType:
        """The other lengths."""
        (x,) = types
        for a in as_axes(self.axis, x.ndim):
            if provably_differ(x.shape[a], 1) and isinstance(x.shape[a], int):
                raise ValueError(f"can't squeeze axis {a}, of length {x.shape[a]}")
        return TensorType(x.dtype, [n for a, n in enumerate(x.shape) if a not in self.axis])

    def impl(self, *values: Any) -> Any:
        """`numpy.squeeze`."""
        return np.squeeze(values[0], self.axis)

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent with these axes."""
        return [ExpandDims(self.axis)(cotangents[0])]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The other lengths."""
        return [tuple(n for a, n in enumerate(input_shapes[0]) if a not in self.axis)]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
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


class BroadcastTo(TensorOp):
    """The first input, repeated along axes to have the lengths that the others give."""

    view_of = (0,)
    linear = slice(1)

    def infer_from(self, *inputs: Any) -> TensorType:
        """The lengths as far as they are known."""
        x, *sizes = inputs
        shape = tuple(map(static_length, sizes))
        fits = len(shape) >= x.ndim and not any(
            isinstance(n, int) and isinstance(wanted, int) and n not in (1, wanted)
            for n, wanted in zip(x.type.shape[::-1], shape[::-1], strict=False)
        )
        if not fits:
            raise ValueError(
                f"can't broadcast shape {show_shape(x.type.shape)} to {show_shape(shape)}"
            )
        return TensorType(x.dtype, shape)

    def impl(self, *values: Any) -> Any:
        """`numpy.broadcast_to`."""
        x, *sizes = values
        return np.broadcast_to(x, tuple(map(int, sizes)))

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent summed over what was repeated."""
        x, *sizes = inputs
        return [sum_to(cotangents[0], lengths_of(x)), *([None] * len(sizes))]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The lengths that were given."""
        return [tuple(node.inputs[1:])]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """A scalar, a row, a column, nothing to do, and to no elements."""
        cases: list[tuple[Any, tuple[int, ...]]] = [
            (np.array(2.5), (2, 3)),
            (np.arange(3.0), (2, 3)),
            (np.arange(2.0)[:, None], (2, 3)),
            (np.arange(3.0), (3,)),
            (np.ones((1, 2)), (0, 2)),
        ]
        return [(cls(), [x, *map(np.int64, sizes)]) for x, sizes in cases]

    def __str__(self) -> str:
        return "broadcast_to"


def broadcast_to(x: TensorLike, shape: SizeLike | Sequence[SizeLike]) -> TensorVariable:
    """`x` repeated to `shape`. See `numpy.broadcast_to`.

    Raises ValueError if the shapes are known not to fit.

    >>> broadcast_to([1, 2], (2, 2)).eval()
    array([[1, 2],
           [1, 2]])
    """
    tensor = as_tensor(x)
    sizes = [as_size(n) for n in sizes_of(shape)]
    if has_lengths(tensor, sizes):
        return tensor
    return BroadcastTo()(tensor, *sizes)


def broadcast_arrays(*xs: TensorLike) -> list[TensorVariable]:
    """All tensors, broadcast against each other. See `numpy.broadcast_arrays`.

    >>> [x.eval().shape for x in broadcast_arrays([1, 2], [[3], [4]])]
    [(2, 2), (2, 2)]
    """
    tensors = as_tensors(xs)
    broadcast_shapes(*[x.type.shape for x in tensors])
    shape = broadcast_dims(*map(lengths_of, tensors))
    return [broadcast_to(x, shape) for x in tensors]


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
    found = [expand_dims(x, tuple(range(ndim - x.ndim))) for x in map(as_tensor, xs)]
    return found[0] if len(found) == 1 else tuple(found)
