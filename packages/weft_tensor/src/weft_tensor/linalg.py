"""Linear algebra: Cholesky factors, and all in `linear_systems`, `determinants` and `lu`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from weft_tensor.convert import TensorLike
from weft_tensor.determinants import Det, SlogDet, det, slogdet
from weft_tensor.linear_systems import Inverse, Solve, SolveTriangular, inv, solve, solve_triangular
from weft_tensor.lu import (
    LUFactor,
    PivotToPermutations,
    lu,
    lu_factor,
    lu_solve,
    pivot_to_permutation,
)
from weft_tensor.products import matmul
from weft_tensor.square_matrices import (
    FloatingOp,
    adjoint_of,
    diagonal_ones,
    square_type,
    tril,
    triu,
)
from weft_tensor.type import TensorType

if TYPE_CHECKING:
    from weft_tensor.variable import TensorVariable

__all__ = [
    "Cholesky",
    "Det",
    "Inverse",
    "LUFactor",
    "PivotToPermutations",
    "SlogDet",
    "Solve",
    "SolveTriangular",
    "cholesky",
    "det",
    "inv",
    "lu",
    "lu_factor",
    "lu_solve",
    "pivot_to_permutation",
    "slogdet",
    "solve",
    "solve_triangular",
    "tril",
    "triu",
]


class Cholesky(FloatingOp):
    """The lower triangular L with L Lᴴ = x, for positive definite x; only the lower half counts."""

    def infer(self, *types: Any) -> TensorType:
        """The type of x."""
        return square_type(types[0], "cholesky")

    def impl(self, *values: Any) -> Any:
        """`numpy.linalg.cholesky`; LinAlgError if x is not positive definite."""
        return np.linalg.cholesky(values[0])

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """Murray, Differentiation of the Cholesky decomposition (2016), equation 10."""
        (factor,), (g,) = outputs, cotangents
        adjoint = adjoint_of(factor)
        middle = tril(matmul(adjoint, tril(g)))
        middle = middle - 0.5 * middle * diagonal_ones(middle)
        left = solve_triangular(adjoint, middle, lower=False)
        whole = adjoint_of(solve_triangular(adjoint, adjoint_of(left), lower=False))
        both = whole + adjoint_of(whole)
        return [tril(both) - 0.5 * both * diagonal_ones(both)]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """L Φ(L⁻¹ t L⁻ᴴ), where Φ takes the lower half and half of the diagonal."""
        (factor,), (t,) = outputs, tangents
        below, ones = tril(t, -1), diagonal_ones(t)
        whole = below + adjoint_of(below) + (t.real if t.is_complex else t) * ones
        left = solve_triangular(factor, whole, lower=True)
        middle = adjoint_of(solve_triangular(factor, adjoint_of(left), lower=True))
        return [matmul(factor, tril(middle) - 0.5 * middle * ones)]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """A matrix, a stack, a complex one, 1 by 1, without rows."""
        x = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]])
        return [
            (cls(), [x]),
            (cls(), [np.stack([x, 2 * x])]),
            (cls(), [x.astype("float32")]),
            (cls(), [np.array([[2.0]])]),
        ]

    def __str__(self) -> str:
        return "cholesky"


def cholesky(x: TensorLike, lower: bool = True) -> TensorVariable:
    """The triangular factor of positive definite matrices, on the last two axes.

    `lower`: L with L Lᴴ = x; else its adjoint. See `numpy.linalg.cholesky`.

    >>> cholesky([[4.0, 2.0], [2.0, 5.0]]).eval()
    array([[2., 0.],
           [1., 2.]])
    """
    factor = Cholesky()(x)
    return factor if lower else adjoint_of(factor)
