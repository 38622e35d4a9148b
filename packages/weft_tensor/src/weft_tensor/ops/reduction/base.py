"""What all reductions over axes have in common; and the sum, the first of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Reduction
from weft_tensor.build.op import Cotangents, Examples, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.reduction.axis_function import result_dtype
from weft_tensor.types.axes import Axes, as_axes
from weft_tensor.types.dtypes import DTypeLike
from weft_tensor.types.tensor_type import TensorType

__all__ = ["AxisReduction", "Sum", "keep", "reduce", "spread"]


class AxisReduction(TensorOp):
    """A reduction over `axis`, a sorted tuple; NumPy's `function` computes it."""

    view_of = ()
    axis: tuple[int, ...]
    combine: ClassVar[str]
    """The function of two numbers that it is."""
    primitive = True
    function: ClassVar[Callable[..., Any]]

    def infer(self, *types: TensorType) -> TensorType:
        """Without the reduced axes; dtype as NumPy has it."""
        (x,) = types
        if self.axis and self.axis[-1] >= x.ndim:
            raise ValueError(f"axis {self.axis[-1]} is out of range for a tensor of rank {x.ndim}")
        shape = [n for axis, n in enumerate(x.shape) if axis not in self.axis]
        return TensorType(result_dtype(type(self).function, x.dtype), shape)

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's function."""
        return type(self).function(values[0], axis=self.axis)

    def kind(self, *inputs: TensorVariable) -> Reduction:
        """What the class combines by."""
        return Reduction(self.axis, self.combine)

    @classmethod
    def examples(cls) -> Examples:
        """Over one axis, several, all and none; with length 1 and with zeros in it."""
        x = np.array([[[1.5, -2.0, 0.0], [0.5, 3.0, -1.0]]])
        return [
            *((cls(axis), [x]) for axis in ((0,), (1,), (0, 2), (0, 1, 2), ())),
            (cls((0,)), [np.array([1.5, -0.5, 2.5], "float32")]),
            (cls((0,)), [np.array([3, -4], "int32")]),
            (cls((1,)), [np.array([[True, False], [True, True]])]),
        ]

    def __str__(self) -> str:
        return f"{type(self).__name__.rstrip('_').lower()}{list(self.axis)}"


def _sum(x: np.ndarray, axis: tuple[int, ...] = (0,)) -> Value:
    """`numpy.sum`; what is true, NumPy counts eight times as fast as it adds it up."""
    if x.dtype.kind == "b" and len(axis) == x.ndim:
        return np.int64(np.count_nonzero(x))
    total: Value = np.sum(x, axis=axis)
    return total


class Sum(AxisReduction):
    """Sum; small integers and bools are summed as int64 (`numpy.sum`)."""

    function = _sum
    combine = "add"
    linear = slice(1)
    facts = (
        "keeps nonnegative nonpositive no_negative_zero integer; "
        "not_nan if not_nan nonnegative or not_nan nonpositive"
    )

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent for every element."""
        return [spread(cotangents[0], self.axis, inputs[0])]


def keep(x: TensorVariable, axes: tuple[int, ...]) -> TensorVariable:
    """`x` with axes of length 1 where axes were reduced."""
    return x.expand_dims(axes) if axes else x


def spread(g: TensorVariable, axes: tuple[int, ...], x: TensorVariable) -> TensorVariable:
    """The cotangent of a reduction, in the shape and dtype of its input."""
    return keep(g, axes).broadcast_to(x.shape).astype(x.dtype)


def reduce(
    op: type[AxisReduction],
    x: TensorLike,
    axis: Axes,
    keepdims: bool,
    dtype: DTypeLike | None = None,
) -> TensorVariable:
    """`op` of `x` over `axis`; with `keepdims`, the axes stay, with length 1.

    With `dtype`, the elements are converted to it before, and the result once more, as
    small integers are added up in a wider one.
    """
    x = as_tensor(x) if dtype is None else as_tensor(x).astype(dtype)
    axes = as_axes(axis, x.ndim)
    result = op(axes)(x) if dtype is None else op(axes)(x).astype(dtype)
    return keep(result, axes) if keepdims else result
