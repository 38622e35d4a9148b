"""Singular values of square matrices, with their vectors; for stacks too."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.op import Shapes, TensorApply, Value
from weft_tensor.ops.linalg.square import FloatingOp, square_type
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SVD"]


class SVD(FloatingOp):
    """u, s and v with x = u diag(s) v, u and v unitary, s not negative and descending.

    Of a matrix that is not finite all is NaN. It has no derivative of its own: vectors jump
    where singular values cross. Derivatives that use it, as those of `det`, have theirs.
    """

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType, TensorType]:
        """The type of x, twice; singular values are real."""
        x = square_type(types[0], "svd")
        real = {"complex64": "float32", "complex128": "float64"}.get(x.dtype, x.dtype)
        return x, TensorType(real, x.shape[:-1]), x

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`numpy.linalg.svd`, which raises for NaN."""
        (x,) = values
        finite = np.isfinite(x).all((-2, -1))
        found = np.linalg.svd(np.where(finite[..., None, None], x, 0))
        for part in found:
            part[~finite] = np.nan
        return tuple(found)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x; without the last axis; that of x."""
        (shape,) = input_shapes
        return [shape, tuple(shape[:-1]), shape]

    def __str__(self) -> str:
        return "svd"
