"""Elements that are so and so many from the smallest, found without sorting all; the median."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import isnan, where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.indexing.sort import ArgSort, sort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.reduction.standard import size
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.tensor_type import TensorType

__all__ = ["OrderStatistics", "median"]


class OrderStatistics(TensorOp):
    """What stands at the places of the second, a vector, if the last axis of the first is sorted.

    NaN counts as the largest of all, and where there are no floating numbers, as the only one. An
    Op, because for a few places of 10^5 numbers JAX takes a fiftieth of the time in which it sorts.
    """

    view_of = ()

    def infer(self, *types: TensorType) -> TensorType:
        """So many elements as places."""
        x, places = types
        if not x.ndim or x.dtype.startswith("complex"):
            raise TypeError(f"orderstatistics takes an array of real numbers, not {x}")
        if places.ndim != 1 or places.dtype != "int64":
            raise TypeError(f"orderstatistics takes a vector of int64 places, not {places}")
        return TensorType(x.dtype, (*x.shape[:-1], places.shape[0]))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.partition`, then the places."""
        x, places = values
        if not x.shape[-1] and x.dtype.kind == "f":
            x = np.full((*x.shape[:-1], 1), np.nan, x.dtype)
        if places.size and not (places.min() >= 0 and places.max() < x.shape[-1]):
            raise IndexError(f"places {places} are out of bounds for {x.shape[-1]} elements")
        return np.partition(x, places)[..., places] if places.size else x[..., :0]

    def _positions(self, x: TensorVariable, places: TensorVariable) -> TensorVariable:
        """Where these elements are."""
        return index(ArgSort(x.ndim - 1)(x), (..., places))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """To where each element stands."""
        (x, places), (g,) = inputs, cotangents
        *lanes, n = lengths_of(x)
        key = [
            expand_dims(arange(length), [a for a in range(x.ndim) if a != axis])
            for axis, length in enumerate(lanes)
        ]
        targets = index(zeros((*lanes, n), x.dtype), (*key, self._positions(x, places)))
        return [updated(targets, "inc", g), None]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The tangents of these elements."""
        x, places = inputs
        return [take_along_axis(tangents[0], self._positions(x, places), -1)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """So many elements as places."""
        x, places = input_shapes
        return [(*x[:-1], *places)]

    @classmethod
    def examples(cls) -> Examples:
        """One place, several, none, very many; equal elements, NaN, several dtypes."""
        rng = np.random.default_rng(1)
        x = np.array([[1.5, -2.0, 0.5, 3.0], [0.5, 7.0, -1.0, 4.0]])
        many = rng.normal(size=300)
        strange = np.array([1.0, np.nan, -np.inf, np.nan, np.inf])
        cases = [
            (x, [2]),
            (x, [3, 0, 1]),
            (x[None], [1, 2]),
            (x, []),
            (x[:0], [1]),
            (x[:, :0], [0, 0]),
            (strange, [0, 2, 3, 4]),
            (many, [150, 151, 299, 0, 150]),
            (many, np.arange(0, 300, 7)),
            (rng.integers(0, 4, 200), [0, 50, 60, 199]),
            (np.sort(many), [100]),
            (np.array([2.5, 0.5], "float32"), [1]),
            (np.array([True, False, True]), [0, 1]),
            (np.array([200, 3], "uint8"), [1]),
        ]
        return [(cls(), [v, np.array(places, "int64")]) for v, places in cases]

    def __str__(self) -> str:
        return "orderstatistics"


def median(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> TensorVariable:
    """The middle of the sorted elements over `axis`, or the mean of the two in the middle.

    NaN if there is one, and of no real numbers. See `numpy.median`. Raises IndexError for no
    complex ones.

    >>> median([[1, 9, 3], [4, 5, 6]], axis=1).eval()
    array([3., 5.])
    """
    x = as_tensor(x)
    axes = as_axes(axis, x.ndim)
    x = as_floating(x)
    others = [a for a in range(x.ndim) if a not in axes]
    n = size(x, axes)
    lengths = lengths_of(x)
    together = reshape(transpose(x, [*others, *axes]), (*(lengths[a] for a in others), n))
    places = maximum(as_tensor([(n - 1) // 2, n // 2, n - 1]), 0)
    statistics = (
        sort(together)[..., places] if x.is_complex else OrderStatistics()(together, places)
    )
    low, high, last = (index(statistics, (..., k)) for k in range(3))
    middle = where(isnan(last), last, (low + high) / 2)
    return expand_dims(middle, axes) if keepdims else middle
