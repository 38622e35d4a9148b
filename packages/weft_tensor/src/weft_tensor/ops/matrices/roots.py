"""Square roots and logarithms of square matrices; for stacks too."""

from __future__ import annotations

from weft_tensor.build.op import Cotangents, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.linalg.square import adjoint_of
from weft_tensor.ops.matrices.exponential import MatrixFunction
from weft_tensor.ops.matrices.sylvester import solve_sylvester

__all__ = ["Logm", "Sqrtm", "logm", "sqrtm"]


class Logm(MatrixFunction):
    """The principal logarithm of square matrices; NaN for real ones that have no real one."""

    floor = 1.0

    def __str__(self) -> str:
        return "logm"


class Sqrtm(MatrixFunction):
    """The principal square root of square matrices; NaN for real ones that have no real one."""

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The solution y of rᴴ y + y rᴴ = g, for the root r."""
        root = adjoint_of(outputs[0])
        return [solve_sylvester(root, root, cotangents[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The solution y of r y + y r = t, for the root r."""
        return [solve_sylvester(outputs[0], outputs[0], tangents[0])]

    def __str__(self) -> str:
        return "sqrtm"


def sqrtm(A: TensorLike) -> TensorVariable:
    """The principal square root of square matrices, on the last two axes.

    Of the dtype of A: where a real matrix has no real root, it is NaN, and `A.astype("complex128")`
    has a complex one. See `scipy.linalg.sqrtm`.

    >>> print(sqrtm([[4.0, 0.0], [0.0, 9.0]]).eval().round(12))
    [[2. 0.]
     [0. 3.]]
    """
    return Sqrtm()(A)


def logm(A: TensorLike) -> TensorVariable:
    """The principal logarithm of square matrices, on the last two axes.

    Of the dtype of A: where a real matrix has no real logarithm, it is NaN, and
    `A.astype("complex128")` has a complex one. See `scipy.linalg.logm`.

    >>> print(logm([[1.0, 2.0], [0.0, 1.0]]).eval().round(12))
    [[0. 2.]
     [0. 0.]]
    """
    return Logm()(A)
