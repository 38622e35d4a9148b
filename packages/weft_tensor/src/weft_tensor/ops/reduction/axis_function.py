"""Ops that a function of NumPy's computes along one axis."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np

from weft_tensor.build.op import Shapes, TensorApply, TensorOp, Value
from weft_tensor.types.dtypes import as_dtype
from weft_tensor.types.tensor_type import TensorType

__all__ = ["AxisFunction", "result_dtype"]


class AxisFunction(TensorOp):
    """NumPy's `function` along `axis`; what it gives is as long as what it is given."""

    view_of = ()
    axis: int
    function: ClassVar[Callable[..., Any]]

    def infer(self, *types: TensorType) -> TensorType:
        """The shape of x; dtype as NumPy has it."""
        (x,) = types
        if not 0 <= self.axis < x.ndim:
            raise ValueError(f"axis {self.axis} is out of range for a tensor of rank {x.ndim}")
        return TensorType(result_dtype(type(self).function, x.dtype), x.shape)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's function."""
        return type(self).function(values[0], axis=self.axis)

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}[{self.axis}]"


@cache
def result_dtype(function: Callable[..., Any], dtype: str) -> str:
    """Of a function of NumPy's, for one input.

    >>> result_dtype(np.sum, "int8")
    'int64'
    """
    return as_dtype(function(np.ones(1, dtype)).dtype)
