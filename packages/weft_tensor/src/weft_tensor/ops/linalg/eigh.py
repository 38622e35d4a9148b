"""Eigenvalues of symmetric matrices (Hermitian ones, if complex), with their vectors.

Derivatives are those of Giles, Collected matrix derivative results for forward and reverse mode
algorithmic differentiation (2008), section 3.1. Complex vectors, which a factor of size 1 leaves
open, turn to what is orthogonal to them only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, cast, overload

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    SlopeOp,
    adjoint_of,
    diagonal_of,
    diagonal_ones,
    mirrored,
    on_diagonal,
    over_gaps,
    real_dtype,
    slope_values,
    square_type,
    tril,
    triu,
)
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Eigh", "EighResult", "EighSlope", "Eigvalsh", "eigh", "eigvalsh"]


def half_of(g: TensorVariable, lower: bool) -> TensorVariable:
    """The cotangent of the half that is read, from that of the whole matrix."""
    both = g + adjoint_of(g)
    return (tril if lower else triu)(both) - 0.5 * both * diagonal_ones(both)


class _Symmetric(FloatingOp):
    """What reads one half of a symmetric matrix."""

    lower: bool = True

    def _whole(self, x: TensorVariable) -> TensorVariable:
        """The matrix of which x has a half."""
        return mirrored(x if self.lower else adjoint_of(x))

    def _of_values(self, v: TensorVariable, g: TensorVariable) -> TensorVariable:
        """The cotangent of the matrix, from that of its values, if no vectors have one."""
        return half_of(matmul(v * g.expand_dims(-2), adjoint_of(v)), self.lower)

    @classmethod
    def examples(cls) -> Examples:
        """A matrix, both halves, a stack, float32, 1 by 1, without rows."""
        x = np.array([[2.0, 7.0, 5.0], [1.0, -1.0, 4.0], [0.5, 0.3, 0.7]])
        return [
            (cls(), [x]),
            (cls(False), [x]),
            (cls(), [np.stack([x, x @ x])]),
            (cls(), [x.astype("float32")]),
            (cls(), [x[:1, :1]]),
            (cls(), [x[:0, :0]]),
        ]


class Eigh(_Symmetric):
    """w, ascending, and v with x = v diag(w) vᴴ and v unitary, of which one half counts."""

    none_for_zero = True

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType]:
        """Real values, and the type of x."""
        x = square_type(types[0], "eigh")
        return TensorType(real_dtype(x.dtype), x.shape[:-1]), x

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`numpy.linalg.eigh`; LinAlgError for what is not finite."""
        return tuple(np.linalg.eigh(values[0], "L" if self.lower else "U"))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """That of `EighSlope`, of which little is left for values alone."""
        _, v = outputs
        gw, gv = cast(Cotangents, cotangents)
        if gv is None and gw is not None:
            return [self._of_values(v, gw)]
        return EighSlope.applied([self.lower], outputs, cotangents)

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """With M = vᴴ t v, its diagonal, and v (F∘M)."""
        w, v = outputs
        middle = matmul(adjoint_of(v), matmul(self._whole(tangents[0]), v))
        values = diagonal_of(middle)
        values = values.real if values.is_complex else values
        return [values, matmul(v, over_gaps(middle, w))]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the last axis; that of x."""
        (shape,) = input_shapes
        return [tuple(shape[:-1]), shape]

    def __str__(self) -> str:
        return "eigh"


class EighSlope(SlopeOp):
    """The derivative of `Eigh`, from its results, times their cotangents.

    An Op of its own as a backend that calls BLAS needs no masks, and has little to compile.
    """

    lower: bool = True

    def expansion(self, *inputs: TensorVariable) -> TensorVariable:
        """v (diag(gw) + F∘(vᴴ gv)) vᴴ, where F has 1 / (w[j] - w[i])."""
        w, v, gw, gv = inputs
        middle = over_gaps(matmul(adjoint_of(v), gv), w)
        middle = middle + where(on_diagonal(middle), gw.expand_dims(-1), 0)
        return half_of(matmul(matmul(v, middle), adjoint_of(v)), self.lower)

    def infer(self, *types: TensorType) -> TensorType:
        """The type of v."""
        return types[1]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """That of v."""
        return input_shapes[1:2]

    @classmethod
    def examples(cls) -> Examples:
        """Those of `Eigh`, and complex."""
        x = np.array([[2.0, 1.0 - 2.0j], [1.0 + 2.0j, -1.0]])
        cases: list[Any] = [*Eigh.examples(), (Eigh(), [x]), (Eigh(False), [x])]
        return [(cls(op.lower), slope_values(op, values)) for op, values in cases]

    def __str__(self) -> str:
        return "eigh_slope"


class Eigvalsh(_Symmetric):
    """The eigenvalues, ascending, of symmetric matrices, of which one half counts."""

    def infer(self, *types: TensorType) -> TensorType:
        """Real values."""
        x = square_type(types[0], "eigvalsh")
        return TensorType(real_dtype(x.dtype), x.shape[:-1])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.eigvalsh`; LinAlgError for what is not finite."""
        return np.linalg.eigvalsh(values[0], "L" if self.lower else "U")

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """v diag(g) vᴴ; where values are equal, too, if what is done with them is the same."""
        _, v = Eigh(self.lower)(inputs[0])
        return [self._of_values(v, cotangents[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The diagonal of vᴴ t v."""
        _, v = Eigh(self.lower)(inputs[0])
        product = matmul(self._whole(tangents[0]), v)
        values = ((v.conj() if v.is_complex else v) * product).sum(-2)
        return [values.real if values.is_complex else values]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the last axis."""
        return [tuple(input_shapes[0][:-1])]

    def __str__(self) -> str:
        return "eigvalsh"


class EighResult(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: TensorVariable
    eigenvectors: TensorVariable


def _halves(
    UPLO: str | TensorLike, b: TensorLike | None, lower: bool | None
) -> tuple[bool, TensorLike | None]:
    """Whether the lower half is read, and the second matrix, which is second in SciPy.

    ValueError for another letter than L and U.
    """
    if not isinstance(UPLO, str):
        UPLO, b = "L", UPLO if b is None else b
    if UPLO.upper() not in ("L", "U"):
        raise ValueError(f"UPLO must be 'L' or 'U', not {UPLO!r}{called()}")
    return UPLO.upper() == "L" if lower is None else lower, b


def _subset(
    of: tuple[TensorVariable, ...], by_index: Sequence[int] | None, by_value: Any
) -> tuple[TensorVariable, ...]:
    """Of values, and their vectors, those from the first to the second place, or limit.

    ValueError for both, and for limits where there are stacks.
    """
    if by_index is None and by_value is None:
        return of
    if by_index is not None and by_value is not None:
        raise ValueError(f"give a subset of eigenvalues by_index or by_value, not both{called()}")
    if by_index is not None:
        first, last = by_index
        return tuple(v[..., first : last + 1] for v in of)
    values, (low, high) = of[0], by_value
    if values.ndim > 1:
        raise ValueError(f"subset_by_value takes one matrix, not stacks{called()}")
    return tuple(v[..., (values > low) & (values <= high)] for v in of)


def _without(a: TensorLike, b: TensorLike, is_lower: bool) -> tuple[TensorVariable, TensorVariable]:
    """The matrices, and the factors L of b, for which (inv(L) a inv(L)^H) u = w u, v = inv(L)^H u.

    G. H. Golub and C. F. Van Loan, Matrix Computations (2013), algorithm 8.7.1.
    """
    whole, other = as_tensors((a, b))
    whole = mirrored(whole if is_lower else adjoint_of(whole))
    factor = cholesky(other if is_lower else adjoint_of(other))
    left = solve_triangular(factor, whole, lower=True, b_ndim=2)
    return solve_triangular(factor, adjoint_of(left), lower=True, b_ndim=2), factor


@overload
def eigh(
    a: TensorLike,
    UPLO: str | TensorLike = "L",
    *,
    b: TensorLike | None = None,
    lower: bool | None = None,
    eigvals_only: Literal[False] = False,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[TensorLike] | None = None,
) -> EighResult: ...
@overload
def eigh(
    a: TensorLike,
    UPLO: str | TensorLike = "L",
    *,
    b: TensorLike | None = None,
    lower: bool | None = None,
    eigvals_only: Literal[True],
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[TensorLike] | None = None,
) -> TensorVariable: ...
def eigh(
    a: TensorLike,
    UPLO: str | TensorLike = "L",
    *,
    b: TensorLike | None = None,
    lower: bool | None = None,
    eigvals_only: bool = False,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[TensorLike] | None = None,
) -> EighResult | TensorVariable:
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices; Hermitian, if complex.

    Where eigenvalues are equal, vectors have no derivative: one through them is not finite or, if
    rounding parts the values, wrong. For a function of a matrix take `expm`, `sqrtm` and their kin.

    Parameters
    ----------
    a
        Matrices, on the last two axes, of which one half is read.
    UPLO
        Which half: "L" or "U", as `numpy.linalg.eigh` has it; or b, as `scipy.linalg.eigh` has it.
    b
        Positive definite matrices for which a v = w b v and v^H b v = 1, of which the same half is
        read; the identity by default.
    lower
        Whether that is the lower half: instead of UPLO.
    eigvals_only
        True for the values alone, as `eigvalsh` gives them.
    subset_by_index
        The first and the last place of those that are returned.
    subset_by_value
        What they are greater than, and what at most, where a is one matrix.

    Returns
    -------
    `eigenvalues` and `eigenvectors`: column `v[:, i]` belongs to `w[i]`. Where eigenvalues are
    equal, the derivatives of vectors are infinite or NaN, those of the values are not.

    Raises
    ------
    ValueError
        for another UPLO, both subsets, and for matrices that are not square.
    LinAlgError
        where b is not positive definite; NaN on JAX.

    Examples
    --------
    >>> w, v = eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> print(w.eval().round(12), (v**2).eval().round(12).tolist())
    [1. 3.] [[0.5, 0.5], [0.5, 0.5]]
    """
    is_lower, b = _halves(UPLO, b, lower)
    if eigvals_only:
        values = eigvalsh(a, b=b, lower=is_lower)
        return _subset((values,), subset_by_index, subset_by_value)[0]
    if b is None:
        return EighResult(*_subset(tuple(Eigh(is_lower)(a)), subset_by_index, subset_by_value))
    reduced, factor = _without(a, b, is_lower)
    values, vectors = _subset(tuple(Eigh(True)(reduced)), subset_by_index, subset_by_value)
    back = solve_triangular(adjoint_of(factor), vectors, lower=False, b_ndim=2)
    return EighResult(values, back)


def eigvalsh(
    a: TensorLike,
    UPLO: str | TensorLike = "L",
    *,
    b: TensorLike | None = None,
    lower: bool | None = None,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[TensorLike] | None = None,
) -> TensorVariable:
    """Eigenvalues, ascending, of symmetric matrices, on the last two axes. See `eigh`.

    >>> print(eigvalsh([[2.0, 1.0], [1.0, 2.0]]).eval().round(12))
    [1. 3.]
    """
    is_lower, b = _halves(UPLO, b, lower)
    values = Eigvalsh(is_lower)(a) if b is None else Eigvalsh(True)(_without(a, b, is_lower)[0])
    return _subset((values,), subset_by_index, subset_by_value)[0]
