"""What Ops on matrices have in common; their halves and diagonals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.op import TensorOp
from weft_tensor.build.variable import Size, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, eye
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, ge, isfinite, where
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.types.dtypes import promote
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "FloatingOp",
    "SlopeOp",
    "adjoint_of",
    "diagonal_of",
    "diagonal_ones",
    "finite",
    "matrix_type",
    "mirrored",
    "on_diagonal",
    "over_gaps",
    "real_dtype",
    "shorter_length",
    "shorter_size",
    "slope_values",
    "square_examples",
    "square_type",
    "tril",
    "triu",
]


def adjoint_of(x: TensorVariable) -> TensorVariable:
    """The conjugate transpose."""
    return matrix_transpose(x.conj() if x.is_complex else x)


def _half(x: TensorVariable, name: str, condition: Callable[[Any, Any], Any]) -> TensorVariable:
    """`x` where `condition(rows, columns)` holds, else zero."""
    if x.ndim < 2:
        raise ValueError(f"{name} needs a matrix or a stack of them, not {x!r}")
    n, m = lengths_of(x)[-2:]
    return where(condition(arange(n).expand_dims(1), arange(m)), x, constant(0, x.dtype))


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


def finite(a: TensorLike, name: str) -> TensorVariable:
    """`a`; ValueError when it is computed, where there is NaN or an infinite element."""
    x = as_tensor(a)
    return check_and_raise(
        x, all(isfinite(x)), ValueError, f"{name}: array must not contain infs or NaNs"
    )


def mirrored(x: TensorVariable) -> TensorVariable:
    """The Hermitian matrix that has the lower half of x.

    >>> mirrored(as_tensor([[1, 0], [3, 4]])).eval()
    array([[1, 3],
           [3, 4]])
    """
    if x.is_complex:
        below = tril(x, -1)
        return where(on_diagonal(x), x.real, below + adjoint_of(below)).astype(x.dtype)
    n = arange(lengths_of(x)[-1])
    return where(ge(n.expand_dims(1), n), x, matrix_transpose(x))


def diagonal_ones(x: TensorVariable) -> TensorVariable:
    """The identity matrix of x's size and dtype."""
    return eye(lengths_of(x)[-1], dtype=x.dtype)


def on_diagonal(x: TensorVariable) -> TensorVariable:
    """Where the diagonal of square matrices of x's size is."""
    n = arange(lengths_of(x)[-1])
    return eq(n.expand_dims(1), n)


def diagonal_of(x: TensorVariable) -> TensorVariable:
    """The diagonal of square matrices; whatever is beside it does not matter."""
    return where(on_diagonal(x), x, constant(0, x.dtype)).sum(-1)


def over_gaps(x: TensorVariable, values: TensorVariable) -> TensorVariable:
    """x[i, j] / (values[j] - values[i]), and 0 on the diagonal.

    Where values are equal, an x that is zero stays zero, and another is divided by zero: a
    function that does not depend on what turns there has a derivative, another has none.
    """
    gaps = values.expand_dims(-2) - values.expand_dims(-1)
    nothing = eq(gaps, 0) & (eq(x, 0) | on_diagonal(x))
    return where(nothing, constant(0, x.dtype), x / where(nothing, constant(1, gaps.dtype), gaps))


def real_dtype(dtype: str) -> str:
    """That of the absolute values of numbers of a floating dtype.

    >>> real_dtype("complex64"), real_dtype("float64")
    ('float32', 'float64')
    """
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def shorter_length(m: Any, n: Any) -> Any:
    """The shorter of two lengths in a type, None if that is not known."""
    return min(m, n) if isinstance(m, int) and isinstance(n, int) else m if m == n else None


def shorter_size(m: Size, n: Size) -> Size:
    """The shorter of two lengths in a graph."""
    return m if same_size(m, n) else minimum(m, n)


def matrix_type(x: TensorType, what: str) -> TensorType:
    """The type of `x`, LinAlgError if it is no matrix nor a stack of them."""
    if x.ndim < 2:
        raise LinAlgError(f"{what} needs a matrix or a stack of them, got {x}")
    return x


def square_type(x: TensorType, what: str) -> TensorType:
    """The type of `x`, a matrix or a stack of them, LinAlgError if it is not square."""
    rows, columns = matrix_type(x, what).shape[-2:]
    if provably_differ(rows, columns) and type(rows) is type(columns):
        raise LinAlgError(f"{what} needs square matrices, got {x}")
    return x


class FloatingOp(TensorOp):
    """Ops of linear algebra: integers become float64."""

    view_of = ()

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """As tensors, of one floating dtype."""
        tensors = as_tensors(inputs)
        if any(getattr(t.type, "absorbs", False) for t in tensors):
            return tensors
        kind = promote([t.dtype for t in tensors])
        kind = kind if kind.startswith(("float", "complex")) else "float64"
        return tuple(t.astype(kind) for t in tensors)


class SlopeOp(TensorOp):
    """The derivative of an Op of linear algebra, from its results, times their cotangents.

    Each input has the axes of a stack that the others have.
    """

    view_of = ()

    @classmethod
    def applied(
        cls, fields: Sequence[Any], values: Sequence[Any], cotangents: Sequence[Any]
    ) -> list[Any]:
        """The Op of `values` and cotangents of those at their end, where None stands for zero."""
        pairs = zip(cotangents, values[len(values) - len(cotangents) :], strict=True)
        return [cls(*fields)(*values, *(y.zeros_like() if g is None else g for g, y in pairs))]


def slope_values(op: Any, values: Sequence[Any], *more: Any) -> list[Any]:
    """What the slope of an Op is of, if the Op is of `values`: `more`, results and cotangents."""
    results = op.impl(*map(np.asarray, values))
    return [*more, *results, *(np.cos(3 * y + k) for k, y in enumerate(results))]


def square_examples() -> list[np.ndarray]:
    """With real and complex eigenvalues, a stack, complex, float32, 1 by 1, without rows."""
    x = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, -1.0], [1.0, 0.2, 1.5]])
    turn = np.array([[0.0, 1.0, 0.3], [-1.0, 0.2, 0.0], [0.1, 0.0, 3.0]])
    stack = np.stack([x, turn])
    return [x, stack, x + 1j * turn, turn.astype("float32"), x[:1, :1], x[:0, :0]]
