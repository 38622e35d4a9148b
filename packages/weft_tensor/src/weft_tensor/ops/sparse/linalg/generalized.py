"""Eigenvalues of a symmetric matrix by another one that is positive: by factors of that."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs
from weft_tensor.ops.elementwise.comparison import lt, where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.lu import lu_factor, lu_solve
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.ops.sparse.construction import coo_array
from weft_tensor.ops.sparse.linalg.operators import LinearOperator, aslinearoperator
from weft_tensor.ops.sparse.solving import spsolve

__all__ = ["Reduced"]


class Reduced(NamedTuple):
    """What has the eigenvalues w of `A x = w M x`: L⁻¹ A L⁻ᵀ with M = L Lᵀ, and vectors Lᵀ x.

    >>> reduced = Reduced.of([[2.0, 0.0], [0.0, 3.0]], [[4.0, 0.0], [0.0, 1.0]], "float64")
    >>> reduced.operator.matvec(as_tensor([1.0, 1.0])).eval()
    array([0.5, 3. ])
    """

    operator: LinearOperator
    factor: TensorVariable

    @classmethod
    def of(cls, A: Any, M: Any, kind: str) -> Reduced:
        """Of matrices, dense or sparse, or of an operator A."""
        operator, factor = aslinearoperator(A), cholesky(_dense(M).astype(kind))

        def product(v: Any) -> TensorVariable:
            moved = operator.matvec(solve_triangular(factor.T, v, lower=False))
            return solve_triangular(factor, moved, lower=True)

        return cls(LinearOperator(operator.shape, product, dtype=kind), factor)

    def inverse(self, A: Any, M: Any, sigma: TensorLike, known: Any) -> LinearOperator:
        """What multiplies by Lᵀ (A - sigma M)⁻¹ L, of which `known` is the middle."""
        kind = self.operator.dtype
        if known is None:
            known = _solving(A, M, as_tensor(sigma).astype(kind), self.operator)
        middle = aslinearoperator(known)

        def product(v: Any) -> TensorVariable:
            return self.factor.T @ middle.matvec(self.factor @ v)

        return LinearOperator(self.operator.shape, product, dtype=kind)

    def started(self, v0: TensorLike | None) -> TensorVariable | None:
        """Where to begin, in the vectors of the operator."""
        return None if v0 is None else self.factor.T @ as_tensor(v0)

    def vectors(self, found: TensorVariable) -> TensorVariable:
        """Columns x of those of the operator, with a positive component of largest size."""
        x = solve_triangular(self.factor.T, found, lower=False)
        at = take_along_axis(x, expand_dims(argmax(abs(x), 0), 0), 0)
        return where(lt(at, 0), -x, x)


def _dense(M: Any) -> TensorVariable:
    if isinstance(M, LinearOperator) or (callable(M) and not hasattr(M, "tocoo")):
        raise TypeError(f"eigsh: M is a matrix, dense or sparse, not {M!r}{called()}")
    return as_tensor(M.toarray() if hasattr(M, "toarray") else M)


def _solving(A: Any, M: Any, by: TensorVariable, like: LinearOperator) -> LinearOperator:
    """What multiplies by the inverse of A - by M."""
    if isinstance(A, LinearOperator):
        raise TypeError(f"eigsh: sigma takes a matrix, or OPinv, the inverse{called()}")
    if hasattr(A, "tocoo") and hasattr(M, "tocoo"):
        a, m = (coo_array(v) for v in (A, M))
        shifted = a.astype(like.dtype) - m.astype(like.dtype) * by
        return LinearOperator(like.shape, lambda v: spsolve(shifted, v), dtype=like.dtype)
    factors = lu_factor(_dense(A).astype(like.dtype) - by * _dense(M).astype(like.dtype))
    return LinearOperator(like.shape, lambda v: lu_solve(factors, v), dtype=like.dtype)
