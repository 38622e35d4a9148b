"""Systems of equations with matrices of known structure, and matrices made of their diagonals."""

from __future__ import annotations

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import arange, eye, zeros_like
from weft_tensor.ops.creation.diagonals import diagonal
from weft_tensor.ops.elementwise.comparison import ge, where
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.linalg import solve as general
from weft_tensor.ops.linalg.cholesky import cho_solve, cholesky
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import adjoint_of, diagonal_of, finite, mirrored, square_type
from weft_tensor.ops.matrices.banded import solve_banded
from weft_tensor.ops.reduction.standard import all
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.transpose import matrix_transpose

__all__ = ["inv", "solve", "toeplitz"]

_SHORT = {
    "gen": "general",
    "sym": "symmetric",
    "her": "hermitian",
    "pos": "positive definite",
}
_ASSUMED = (
    "general",
    "diagonal",
    "tridiagonal",
    "banded",
    "upper triangular",
    "lower triangular",
    "symmetric",
    "hermitian",
    "positive definite",
)


def inv(x: TensorLike, *, assume_a: str | None = None, lower: bool = False) -> TensorVariable:
    """The inverse of square matrices, on the last two axes. See `numpy.linalg.inv`.

    `assume_a` and `lower` say what they are, as for `solve`. See `scipy.linalg.inv`. Raises
    ValueError for another `assume_a`; LinAlgError, when it is computed, for a singular matrix.

    >>> inv([[2.0, 0.0], [0.0, 4.0]]).eval()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    if assume_a is None:
        return general.inv(x)
    a = as_tensor(x)
    return solve(a, eye(lengths_of(a)[-1], dtype=a.dtype), 2, assume_a=assume_a, lower=lower)


def solve(
    a: TensorLike,
    b: TensorLike,
    b_ndim: int | None = None,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    transposed: bool = False,
    check_finite: bool = False,
) -> TensorVariable:
    """x with a x = b, for square matrices `a`, on the last two axes.

    Parameters
    ----------
    a
        Square matrices.
    b
        A vector, or matrices. See `numpy.linalg.solve`.
    b_ndim
        1 if b holds vectors, 2 if matrices; by default 1 exactly for a single vector.
    assume_a
        What a is: "general" (as by default), "diagonal", "upper triangular", "lower triangular",
        "symmetric", "hermitian" or "positive definite"; or in short "gen", "sym", "her", "pos".
        Of "tridiagonal", three diagonals are read. "banded" ones are solved as general ones: see
        `solve_banded`.
    lower
        Which half is read of what is symmetric, hermitian or positive definite: by default the
        upper one. See `scipy.linalg.solve`.
    transposed
        Solve with the transpose of a.
    check_finite
        Whether NaN and infinite elements are an error when it is computed.

    Raises
    ------
    ValueError
        for another `assume_a`, and for matrices that are not square.
    LinAlgError
        when it is computed, for a singular matrix.

    Examples
    --------
    >>> solve([[2.0, 1.0], [1.0, 1.0]], [4.0, 3.0]).eval()
    array([1., 2.])
    >>> solve([[4.0, 2.0], [0.0, 5.0]], [6.0, 7.0], assume_a="pos").eval()
    array([1., 1.])
    """
    kind = _SHORT.get(assume_a or "gen", assume_a)
    if kind not in _ASSUMED:
        names = ", ".join(map(repr, _ASSUMED))
        raise ValueError(f"solve: assume_a must be one of {names}, not {assume_a!r}")
    x, right = as_tensors((a, b))
    if check_finite:
        x, right = (finite(v, "solve") for v in (x, right))
    if kind in ("general", "banded"):
        return general.solve(matrix_transpose(x) if transposed else x, right, b_ndim)
    square_type(x.type, "solve")
    if kind == "tridiagonal":
        beside = (1, -1) if transposed else (-1, 1)
        below, above = (diagonal(x, k, -2, -1) for k in beside)
        zero = zeros_like(x[..., :1, 0])
        parts = ([zero, above], [diagonal_of(x)], [below, zero])
        bands = stack([concatenate(row, -1) for row in parts], -2)
        return solve_banded((1, 1), bands, right, b_ndim)
    if kind.endswith("triangular"):
        return solve_triangular(x, right, int(transposed), kind.startswith("lower"), b_ndim=b_ndim)
    ndim = min(right.ndim, 2) if b_ndim is None else b_ndim
    if kind == "diagonal":
        values, message = diagonal_of(x), "solve: a diagonal matrix is singular"
        values = check_and_raise(values, all(values.neq(0)), np.linalg.LinAlgError, message)
        return right / (values if ndim == 1 else values.expand_dims(-1))
    if kind == "symmetric":
        rows, columns = (arange(lengths_of(x)[-1]).expand_dims(1), arange(lengths_of(x)[-1]))
        half = ge(rows, columns) if lower else ge(columns, rows)
        return general.solve(where(half, x, matrix_transpose(x)), right, ndim)
    half = x if lower else adjoint_of(x)
    if transposed:
        half = half.conj() if x.is_complex else half
    if kind == "hermitian":
        return general.solve(mirrored(half), right, ndim)
    return cho_solve((cholesky(half), True), right, ndim)


def toeplitz(c: TensorLike, r: TensorLike | None = None) -> TensorVariable:
    """The matrix that is constant along each diagonal: `c` is its first column, `r` its first row.

    By default r is the conjugate of c; its first element is not looked at. Stacks of vectors make
    stacks of matrices. See `scipy.linalg.toeplitz`.

    >>> toeplitz([1, 2, 3], [1, 4, 5]).eval()
    array([[1, 4, 5],
           [2, 1, 4],
           [3, 2, 1]])
    """
    column = as_tensor(c)
    row = as_tensor(
        column.conj() if r is None and column.is_complex else column if r is None else r
    )
    if not column.ndim or not row.ndim:
        raise ValueError("toeplitz takes vectors, or stacks of them, not numbers")
    batch = broadcast_dims(lengths_of(column)[:-1], lengths_of(row)[:-1])
    rows, columns = lengths_of(column)[-1], lengths_of(row)[-1]
    parts = (
        broadcast_to(flip(column, -1), (*batch, rows)),
        broadcast_to(row[..., 1:], (*batch, lengths_of(row[..., 1:])[-1])),
    )
    places = arange(columns) + (rows - 1 - arange(rows)).expand_dims(1)
    return take(concatenate(parts, -1), places, axis=-1)
