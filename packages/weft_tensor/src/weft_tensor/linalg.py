"""Linear algebra: Cholesky factors, triangular systems, determinants; all for stacks too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import solve_triangular as scipy_solve_triangular

from weft_graph import Variable
from weft_tensor.broadcasting import broadcast_shapes, merged_length
from weft_tensor.comparison import ge, where
from weft_tensor.convert import TensorLike, as_tensor, as_tensors, constant
from weft_tensor.creation import arange, eye
from weft_tensor.dims import provably_differ
from weft_tensor.dtypes import promote
from weft_tensor.elemwise import broadcast_dims
from weft_tensor.length import lengths_of
from weft_tensor.products import matmul
from weft_tensor.shape import matrix_transpose
from weft_tensor.sum_to import sum_to
from weft_tensor.tensor_op import TensorOp
from weft_tensor.type import TensorType

if TYPE_CHECKING:
    from weft_tensor.variable import TensorVariable

__all__ = [
    "Cholesky",
    "Det",
    "Inverse",
    "SolveTriangular",
    "cholesky",
    "det",
    "inv",
    "solve_triangular",
    "tril",
    "triu",
]


def _adjoint(x: Any) -> Any:
    return matrix_transpose(x.conj() if x.is_complex else x)


def _half(x: Any, name: str, chosen: Callable[[Any, Any], Any]) -> TensorVariable:
    """`x` where `chosen` (rows, columns) holds, else zero."""
    if x.ndim < 2:
        raise ValueError(f"{name} needs a matrix or a stack of them, not {x!r}")
    n, m = lengths_of(x)[-2:]
    return where(chosen(arange(n).expand_dims(1), arange(m)), x, constant(0, x.dtype))


def tril(x: TensorLike, k: int = 0) -> TensorVariable:
    """`x` with zeros above diagonal number `k`. See `numpy.tril`.

    >>> tril([[1, 2], [3, 4]]).eval()
    array([[1, 0],
           [3, 4]])
    """
    return _half(as_tensor(x), "tril", lambda rows, columns: ge(rows + k, columns))


def triu(x: TensorLike, k: int = 0) -> TensorVariable:
    """`x` with zeros below diagonal number `k`. See `numpy.triu`.

    >>> triu([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [0, 4]])
    """
    return _half(as_tensor(x), "triu", lambda rows, columns: ge(columns, rows + k))


def _diagonal_ones(x: Any) -> Any:
    return eye(lengths_of(x)[-1], dtype=x.dtype)


def _square(x: Any, what: str) -> TensorType:
    """The type of `x`, a matrix or a stack of them, ValueError if it is not square."""
    if x.ndim < 2:
        raise ValueError(f"{what} needs a matrix or a stack of them, got {x}")
    rows, columns = x.shape[-2:]
    if provably_differ(rows, columns) and type(rows) is type(columns):
        raise ValueError(f"{what} needs square matrices, got {x}")
    return x  # type: ignore[no-any-return]  # the check above is all that is known


class _Floating(TensorOp):
    """Ops of linear algebra: integers become float64."""

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """As tensors, of one floating dtype."""
        tensors = as_tensors(inputs)
        if any(getattr(t.type, "absorbs", False) for t in tensors):
            return tensors
        kind = promote([t.dtype for t in tensors])
        kind = kind if kind.startswith(("float", "complex")) else "float64"
        return tuple(t.astype(kind) for t in tensors)


class Cholesky(_Floating):
    """The lower triangular L with L Lᴴ = x, for positive definite x; only the lower half counts."""

    def infer(self, *types: Any) -> TensorType:
        """The type of x."""
        return _square(types[0], "cholesky")

    def impl(self, *values: Any) -> Any:
        """`numpy.linalg.cholesky`; LinAlgError if x is not positive definite."""
        return np.linalg.cholesky(values[0])

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """Murray, Differentiation of the Cholesky decomposition (2016), equation 10."""
        (factor,), (g,) = outputs, cotangents
        adjoint = _adjoint(factor)
        middle = tril(matmul(adjoint, tril(g)))
        middle = middle - 0.5 * middle * _diagonal_ones(middle)
        left = solve_triangular(adjoint, middle, lower=False)
        whole = _adjoint(solve_triangular(adjoint, _adjoint(left), lower=False))
        both = whole + _adjoint(whole)
        return [tril(both) - 0.5 * both * _diagonal_ones(both)]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """L Φ(L⁻¹ t L⁻ᴴ), where Φ takes the lower half and half of the diagonal."""
        (factor,), (t,) = outputs, tangents
        below, ones = tril(t, -1), _diagonal_ones(t)
        whole = below + _adjoint(below) + (t.real if t.is_complex else t) * ones
        left = solve_triangular(factor, whole, lower=True)
        middle = _adjoint(solve_triangular(factor, _adjoint(left), lower=True))
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
    return factor if lower else _adjoint(factor)


class SolveTriangular(_Floating):
    """x with a x = b for matrices b, where only one half of a counts."""

    lower: bool
    unit_diagonal: bool = False

    def infer(self, *types: Any) -> TensorType:
        """The shape of b, stacks broadcast."""
        a, b = types
        _square(a, "solve_triangular")
        if b.ndim < 2:
            raise ValueError(f"the right side must be a matrix or a stack of them, got {b}")
        if provably_differ(a.shape[-1], b.shape[-2]) and type(a.shape[-1]) is type(b.shape[-2]):
            raise ValueError(f"solve_triangular: {a} and {b} do not fit")
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        n = merged_length([b.shape[-2], *a.shape[-2:]]) if b.shape[-2] is None else b.shape[-2]
        return TensorType(promote([a.dtype, b.dtype]), (*batch, n, b.shape[-1]))

    def impl(self, *values: Any) -> Any:
        """`scipy.linalg.solve_triangular`; LinAlgError if a is singular."""
        a, b = values
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if not batch:
            return self._solve(a, b)
        a = np.broadcast_to(a, (*batch, *a.shape[-2:]))
        b = np.broadcast_to(b, (*batch, *b.shape[-2:]))
        result = np.empty(b.shape, np.result_type(a, b))
        for place in np.ndindex(batch):
            result[place] = self._solve(a[place], b[place])
        return result

    def _solve(self, a: Any, b: Any) -> Any:
        if not b.size:
            return np.zeros(b.shape, np.result_type(a, b))
        return scipy_solve_triangular(
            a, b, lower=self.lower, unit_diagonal=self.unit_diagonal, check_finite=False
        )

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """gb = a⁻ᴴ g; ga = -gb xᴴ on the half of a that counts."""
        (a, b), (x,), (g,) = inputs, outputs, cotangents
        gb = SolveTriangular(not self.lower, self.unit_diagonal)(_adjoint(a), g)
        ga = -matmul(gb, _adjoint(x))
        offset = int(self.unit_diagonal)
        ga = tril(ga, -offset) if self.lower else triu(ga, offset)
        return [sum_to(ga, lengths_of(a)), sum_to(gb, lengths_of(b))]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """a⁻¹ (tb - ta x), with the half of ta that counts."""
        (a, _), (x,), (ta, tb) = inputs, outputs, tangents
        right = tb
        if ta is not None:
            offset = int(self.unit_diagonal)
            moved = matmul(tril(ta, -offset) if self.lower else triu(ta, offset), x)
            right = -moved if tb is None else tb - moved
        return [self(a, right)]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of b, stacks broadcast."""
        a, b = input_shapes
        return [(*broadcast_dims(a[:-2], b[:-2]), *b[-2:])]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """Both halves, a unit diagonal, stacks on either side."""
        a = np.array([[2.0, 0.5, 0.3], [1.0, 3.0, 0.7], [0.5, -0.5, 1.5]])
        b = np.arange(6.0).reshape(3, 2)
        return [
            (cls(True), [a, b]),
            (cls(False), [a, b]),
            (cls(True, True), [a, b]),
            (cls(True), [np.stack([a, 2 * a]), b]),
            (cls(False), [a, np.stack([b, b + 1])]),
            (cls(True), [a, b[:, :0]]),
        ]

    def __str__(self) -> str:
        return f"solve_triangular[{'lower' if self.lower else 'upper'}]"


def solve_triangular(
    a: TensorLike,
    b: TensorLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    b_ndim: int | None = None,
) -> TensorVariable:
    """x with a x = b, where `a` is triangular and the other half of it is not looked at.

    `trans`: 0 or "N" for a, 1 or "T" for its transpose, 2 or "C" for its adjoint.
    `b_ndim`: 1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector.
    See `scipy.linalg.solve_triangular`.

    >>> solve_triangular([[2.0, 0.0], [1.0, 1.0]], [2.0, 3.0], lower=True).eval()
    array([1., 2.])
    """
    a, b = as_tensors((a, b))
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f"trans must be 0, 1, 2, 'N', 'T' or 'C', not {trans!r}")
    if trans not in (0, "N"):
        a, lower = (matrix_transpose(a) if trans in (1, "T") else _adjoint(a)), not lower
    vectors = b_ndim == 1 if b_ndim is not None else b.ndim == 1
    columns = b.expand_dims(-1) if vectors else b
    x = SolveTriangular(lower, unit_diagonal)(a, columns)
    return x.squeeze(-1) if vectors else x


class Inverse(_Floating):
    """The inverse of square matrices."""

    def infer(self, *types: Any) -> TensorType:
        """The type of x."""
        return _square(types[0], "inv")

    def impl(self, *values: Any) -> Any:
        """`numpy.linalg.inv`; LinAlgError if x is singular."""
        return np.linalg.inv(values[0])

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """-x⁻ᴴ g x⁻ᴴ."""
        adjoint = _adjoint(outputs[0])
        return [-matmul(matmul(adjoint, cotangents[0]), adjoint)]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """-x⁻¹ t x⁻¹."""
        return [-matmul(matmul(outputs[0], tangents[0]), outputs[0])]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of x."""
        return input_shapes

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """A matrix and a stack."""
        x = np.array([[2.0, 1.0], [0.5, 3.0]])
        return [(cls(), [x]), (cls(), [np.stack([x, x.T + 1])])]

    def __str__(self) -> str:
        return "inv"


def inv(x: TensorLike) -> TensorVariable:
    """The inverse of square matrices, on the last two axes. See `numpy.linalg.inv`.

    >>> inv([[2.0, 0.0], [0.0, 4.0]]).eval()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return Inverse()(x)


class Det(_Floating):
    """The determinant of square matrices."""

    def infer(self, *types: Any) -> TensorType:
        """Without the last two axes."""
        x = _square(types[0], "det")
        return TensorType(x.dtype, x.shape[:-2])

    def impl(self, *values: Any) -> Any:
        """`numpy.linalg.det`."""
        return np.linalg.det(values[0])

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """g det(x) x⁻ᴴ, for invertible x."""
        (x,), (out,), (g,) = inputs, outputs, cotangents
        factor = g * (out.conj() if out.is_complex else out)
        return [factor.expand_dims((-2, -1)) * _adjoint(inv(x))]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """Without the last two axes."""
        return [tuple(input_shapes[0][:-2])]

    @classmethod
    def examples(cls) -> list[tuple[Any, list[Any]]]:
        """A matrix, a stack, 1 by 1."""
        x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
        return [(cls(), [x]), (cls(), [np.stack([x, x.T + 1])]), (cls(), [x[:1, :1]])]

    def __str__(self) -> str:
        return "det"


def det(x: TensorLike) -> TensorVariable:
    """The determinant of square matrices, on the last two axes. See `numpy.linalg.det`.

    >>> print(det([[2.0, 1.0], [1.0, 3.0]]).eval().round(12))
    5.0
    """
    return Det()(x)
