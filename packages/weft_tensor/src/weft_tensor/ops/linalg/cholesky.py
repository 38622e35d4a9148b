"""Cholesky factors."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import SolveTriangular, solve_triangular
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    adjoint_of,
    diagonal_ones,
    finite,
    mirrored,
    square_type,
    tril,
)
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "Cholesky",
    "CholeskyInverse",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "cholesky_inverse",
]


class Cholesky(FloatingOp):
    """The lower triangular L with L Lᴴ = x, for positive definite x; only the lower half counts.

    With `or_nan`, the factor of another matrix is NaN, in its lower half, and no error.
    """

    or_nan: bool = False

    def infer(self, *types: TensorType) -> TensorType:
        """The type of x."""
        return square_type(types[0], "cholesky")

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.cholesky`; LinAlgError, or NaN, if x is not positive definite."""
        (x,) = values
        try:
            return np.linalg.cholesky(x)
        except np.linalg.LinAlgError:
            if not self.or_nan:
                raise
        if x.ndim == 2:
            return np.tril(np.full_like(x, np.nan))
        matrices = x.reshape((-1, *x.shape[-2:]))
        return np.stack([self.impl(matrix) for matrix in matrices]).reshape(x.shape)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """Murray, Differentiation of the Cholesky decomposition (2016), equation 10."""
        (factor,), (g,) = outputs, cotangents
        adjoint = adjoint_of(factor)
        middle = mirrored(matmul(adjoint, g))
        both = solve_triangular(adjoint, adjoint_of(solve_triangular(adjoint, middle)))
        return [tril(both) - 0.5 * both * diagonal_ones(both)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """L Φ(L⁻¹ t L⁻ᴴ), where Φ takes the lower half and half of the diagonal."""
        (factor,), (t,) = outputs, tangents
        left = solve_triangular(factor, mirrored(t), lower=True)
        middle = adjoint_of(solve_triangular(factor, adjoint_of(left), lower=True))
        return [matmul(factor, tril(middle) - 0.5 * middle * diagonal_ones(t))]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a stack, a complex one, 1 by 1, without rows."""
        x = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]])
        return [
            (cls(), [x]),
            (cls(), [np.stack([x, 2 * x])]),
            (cls(), [x.astype("float32")]),
            (cls(), [np.array([[2.0]])]),
            (cls(or_nan=True), [np.stack([x, -x, x - 2.5])]),
            (cls(or_nan=True), [x]),
        ]

    def __str__(self) -> str:
        return "cholesky_or_nan" if self.or_nan else "cholesky"


def cholesky(
    x: TensorLike, lower: bool = True, *, upper: bool = False, check_finite: bool = False
) -> TensorVariable:
    """The triangular factor of positive definite matrices, on the last two axes.

    L with L Lᴴ = x, or its adjoint, if it is not to be `lower` or is to be `upper`. With
    `check_finite`, NaN and infinite elements are an error when it is computed. See
    `numpy.linalg.cholesky`.

    >>> cholesky([[4.0, 2.0], [2.0, 5.0]]).eval()
    array([[2., 0.],
           [1., 2.]])
    """
    factor = Cholesky()(finite(x, "cholesky") if check_finite else x)
    return factor if lower and not upper else adjoint_of(factor)


class CholeskyInverse(FloatingOp):
    """(L Lᵀ)⁻¹ for real triangular L, of which only the lower half counts."""

    def infer(self, *types: TensorType) -> TensorType:
        """The type of L; TypeError for complex numbers."""
        if types[0].dtype.startswith("complex"):
            raise TypeError("cholesky_inverse takes real matrices: use inv(L @ L.T.conj())")
        return square_type(types[0], "cholesky_inverse")

    def impl(self, *values: np.ndarray) -> Value:
        """From the inverse of L; LinAlgError if L is singular."""
        (factor,) = values
        ones = np.broadcast_to(np.eye(factor.shape[-1], dtype=factor.dtype), factor.shape)
        inverse = SolveTriangular(True).impl(factor, ones)
        return np.swapaxes(inverse, -1, -2) @ inverse

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The lower half of -C (g + gᵀ) C L, where C is the result."""
        (factor,), (result,), (g,) = inputs, outputs, cotangents
        both = matmul(matmul(result, g + adjoint_of(g)), matmul(result, tril(factor)))
        return [-tril(both)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """-C (t Lᵀ + L tᵀ) C, with the lower half of t."""
        (factor,), (result,), (t,) = inputs, outputs, tangents
        half = matmul(tril(t), adjoint_of(tril(factor)))
        return [-matmul(matmul(result, half + adjoint_of(half)), result)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The shape of L."""
        return input_shapes

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, a stack, 1 by 1; what is above the diagonal is not read."""
        x = np.array([[2.0, 7.0, 0.0], [1.0, 3.0, 0.0], [0.5, -0.5, 1.5]])
        return [
            (cls(), [x]),
            (cls(), [np.stack([x, 2 * x])]),
            (cls(), [x.astype("float32")]),
            (cls(), [np.array([[2.0]])]),
        ]

    def __str__(self) -> str:
        return "cholesky_inverse"


def cholesky_inverse(factor: TensorLike) -> TensorVariable:
    """The inverse of L Lᵀ, for real lower triangular matrices L, on the last two axes.

    As `torch.cholesky_inverse`; LAPACK calls it potri.

    >>> cholesky_inverse([[2.0, 0.0], [1.0, 2.0]]).eval()
    array([[ 0.3125, -0.125 ],
           [-0.125 ,  0.25  ]])
    """
    return CholeskyInverse()(factor)


def cho_factor(
    a: TensorLike, lower: bool = False, *, check_finite: bool = False
) -> tuple[TensorVariable, bool]:
    """The Cholesky factor of positive definite matrices, and which half it is.

    For `cho_solve`. The other half is zero. `check_finite` is that of `cholesky`. See
    `scipy.linalg.cho_factor`.

    >>> factor, lower = cho_factor([[4.0, 2.0], [2.0, 5.0]])
    >>> factor.eval(), lower
    (array([[2., 1.],
           [0., 2.]]), False)
    """
    return cholesky(a, lower, check_finite=check_finite), lower


def cho_solve(
    c_and_lower: tuple[TensorLike, bool],
    b: TensorLike,
    b_ndim: int | None = None,
    *,
    check_finite: bool = False,
) -> TensorVariable:
    """x with a x = b, from what `cho_factor(a)` gave. See `scipy.linalg.cho_solve`.

    `b_ndim`: 1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector.
    `check_finite`: NaN and infinite elements are an error when it is computed.

    >>> cho_solve(cho_factor([[4.0, 2.0], [2.0, 5.0]]), [6.0, 7.0]).eval()
    array([1., 1.])
    """
    factor, lower = as_tensor(c_and_lower[0]), c_and_lower[1]
    right = as_tensor(b)
    if check_finite:
        factor, right = (finite(v, "cho_solve") for v in (factor, right))
    ndim = min(right.ndim, 2) if b_ndim is None else b_ndim
    half = solve_triangular(factor, right, 0 if lower else 2, lower, b_ndim=ndim)
    return solve_triangular(factor, half, 2 if lower else 0, lower, b_ndim=ndim)
