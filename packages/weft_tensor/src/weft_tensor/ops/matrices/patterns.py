"""Matrices whose elements are those of vectors; stacks of vectors make stacks."""

from __future__ import annotations

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.types.dtypes import promote

__all__ = [
    *("circulant", "companion", "fiedler_companion", "hankel", "khatri_rao", "leslie"),
]


def _vector(x: TensorLike, name: str) -> TensorVariable:
    vector = as_tensor(x)
    if not vector.ndim:
        raise ValueError(f"{name} takes vectors, or stacks of them, not numbers")
    return vector


def circulant(c: TensorLike) -> TensorVariable:
    """The matrix whose first column is `c`, and each further one that before, moved down by one.

    (..., n) makes (..., n, n). See `scipy.linalg.circulant`. Raises ValueError for a number.

    >>> circulant([1, 2, 3]).eval()
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    column = _vector(c, "circulant")
    n = lengths_of(column)[-1]
    k = arange(n)
    return take(column, (k.expand_dims(1) - k) % n, axis=-1)


def hankel(c: TensorLike, r: TensorLike | None = None) -> TensorVariable:
    """The matrix that is constant across each diagonal: `c` is its first column, `r` its last row.

    (..., m) and (..., n) make (..., m, n). By default r is zero; its first element is not looked
    at. See `scipy.linalg.hankel`. Raises ValueError for a number.

    >>> hankel([1, 2, 3], [0, 4]).eval()
    array([[1, 2],
           [2, 3],
           [3, 4]])
    """
    column = _vector(c, "hankel")
    row = zeros_like(column) if r is None else _vector(r, "hankel")
    batch = broadcast_dims(lengths_of(column)[:-1], lengths_of(row)[:-1])
    rows, columns = lengths_of(column)[-1], lengths_of(row)[-1]
    parts = (
        broadcast_to(column, (*batch, rows)),
        broadcast_to(row[..., 1:], (*batch, lengths_of(row[..., 1:])[-1])),
    )
    places = arange(rows).expand_dims(1) + arange(columns)
    return take(concatenate(parts, -1), places, axis=-1)


def _below(row: TensorVariable, diagonal: TensorVariable) -> TensorVariable:
    """The square matrix with this first row, and this diagonal below the main one."""
    n = lengths_of(row)[-1]
    i, j = arange(n).expand_dims(1), arange(n)
    padded = concatenate([diagonal, 0 * diagonal[..., :1]], -1) if diagonal.ndim else diagonal
    under = padded.expand_dims(-2) if diagonal.ndim else padded
    return where(eq(i, 0), row.expand_dims(-2), where(eq(i, j + 1), under, 0)).astype(row.dtype)


def companion(a: TensorLike) -> TensorVariable:
    """The matrix whose eigenvalues are the zeros of the polynomial with coefficients `a`.

    The highest power is first, and not 0. (..., n) makes (..., n - 1, n - 1). See
    `scipy.linalg.companion`. Raises ValueError for a number.

    >>> companion([1.0, -3.0, 2.0]).eval()
    array([[ 3., -2.],
           [ 1.,  0.]])
    """
    terms = _vector(a, "companion")
    terms = terms if terms.type.differentiable else terms.astype("float64")
    return _below(-terms[..., 1:] / terms[..., :1], as_tensor(1.0))


def fiedler_companion(a: TensorLike) -> TensorVariable:
    """The matrix of five diagonals whose eigenvalues are those of `companion`.

    The highest power is first, and not 0. (..., n) makes (..., n - 1, n - 1). See
    `scipy.linalg.fiedler_companion`. Raises ValueError for a number.

    >>> fiedler_companion([1.0, -6.0, 11.0, -6.0]).eval()
    array([[  6., -11.,   1.],
           [  1.,   0.,   0.],
           [  0.,   6.,   0.]])
    """
    terms = _vector(a, "fiedler_companion")
    terms = terms if terms.type.differentiable else terms.astype("float64")
    shares = -terms / terms[..., :1]
    i = arange(lengths_of(terms)[-1] - 1).expand_dims(1)
    j = i[:, 0]
    even = eq(i % 2, 0)
    ones = where(even, eq(j, i + 2), eq(j, maximum(i - 2, 0)))
    places = where(eq(j, i + 1), i + 2, i + 1)
    chosen = (even & eq(abs(j - i), 1)) | (eq(i, 0) & eq(j, 0))
    return where(chosen, take(shares, places, axis=-1, mode="clip"), ones).astype(terms.dtype)


def leslie(f: TensorLike, s: TensorLike) -> TensorVariable:
    """The matrix of a step of a population: `f` are births for each age, `s` shares that survive.

    (..., n) and (..., n - 1) make (..., n, n). See `scipy.linalg.leslie`. Raises ValueError for a
    number.

    >>> leslie([0.5, 2.0], [0.9]).eval()
    array([[0.5, 2. ],
           [0.9, 0. ]])
    """
    births, shares = (_vector(v, "leslie") for v in as_tensors((f, s)))
    return _below(births.astype(promote([births.dtype, shares.dtype])), shares)


def khatri_rao(a: TensorLike, b: TensorLike) -> TensorVariable:
    """The matrix whose columns are the Kronecker products of the columns of `a` and `b`.

    (..., m, k) and (..., n, k) make (..., m n, k). See `scipy.linalg.khatri_rao`. Raises
    ValueError for what is no matrix.

    >>> khatri_rao([[1, 2], [3, 4]], [[1, 10]]).eval()
    array([[ 1, 20],
           [ 3, 40]])
    """
    x, y = as_tensors((a, b))
    if min(x.ndim, y.ndim) < 2:
        raise ValueError(f"khatri_rao takes matrices, not {x!r} and {y!r}")
    product = x.expand_dims(-2) * y.expand_dims(-3)
    *batch, m, n, columns = lengths_of(product)
    return reshape(product, (*batch, m * n, columns))
