"""Singular values of matrices, with their vectors; for stacks too.

Derivatives are those of Townsend, Differentiating the singular value decomposition (2016). With
P = uᴴ t vᴴ, the symmetric part of P over the differences of singular values, and the other over
their sums, say how both kinds of vectors turn among themselves. How vectors beyond the shorter
axis turn among themselves nothing says: they don't.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from weft_tensor.build.convert import constant
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.comparison import eq, ge, lt, where
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.eigh import eigh, eigvalsh
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import (
    FloatingOp,
    SlopeOp,
    adjoint_of,
    diagonal_of,
    matrix_type,
    on_diagonal,
    over_gaps,
    real_dtype,
    shorter_length,
    shorter_size,
    slope_values,
)
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.types.tensor_type import TensorType

__all__ = ["SVD", "SVDResult", "SVDSlope", "SingularValues", "svd", "svdvals"]


class SVD(FloatingOp):
    """u, s and v with x = u diag(s) v, u and v unitary, s not negative and descending.

    Not `full_matrices`: u has only as many columns, and v as many rows, as there are values.
    Vectors may be of either sign, or any phase: which, depends on the backend.
    """

    none_for_zero = True
    full_matrices: bool = True

    def infer(self, *types: TensorType) -> tuple[TensorType, TensorType, TensorType]:
        """Matrices of vectors; singular values are real."""
        x = matrix_type(types[0], "svd")
        *batch, m, n = x.shape
        k = shorter_length(m, n)
        columns, rows = (m, n) if self.full_matrices else (k, k)
        return (
            TensorType(x.dtype, (*batch, m, columns)),
            TensorType(real_dtype(x.dtype), (*batch, k)),
            TensorType(x.dtype, (*batch, rows, n)),
        )

    def impl(self, *values: np.ndarray) -> tuple[Value, ...]:
        """`numpy.linalg.svd`; LinAlgError for what is not finite."""
        return tuple(np.linalg.svd(values[0], self.full_matrices))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """That of `SVDSlope`, of which little is left for values alone."""
        u, s, v = outputs
        gu, gs, gv = cast(Cotangents, cotangents)
        if gs is not None and gu is gv is None:
            rows = v[..., : lengths_of(s)[-1], :] if self.full_matrices else v
            return [matmul(self._first(u, s) * gs.expand_dims(-2), rows)]
        return SVDSlope.applied([self.full_matrices], outputs, cotangents)

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """Vectors turn among themselves, and to what they leave out."""
        (u, s, v), (t,) = outputs, tangents
        left, right = self._first(u, s), self._first(adjoint_of(v), s)
        forth, back = matmul(t, right), matmul(adjoint_of(t), left)
        middle = matmul(adjoint_of(left), forth)
        symmetric = over_gaps((middle + adjoint_of(middle)) * 0.5, s)
        other = _over_sums((middle - adjoint_of(middle)) * 0.5, s)
        by_u = matmul(left, symmetric + other) + _over_values(_beside(left, forth), s)
        by_v = matmul(right, symmetric - other) + _over_values(_beside(right, back), s)
        values = diagonal_of(middle)
        return [
            self._whole(u, by_u, s),
            values.real if values.is_complex else values,
            adjoint_of(self._whole(adjoint_of(v), by_v, s)),
        ]

    def _first(self, vectors: TensorVariable, s: TensorVariable) -> TensorVariable:
        """As many vectors as there are values."""
        return vectors[..., : lengths_of(s)[-1]] if self.full_matrices else vectors

    def _whole(
        self, vectors: TensorVariable, change: TensorVariable, s: TensorVariable
    ) -> TensorVariable:
        """The change of all vectors: those beyond stay orthogonal to the others."""
        if not self.full_matrices:
            return change
        k = lengths_of(s)[-1]
        first, beyond = vectors[..., :k], vectors[..., k:]
        return concatenate([change, -matmul(first, matmul(adjoint_of(change), beyond))], -1)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """Those of the matrices of vectors, and as many values as the shorter axis is long."""
        ((*batch, m, n),) = input_shapes
        k = shorter_size(m, n)
        columns, rows = (m, n) if self.full_matrices else (k, k)
        return [(*batch, m, columns), (*batch, k), (*batch, rows, n)]

    def invariants(self, *outputs: TensorVariable) -> Tensors:
        """What is decomposed, the values, and how vectors stand to each other."""
        u, s, v = outputs
        k = lengths_of(s)[-1]
        product = matmul(u[..., :k] * s.expand_dims(-2), v[..., :k, :])
        return [product, s, matmul(adjoint_of(u), u), matmul(v, adjoint_of(v))]

    @classmethod
    def examples(cls) -> Examples:
        """Square, tall and wide, full and not, stacks, float32, 1 by 1; complex ones in tests."""
        x = np.array([[2.0, 1.0, 0.0, 0.3], [0.5, 3.0, -1.0, 0.2], [1.0, 0.2, 1.5, -2.0]])
        square = x[:, :3]
        return [
            (cls(), [square]),
            *((cls(False), [v]) for v in (x, x.T)),
            (cls(), [np.stack([square, 2 * square.T + 1])]),
            (cls(False), [np.stack([x, 2 * x + 1])]),
            (cls(), [x.astype("float32")]),
            (cls(), [x[:1, :1]]),
            *((cls(full), [x[:, :0]]) for full in (True, False)),
        ]

    def __str__(self) -> str:
        return "svd"


def _over_sums(x: TensorVariable, s: TensorVariable) -> TensorVariable:
    """x[i, j] / (s[i] + s[j]), 0 where both are zero."""
    sums = s.expand_dims(-2) + s.expand_dims(-1)
    nothing = eq(sums, 0) & eq(x, 0)
    return where(nothing, constant(0, x.dtype), x / where(nothing, constant(1, s.dtype), sums))


def _over_values(x: TensorVariable, s: TensorVariable) -> TensorVariable:
    """The columns over their values, 0 where both are zero."""
    row = s.expand_dims(-2)
    nothing = eq(row, 0) & eq(x, 0)
    return where(nothing, constant(0, x.dtype), x / where(nothing, constant(1, s.dtype), row))


def _beside(vectors: TensorVariable, x: TensorVariable) -> TensorVariable:
    """What of the columns is orthogonal to the vectors: exactly nothing if these span all."""
    n, k = lengths_of(vectors)[-2:]
    rest = x - matmul(vectors, matmul(adjoint_of(vectors), x))
    return rest * 0 if same_size(n, k) else where(ge(k, n), constant(0, x.dtype), rest)


class SVDSlope(SlopeOp):
    """The derivative of `SVD`, from its results, times their cotangents.

    An Op of its own as a backend that calls BLAS needs no masks, and has little to compile.
    """

    full_matrices: bool = True

    def expansion(self, *inputs: TensorVariable) -> TensorVariable:
        """That of `SVD.pushforward`, read backwards."""
        u, s, v, gu, gs, gv = inputs
        left, by_left = self._known(u, gu, s)
        right, by_right = self._known(adjoint_of(v), adjoint_of(gv), s)
        x, y = matmul(adjoint_of(left), by_left), matmul(adjoint_of(right), by_right)
        together, apart = (v - adjoint_of(v) for v in (x + y, x - y))
        middle = over_gaps(together * 0.5, s) + _over_sums(apart * 0.5, s)
        middle = middle + where(on_diagonal(middle), gs.expand_dims(-1), 0)
        rest = _over_values(_beside(left, by_left), s)
        back = _over_values(_beside(right, by_right), s)
        inner = matmul(left, middle) + rest
        return matmul(inner, adjoint_of(right)) + matmul(left, adjoint_of(back))

    def _known(
        self, vectors: TensorVariable, g: TensorVariable, s: TensorVariable
    ) -> tuple[TensorVariable, TensorVariable]:
        """The vectors with values, and their cotangents, with what those beyond add to them."""
        if not self.full_matrices:
            return vectors, g
        k = lengths_of(s)[-1]
        first, beyond = vectors[..., :k], vectors[..., k:]
        overlap = matmul(adjoint_of(g[..., k:]), first)
        return first, g[..., :k] - matmul(beyond, overlap)

    def infer(self, *types: TensorType) -> TensorType:
        """As many rows as u, and columns as v."""
        u, v = types[0], types[2]
        return TensorType(u.dtype, (*u.shape[:-1], v.shape[-1]))

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """As many rows as u, and columns as v."""
        u, v = input_shapes[0], input_shapes[2]
        return [(*u[:-1], v[-1])]

    @classmethod
    def examples(cls) -> Examples:
        """Those of `SVD`, and complex."""
        x = np.array([[2.0, 1.0j, 0.5], [0.5, 3.0, -1.0j]])
        sides = [(SVD(full), [v]) for full in (True, False) for v in (x, x.T)]
        cases: list[Any] = [*SVD.examples(), *sides]
        return [(cls(op.full_matrices), slope_values(op, values)) for op, values in cases]

    def __str__(self) -> str:
        return "svd_slope"


class SingularValues(FloatingOp):
    """The singular values of matrices, descending."""

    facts = "nonnegative"

    def infer(self, *types: TensorType) -> TensorType:
        """Real, as many as the shorter axis is long."""
        x = matrix_type(types[0], "svdvals")
        *batch, m, n = x.shape
        return TensorType(real_dtype(x.dtype), (*batch, shorter_length(m, n)))

    def impl(self, *values: np.ndarray) -> Value:
        """`numpy.linalg.svdvals`; LinAlgError for what is not finite."""
        return np.linalg.svd(values[0], compute_uv=False)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """u diag(g) v; where values are equal, too, if what is done with them is the same."""
        u, _, v = SVD(full_matrices=False)(inputs[0])
        return [matmul(u * cotangents[0].expand_dims(-2), v)]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Cotangents:
        """The diagonal of uᴴ t vᴴ."""
        u, _, v = SVD(full_matrices=False)(inputs[0])
        product = matmul(tangents[0], adjoint_of(v))
        values = ((u.conj() if u.is_complex else u) * product).sum(-2)
        return [values.real if values.is_complex else values]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """As many as the shorter axis is long."""
        ((*batch, m, n),) = input_shapes
        return [(*batch, shorter_size(m, n))]

    @classmethod
    def examples(cls) -> Examples:
        """Square, tall and wide, a stack, complex, float32, 1 by 1, without columns."""
        x = np.array([[2.0, 1.0, 0.0, 0.3], [0.5, 3.0, -1.0, 0.2], [1.0, 0.2, 1.5, -2.0]])
        square = x[:, :3]
        return [
            (cls(), [square]),
            (cls(), [x]),
            (cls(), [x.T]),
            (cls(), [np.stack([x, 2 * x + 1])]),
            (cls(), [square + 1j * square.T]),
            (cls(), [x.astype("float32")]),
            (cls(), [x[:1, :1]]),
            (cls(), [x[:, :0]]),
        ]

    def __str__(self) -> str:
        return "svdvals"


class SVDResult(NamedTuple):
    """What `svd` returns."""

    U: TensorVariable
    S: TensorVariable
    Vh: TensorVariable


def svd(
    a: TensorLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """U, S and Vh with a = U diag(S) Vh: singular values, descending, and their vectors.

    Parameters
    ----------
    a
        Matrices, on the last two axes.
    full_matrices
        Whether U and Vh are square; else they have as many vectors as there are values.
    compute_uv
        Whether to return vectors, or the values alone.
    hermitian
        Whether a is symmetric (Hermitian, if complex), which takes less time; its lower half is
        read. See `numpy.linalg.svd`.

    Returns
    -------
    `U`, `S` and `Vh`; or S alone. Vectors are of any sign, or phase: that of one backend need not
    be another's. Where values are equal, or zero, the derivatives of vectors are infinite or NaN,
    those of the values are not.

    Examples
    --------
    >>> u, s, vh = svd([[0.0, 2.0], [1.0, 0.0]])
    >>> print(s.eval())
    [2. 1.]
    """
    if not compute_uv:
        return svdvals(a) if not hermitian else _by_size(eigvalsh(a))[0]
    if not hermitian:
        return SVDResult(*SVD(full_matrices)(a))
    w, v = eigh(a)
    s, order = _by_size(w)
    v = take_along_axis(v, order.expand_dims(-2), -1)
    signs = where(lt(take_along_axis(w, order, -1), 0), constant(-1, w.dtype), constant(1, w.dtype))
    return SVDResult(v, s, adjoint_of(v * signs.expand_dims(-2)))


def _by_size(w: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
    """Absolute values, descending, and the places where they were."""
    sizes = absolute(w)
    order = argsort(-sizes, -1)
    return take_along_axis(sizes, order, -1), order


def svdvals(x: TensorLike) -> TensorVariable:
    """The singular values of matrices, descending. See `numpy.linalg.svdvals`.

    >>> print(svdvals([[0.0, 2.0], [1.0, 0.0]]).eval())
    [2. 1.]
    """
    return SingularValues()(x)
