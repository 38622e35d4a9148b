"""Eigenvalues and eigenvectors of any square matrices; for stacks too. All are complex."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import inv, solve
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    adjoint_of,
    diagonal_of,
    on_diagonal,
    over_gaps,
    square_examples,
    square_type,
)
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Eig", "EigResult", "Eigvals", "eig", "eigvals"]


def _complex(dtype: str) -> str:
    return "complex64" if dtype in ("float32", "complex64") else "complex128"


def _like(g: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The cotangent of x: its real part, if x is real."""
    return g if x.is_complex else g.real


class Eig(FloatingOp):
    """w and v with x v = v diag(w); columns of v are of length 1.

    Derivatives are those of Boeddeker, Hanebrink, Drude, Heymann and Haeb-Umbach, On the
    computation of complex-valued gradients with application to statistically optimum beamforming
    (2017), equations 4.77 and following. A factor of size 1, which vectors leave open, stays.
    """

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType]:
        """Complex values and vectors."""
        x = square_type(types[0], "eig")
        dtype = _complex(x.dtype)
        return TensorType(dtype, x.shape[:-1]), TensorType(dtype, x.shape)

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`numpy.linalg.eig`; LinAlgError for what is not finite."""
        (x,) = values
        w, v = np.linalg.eig(x)
        dtype = _complex(str(x.dtype))
        return w.astype(dtype), v.astype(dtype)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """v⁻ᴴ (diag(gw) + (vᴴ gv - vᴴ v Re diag(vᴴ gv)) / Eᴴ) vᴴ, E has w[j] - w[i]."""
        (w, v), (gw, gv) = outputs, cotangents
        back = adjoint_of(v)
        inner = matmul(back, gv)
        inner = inner - matmul(back, v) * diagonal_of(inner).real.expand_dims(-2)
        middle = over_gaps(inner, w.conj())
        middle = middle + where(on_diagonal(middle), gw.expand_dims(-1), 0)
        return [_like(solve(back, matmul(middle, back), b_ndim=2), inputs[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """With M = v⁻¹ t v, its diagonal, and v (M / E), less what would change lengths."""
        w, v = outputs
        middle = solve(v, matmul(tangents[0].astype(v.dtype), v), b_ndim=2)
        change = matmul(v, over_gaps(middle, w))
        longer = (v.conj() * change).sum(-2).real
        return [diagonal_of(middle), change - v * longer.expand_dims(-2)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the last axis; that of x."""
        (shape,) = input_shapes
        return [tuple(shape[:-1]), shape]

    def __str__(self) -> str:
        return "eig"


class Eigvals(FloatingOp):
    """The eigenvalues of square matrices, complex, in no order."""

    def infer(self, *types: TensorType) -> TensorType:
        """Complex values."""
        x = square_type(types[0], "eigvals")
        return TensorType(_complex(x.dtype), x.shape[:-1])

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.eigvals`; LinAlgError for what is not finite."""
        return np.linalg.eigvals(values[0]).astype(_complex(str(values[0].dtype)))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """v⁻ᴴ diag(g) vᴴ."""
        w, v = Eig()(inputs[0])
        back = adjoint_of(v)
        right = _in_order(cotangents[0], outputs[0], w).expand_dims(-1) * back
        return [_like(solve(back, right, b_ndim=2), inputs[0])]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The diagonal of v⁻¹ t v."""
        w, v = Eig()(inputs[0])
        change = diagonal_of(solve(v, matmul(tangents[0].astype(v.dtype), v), b_ndim=2))
        return [_in_order(change, w, outputs[0])]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Without the last axis."""
        return [tuple(input_shapes[0][:-1])]

    @classmethod
    def examples(cls) -> Examples:
        """Real and complex values, a stack, complex, float32, 1 by 1, without rows."""
        return [(cls(), [x]) for x in square_examples()]

    def __str__(self) -> str:
        return "eigvals"


def _in_order(
    numbers: TensorVariable, of: TensorVariable, wanted: TensorVariable
) -> TensorVariable:
    """Numbers that belong to eigenvalues, for the same eigenvalues in another order.

    LAPACK has those of many rows in another order if it is asked for no vectors.
    """
    places = abs(wanted.expand_dims(-1) - of.expand_dims(-2)).argmin(-1)
    is_own = eq(places.expand_dims(-1), arange(lengths_of(of)[-1]))
    return where(is_own, numbers.expand_dims(-2), 0).sum(-1)


class EigResult(NamedTuple):
    """What `eig` returns."""

    eigenvalues: TensorVariable
    eigenvectors: TensorVariable


def _relative(a: TensorLike, b: TensorLike | None) -> TensorVariable:
    """The matrix of which they are those; b is regular."""
    x = as_tensor(a)
    return x if b is None else solve(b, x, b_ndim=2)


def eig(a: TensorLike, b: TensorLike | None = None, left: bool = False, right: bool = True) -> Any:
    """Eigenvalues and eigenvectors of square matrices, on the last two axes; all complex.

    Parameters
    ----------
    a
        Square matrices.
    b
        Regular ones, for which a v = w b v, as `scipy.linalg.eig` has it; the identity by default.
    left, right
        Which vectors there are, as `scipy.linalg.eig` has it: with `left`, columns u of length 1
        with u.mH a = w u.mH b come before those on the right, and need these to be a basis.

    Returns
    -------
    `eigenvalues`, in no order, and `eigenvectors`: column `v[:, i]`, of length 1, belongs to
    `w[i]`. (NumPy makes them real if all values are.) Where eigenvalues are equal, the derivatives
    of vectors are infinite or NaN. JAX computes it on CPUs only. With neither `left` nor `right`,
    the eigenvalues alone. See `numpy.linalg.eig`, and `eigh` for symmetric matrices.

    Raises
    ------
    LinAlgError
        for what is not finite, and where b is singular; NaN on JAX.

    Examples
    --------
    >>> w, v = eig([[0.0, 1.0], [-1.0, 0.0]])
    >>> print(w.eval())
    [0.+1.j 0.-1.j]
    """
    if not left:
        return EigResult(*Eig()(_relative(a, b))) if right else eigvals(a, b)
    w, v = Eig()(_relative(a, b))
    others = adjoint_of(inv(v))
    if b is not None:
        others = solve(adjoint_of(as_tensor(b)), others, b_ndim=2)
    lengths = sqrt((others.real**2 + others.imag**2).sum(axis=-2, keepdims=True))
    return (w, others / lengths, v) if right else (w, others / lengths)


def eigvals(a: TensorLike, b: TensorLike | None = None) -> TensorVariable:
    """Eigenvalues of square matrices, complex, in no order. See `eig`.

    >>> print(eigvals([[0.0, 1.0], [-1.0, 0.0]]).eval())
    [0.+1.j 0.-1.j]
    """
    return Eigvals()(_relative(a, b))
