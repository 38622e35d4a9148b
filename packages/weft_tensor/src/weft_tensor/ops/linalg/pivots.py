"""Symmetric elimination with pivots of one and two rows, on the last two axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Examples, Shapes, TensorApply, Value
from weft_tensor.ops.linalg.schur import Form, each_matrix
from weft_tensor.ops.linalg.square import square_examples, square_type
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SymmetricPivots"]


class SymmetricPivots(Form):
    """L, D and the order of rows with x = L D Lᴴ for x in that order, of which one half is read.

    Not `is_hermitian`, complex matrices are symmetric. `takes_first` says which of equal elements
    is the largest: the first, or the last, as from below. An Op of its own as LAPACK has it, by
    blocks, which no loop of matrices is near to; JAX, which does not, wants a loop that XLA does
    not copy matrices for.
    """

    is_hermitian: bool = False
    takes_first: bool = True
    instead = "`ldl` has derivatives"

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType, TensorType]:
        """The type of x, twice; int64 for the rows."""
        x = square_type(types[0], "ldl")
        return x, x, TensorType("int64", x.shape[:-1])

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`scipy.linalg.ldl`, for which the last element comes first in the upper half."""
        factor_one: Any = lazy_import("scipy.linalg.ldl")

        def of_one(x: np.ndarray) -> tuple[np.ndarray, ...]:
            given = x if self.takes_first else x[::-1, ::-1]
            unordered, d, order = factor_one(
                given, self.takes_first, self.is_hermitian, check_finite=False
            )
            factor, order = unordered[order], order.astype("int64")
            if self.takes_first:
                return factor, d, order
            return factor[::-1, ::-1], d[::-1, ::-1], len(x) - 1 - order[::-1]

        factors: tuple[Value, ...] = each_matrix(of_one, 3, *values)
        return factors

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of x, twice, and that of its rows."""
        (x,) = input_shapes
        return [x, x, x[:-1]]

    @classmethod
    def examples(cls) -> Examples:
        """Symmetric matrices from both ends, stacks, complex, float32, 1 by 1, without rows."""
        whole = [np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2) for x in square_examples()]
        return [(cls(takes_first=k % 2 == 0), [x]) for k, x in enumerate(whole)]

    def __str__(self) -> str:
        return "symmetric_pivots"
