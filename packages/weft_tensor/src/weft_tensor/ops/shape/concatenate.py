"""Tensors joined along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from operator import add
from typing import Any

import numpy as np

from weft_graph import Variable
from weft_graph.extend import apply
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.stack import Stack
from weft_tensor.build.variable import Size, TensorLike, TensorVariable
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axis
from weft_tensor.types.dtypes import DTypeLike, as_dtype, promote
from weft_tensor.types.shape_rules import merged_length
from weft_tensor.types.symbolic_dims import Length
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Concatenate", "concatenate", "stack"]


class Concatenate(TensorOp):
    """The inputs one behind another along `axis`."""

    view_of = ()
    axis: int
    linear = slice(None)

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """As tensors; Python numbers take their dtype from the others."""
        return as_tensors(inputs)

    def infer(self, *types: TensorType) -> TensorType:
        """The lengths along the axis added up, the others equal; the common dtype."""
        if not types:
            raise ValueError("concatenate needs at least one tensor")
        ndim = types[0].ndim
        if any(t.ndim != ndim for t in types) or not 0 <= self.axis < ndim:
            ranks = ", ".join(str(t.ndim) for t in types)
            raise ValueError(f"can't concatenate tensors of ranks {ranks} along axis {self.axis}")
        shape = [
            _total(lengths) if axis == self.axis else merged_length(lengths)
            for axis, lengths in enumerate(zip(*[t.shape for t in types], strict=True))
        ]
        return TensorType(promote([t.dtype for t in types]), shape)

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.concatenate`."""
        return np.concatenate(values, self.axis)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Each input's part of the cotangent."""
        (g,) = cotangents
        before = (slice(None),) * self.axis
        parts: list[TensorVariable] = []
        start: Size = 0
        for x in inputs:
            end = start + x.shape[self.axis]
            parts.append(g[(*before, slice(start, end))].astype(x.dtype))
            start = end
        return parts

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The first shape, with the sum of the lengths along the axis."""
        shape = list(input_shapes[0])
        shape[self.axis] = fold(add, [s[self.axis] for s in input_shapes])
        return [tuple(shape)]

    @classmethod
    def examples(cls) -> Examples:
        """Both axes of matrices, mixed dtypes, one without elements, a single one."""
        x = np.arange(6.0).reshape(2, 3)
        return [
            (cls(0), [x, x[:1] + 10]),
            (cls(1), [x, x[:, :2], x[:, :0]]),
            (cls(0), [np.arange(2, dtype="int32"), np.ones(3, "float32")]),
            (cls(0), [x]),
        ]

    def __str__(self) -> str:
        return f"concatenate[{self.axis}]"


def _total(lengths: Sequence[Length]) -> Length:
    return None if None in lengths else fold(add, lengths)


def concatenate(
    tensors: Sequence[TensorLike], axis: int | None = 0, dtype: DTypeLike | None = None
) -> TensorVariable:
    """`tensors` one behind another along `axis`; None flattens them. See `numpy.concatenate`.

    Raises ValueError if their other lengths differ, TypeError if `dtype` is of another kind.

    >>> concatenate([[1, 2], [3]]).eval()
    array([1, 2, 3])
    """
    inputs = as_tensors(tensors)
    if not inputs:
        raise ValueError("concatenate needs at least one tensor")
    if dtype is not None:
        inputs = tuple([_of_kind(x, as_dtype(dtype)) for x in inputs])
    if axis is None:
        inputs, axis = tuple([x.ravel() for x in inputs]), 0
    along = as_axis(axis, inputs[0].ndim)
    return Concatenate(along)(*inputs)


def _of_kind(x: TensorVariable, dtype: str) -> TensorVariable:
    if not np.can_cast(x.dtype, dtype, "same_kind"):
        raise TypeError(f"concatenate can't make {dtype} of {x!r}: use astype")
    return x.astype(dtype)


def stack(
    tensors: Sequence[TensorLike], axis: int = 0, *, dtype: DTypeLike | None = None
) -> TensorVariable:
    """`tensors` of one shape along a new axis, in `dtype` if it is given. See `numpy.stack`.

    Raises ValueError without any tensor.

    >>> stack([[1, 2], [3, 4]], axis=1).eval()
    array([[1, 3],
           [2, 4]])
    """
    inputs = as_tensors(tensors)
    if not inputs:
        raise ValueError("stack needs at least one tensor")
    result: Any = apply(Stack(), inputs)
    place = as_axis(axis, result.ndim)
    result = moveaxis(result, 0, place) if place else result
    return result if dtype is None else result.astype(dtype)
