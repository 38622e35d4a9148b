"""Order: sort, argsort, argmax, argmin, and the distinct elements."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.comparison import eq, isnan, neq
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.nonzero import positions
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, ravel, reshape, with_axis
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axes
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "ArgMax",
    "ArgMin",
    "ArgSort",
    "Sort",
    "argmax",
    "argmin",
    "argsort",
    "sort",
    "take_along_axis",
    "unique",
]


class _Ordering(TensorOp):
    """Ops that compare the elements along `axis`; NaN counts as the largest of all.

    Complex numbers are ordered by their real parts, those of equal ones by the imaginary parts.
    """

    view_of = ()
    axis: int

    def infer(self, *types: TensorType) -> TensorType:
        """By `_result`."""
        (x,) = types
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"axis {self.axis} is out of range for a tensor of rank {x.ndim}")
        return self._result(x)

    def _result(self, x: TensorType) -> TensorType:
        """Positions, of the shape of x."""
        return TensorType("int64", x.shape)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """Along every axis, with equal elements, NaN, several dtypes."""
        x = np.array([[[1.5, -2.0, 0.5], [0.5, 3.0, -1.0]]])
        parts = [1.0, -2.0, np.inf, np.nan, 0.0]
        z = np.array([complex(a, b) for a in parts for b in parts])
        return [
            (cls(1), [np.array([[1 + 2j, 1.5 - 1j, 0.5 + 9j], [3j, 0.5, -1 + 3j]])]),
            (cls(0), [z]),
            (cls(0), [z[~np.isnan(z)].astype("complex64")]),
            *((cls(axis), [x]) for axis in range(3)),
            (cls(0), [np.array([1.0, np.nan, -np.inf, np.nan, np.inf])]),
            (cls(0), [np.array([2, 1, 2, 1, 3], "int32")]),
            (cls(0), [np.array([2.5, 0.5], "float32")]),
            (cls(0), [np.array([True, False, True])]),
            (cls(0), [np.array([200, 3], "uint8")]),
        ]

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}[{self.axis}]"


class Sort(_Ordering):
    """The elements in ascending order (`numpy.sort`)."""

    def _result(self, x: TensorType) -> TensorType:
        """The type of x."""
        return x

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.sort`."""
        return np.sort(values[0], axis=self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Each cotangent back at the place its element came from."""
        (g,), places = cotangents, ArgSort(self.axis)(inputs[0])
        origin = index(zeros(lengths_of(g), g.dtype), _key_along(g, places, self.axis))
        return [updated(origin, "set", g)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The tangents in the same order."""
        return [take_along_axis(tangents[0], ArgSort(self.axis)(inputs[0]), self.axis)]


class ArgSort(_Ordering):
    """Positions that sort x; equal elements keep their order (`numpy.argsort`)."""

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.argsort`."""
        return np.argsort(values[0], axis=self.axis, kind="stable")

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None]


class _ArgExtremum(_Ordering):
    """The first position of the largest or smallest element, or of NaN if there is one."""

    def _result(self, x: TensorType) -> TensorType:
        """Without the axis."""
        if x.shape[self.axis] == 0:
            raise ValueError(f"{self} of an axis of length 0 has no value")
        return TensorType("int64", [n for a, n in enumerate(x.shape) if a != self.axis])

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """No dependence."""
        return [None]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the axis."""
        return [tuple(n for a, n in enumerate(input_shapes[0]) if a != self.axis)]


class ArgMax(_ArgExtremum):
    """`numpy.argmax`."""

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.argmax`."""
        return np.argmax(values[0], axis=self.axis)


class ArgMin(_ArgExtremum):
    """`numpy.argmin`."""

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.argmin`."""
        return np.argmin(values[0], axis=self.axis)


def sort(
    x: TensorLike,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    stable: bool | None = None,
) -> TensorVariable:
    """In ascending order along `axis`; None flattens first. See `numpy.sort`.

    Equal elements keep their order, whatever `kind` and `stable` say. Raises ValueError for a kind
    that NumPy does not know.

    >>> sort([[3, 1, 2], [6, 5, 4]]).eval()
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    _check_kind(kind, stable, "sort")
    return _along(Sort, x, axis)


def argsort(
    x: TensorLike,
    axis: int | None = -1,
    kind: str | None = None,
    *,
    stable: bool | None = None,
) -> TensorVariable:
    """Positions that sort `x`; equal elements keep their order. See `numpy.argsort`, and `sort`.

    >>> argsort([3, 1, 2]).eval()
    array([1, 2, 0])
    """
    _check_kind(kind, stable, "argsort")
    return _along(ArgSort, x, axis)


def _check_kind(kind: str | None, stable: bool | None, name: str) -> None:
    if kind is None:
        return
    if stable is not None:
        raise ValueError(f"{name} takes a kind, or whether it is stable, not both")
    if kind not in _KINDS:
        raise ValueError(f"kind of {name} is one of {', '.join(_KINDS)}, not {kind!r}")


_KINDS: Final = ("quicksort", "mergesort", "heapsort", "stable")


def argmax(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
    """The first position of the largest element. See `numpy.argmax`.

    >>> argmax([[1, 7, 3], [4, 5, 6]], axis=1).eval()
    array([1, 2])
    """
    return _kept(ArgMax, as_tensor(x), axis, keepdims)


def argmin(x: TensorLike, axis: int | None = None, keepdims: bool = False) -> TensorVariable:
    """The first position of the smallest element. See `numpy.argmin`.

    >>> argmin([[1, 7, 3], [4, 5, 6]]).eval()
    array(0)
    """
    return _kept(ArgMin, as_tensor(x), axis, keepdims)


def _along(op: type[_Ordering], x: TensorLike, axis: int | None) -> TensorVariable:
    x, along = with_axis(x, axis)
    return op(along)(x)


def _kept(op: type[_Ordering], x: Any, axis: int | None, keepdims: bool) -> TensorVariable:
    result = _along(op, x, axis)
    return expand_dims(result, as_axes(axis, x.ndim)) if keepdims else result


def take_along_axis(x: TensorLike, indices: TensorLike, axis: int | None = -1) -> TensorVariable:
    """The elements at `indices` along `axis`, a choice for each place on the others.

    Without an axis, of the flattened `x`. See `numpy.take_along_axis`. Raises ValueError if the
    indices have another rank than `x`, IndexError if they are no integers.

    >>> take_along_axis([[3, 1], [5, 6]], [[1], [0]], axis=1).eval()
    array([[1],
           [5]])
    """
    (x, along), places = with_axis(x, axis), as_tensor(indices)
    if places.ndim != x.ndim:
        raise ValueError(f"indices of rank {places.ndim} for a tensor of rank {x.ndim}")
    if places.dtype[0] not in "iu":
        raise IndexError(f"take_along_axis takes integers as indices, not {places!r}")
    return index(x, _key_along(x, places, along))


def _key_along(x: Any, places: Any, axis: int) -> tuple[TensorVariable, ...]:
    """What has `places` along an axis of `x`, and along the others the place itself."""
    key = []
    for a, n in enumerate(lengths_of(x)):
        others = tuple(b for b in range(x.ndim) if b != a)
        key.append(places if a == axis else expand_dims(arange(n), others))
    return tuple(key)


def unique(
    x: TensorLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """The distinct elements of the flattened `x`, sorted; with `axis`, the distinct slices.

    They are in order also if not `sorted`. NaN counts as one element, unless not `equal_nan`; in
    slices, never. If asked for, in a tuple after them: where each stands first, which one each
    element of `x` is, and how often each occurs. Slices must have a known number of elements. See
    `numpy.unique`.

    >>> [v.eval() for v in unique([3, 1, 3, 3], return_index=True, return_counts=True)]
    [array([1, 3]), array([1, 0]), array([1, 3])]
    """
    x = as_tensor(x)
    flat = ravel(x) if axis is None else moveaxis(x, axis, 0)
    order: Any = None
    if flat.ndim > 1:
        order = _order_of_rows(flat)
    elif return_index or return_inverse:
        order = argsort(flat)
    ordered = sort(flat) if order is None else index(flat, order)
    places = arange(lengths_of(ordered)[0])
    before = index(ordered, places - 1)
    new = neq(ordered, before)
    if equal_nan and x.type.differentiable and flat.ndim == 1:
        new = new & ~(isnan(ordered) & isnan(before))
    if new.ndim > 1:
        new = any_of(new, range(1, new.ndim))
    new = new | eq(places, 0)
    (first,) = positions(new, lengths_of(ordered)[:1])
    values = index(ordered, first)
    found: list[Any] = [values if axis is None else moveaxis(values, 0, axis)]
    if return_index:
        found.append(index(order, first))
    if return_inverse:
        ranks = cumsum(new) - 1
        (n,) = lengths_of(ranks)
        inverse = updated(index(zeros(n, "int64"), order), "set", ranks)
        found.append(reshape(inverse, lengths_of(x)) if axis is None else inverse)
    if return_counts:
        total = expand_dims(lengths_of(flat)[0], 0)
        nexts = concatenate([index(first, slice(1, None)), total])
        found.append(nexts - first)
    return found[0] if len(found) == 1 else tuple(found)


def _order_of_rows(x: Any) -> TensorVariable:
    """Positions that sort what stands along the first axis by its first element, then by others."""
    if not all(isinstance(n, int) for n in x.type.shape[1:]):
        raise TypeError(
            f"unique: the number of elements in a slice of {x!r} must be known: give the input a "
            "shape, or use specify_shape"
        )
    rows = reshape(x, (lengths_of(x)[0], -1))
    order = arange(lengths_of(x)[0])
    count: Any = rows.type.shape[1]
    for column in reversed(range(count)):
        order = index(order, argsort(index(rows, (order, column))))
    return order
