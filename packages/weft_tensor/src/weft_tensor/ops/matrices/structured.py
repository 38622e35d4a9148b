"""Products, systems and matrices by their structure: of Toeplitz, circulant, of distances."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from weft_graph import OpFromGraph, Type, pullback
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange, zeros_like
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.fft.numpy_names import fft, ifft, irfft, rfft
from weft_tensor.ops.indexing.take import take
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.square import adjoint_of
from weft_tensor.ops.matrices.systems import toeplitz
from weft_tensor.ops.reduction.standard import all, max, sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.known_shape import specify_shape
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.rearrange import flip
from weft_tensor.ops.shape.transpose import matrix_transpose, moveaxis
from weft_tensor.types.dtypes import promote

__all__ = [
    "convolution_matrix",
    "dft",
    "diagsvd",
    "fiedler",
    "hadamard",
    "helmert",
    "hilbert",
    "invhilbert",
    "invpascal",
    "matmul_toeplitz",
    "pascal",
    "solve_circulant",
    "solve_toeplitz",
]


def convolution_matrix(a: TensorLike, n: SizeLike, mode: str = "full") -> TensorVariable:
    """The matrix whose product with a vector of length `n` is its convolution with `a`.

    `mode` is "full", "same" or "valid", as for `convolve`. (..., m) makes (..., k, n). See
    `scipy.linalg.convolution_matrix`. Raises ValueError for a number, and for another mode.

    >>> convolution_matrix([1, 2], 3).eval()
    array([[1, 0, 0],
           [2, 1, 0],
           [0, 2, 1],
           [0, 0, 2]])
    """
    vector = as_tensor(a)
    if not vector.ndim or mode not in ("full", "same", "valid"):
        takes = "convolution_matrix takes vectors, and mode 'full', 'same' or 'valid'"
        raise ValueError(f"{takes}, not {vector!r} and {mode!r}{called()}")
    m, columns = lengths_of(vector)[-1], as_size(n)
    extra: Any = minimum(m, columns) - 1
    begin = {"full": 0, "same": extra // 2, "valid": extra}[mode]
    rows = m + columns - 1 - {"full": 0, "same": 1, "valid": 2}[mode] * extra
    k = arange(rows).expand_dims(1) + begin - arange(columns)
    inside = (k >= 0) & (k < m)
    return where(inside, take(vector, where(inside, k, 0), -1), 0).astype(vector.dtype)


def fiedler(a: TensorLike) -> TensorVariable:
    """The matrix of the distances of all elements of `a`. See `scipy.linalg.fiedler`.

    (..., n) makes (..., n, n).

    >>> fiedler([1, 4, 12]).eval()
    array([[ 0,  3, 11],
           [ 3,  0,  8],
           [11,  8,  0]])
    """
    vector = as_tensor(a)
    return abs(vector.expand_dims(-1) - vector.expand_dims(-2))


def diagsvd(s: TensorLike, M: SizeLike, N: SizeLike) -> TensorVariable:
    """The M x N matrix with singular values on its diagonal. See `scipy.linalg.diagsvd`.

    >>> diagsvd([1, 2], 3, 2).eval()
    array([[1, 0],
           [0, 2],
           [0, 0]])
    """
    values = as_tensor(s)
    i, j = arange(as_size(M)).expand_dims(1), arange(as_size(N))
    places = minimum(i, lengths_of(values)[-1] - 1) + 0 * j
    return where(eq(i, j), take(values, places, -1), 0).astype(values.dtype)


def matmul_toeplitz(
    c_or_cr: TensorLike | tuple[TensorLike, TensorLike], x: TensorLike
) -> TensorVariable:
    """t @ x for t = `toeplitz(c)`, or `toeplitz(c, r)` of a tuple (c, r), by Fourier transforms.

    x is a vector (n,), a matrix (n, k) or a stack of them. See `scipy.linalg.matmul_toeplitz`.
    Raises ValueError for c, r that are no vectors, and for an x of another length than r, at the
    call if it is not known before.

    >>> matmul_toeplitz(([2.0, 1.0], [2.0, 0.0]), [1.0, 1.0]).eval().round(12)
    array([2., 3.])
    """
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    column = as_floating(c)
    row = column.conj() if r is None and column.is_complex else as_floating(c if r is None else r)
    if column.ndim != 1 or row.ndim != 1:
        raise ValueError(f"matmul_toeplitz takes vectors, not {column!r} and {row!r}{called()}")
    right = as_floating(x)
    rows = matrix_transpose(right) if right.ndim > 1 else right
    m, n = lengths_of(column)[0], lengths_of(row)[0]
    rows = specify_shape(rows, *[None] * (rows.ndim - 1), n)
    column, row, rows = as_tensors((column, row, rows))
    whole = concatenate([column, flip(row[1:], 0)])
    size = m + n - 1
    if column.is_complex or row.is_complex or rows.is_complex:
        product = ifft(fft(whole, size) * fft(rows, size), size)
    else:
        product = irfft(rfft(whole, size) * rfft(rows, size), size)
    product = take(product, arange(m), -1)
    return matrix_transpose(product) if right.ndim > 1 else product


def solve_circulant(
    c: TensorLike,
    b: TensorLike,
    singular: str = "raise",
    tol: TensorLike | None = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
) -> TensorVariable:
    """x with m x = b for m = `circulant(c)`, by Fourier transforms.

    Vectors lie along `caxis` and `baxis`, solutions along `outaxis`. Where an eigenvalue is at
    most `tol`, m is singular: LinAlgError at the call, or with singular="lstsq" the solution of
    least squares and least length. See `scipy.linalg.solve_circulant`. Raises ValueError for
    another `singular`.

    >>> solve_circulant([2.0, 1.0], [3.0, 3.0]).eval().round(12)
    array([1., 1.])
    """
    if singular not in ("raise", "lstsq"):
        raise ValueError(f"singular is 'raise' or 'lstsq', not {singular!r}{called()}")
    column, right = (as_floating(v) for v in as_tensors((c, b)))
    is_real = not (column.is_complex or right.is_complex)
    rows = moveaxis(right, baxis, -1)
    values = fft(moveaxis(column, caxis, -1))
    n = lengths_of(rows)[-1]
    size = abs(values)
    limit: Any = tol
    if tol is None:
        scale = n.astype(size.dtype) * float(np.finfo(size.dtype).eps)
        limit = max(size, -1, keepdims=True) * scale
    near = size <= limit
    if singular == "raise":
        message = "solve_circulant: the matrix is singular"
        values = check_and_raise(values, all(~near), np.linalg.LinAlgError, message)
        share = fft(rows) / values
    else:
        share = where(near, 0, fft(rows) / where(near, 1, values))
    x = ifft(share)
    return moveaxis(x.real if is_real else x, -1, outaxis)


def _constant(name: str, n: int, *args: Any, **kwargs: Any) -> TensorVariable:
    """A matrix of SciPy's."""
    if not isinstance(n, (int, np.integer)):
        raise TypeError(f"{name} takes an int: it has no variables, not {n!r}{called()}")
    return constant(lazy_import(f"scipy.linalg.{name}")(int(n), *args, **kwargs))


def dft(n: int, scale: str | None = None) -> TensorVariable:
    """The matrix of the discrete Fourier transform, of n points. See `scipy.linalg.dft`.

    `scale` is None, "sqrtn" or "n". Raises TypeError if n is no int, as others here do.

    >>> dft(2).eval().round(12).real
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    return _constant("dft", n, scale)


def hadamard(n: int, dtype: Any = int) -> TensorVariable:
    """Hadamard's matrix of ones and minus ones, for n a power of 2. See `scipy.linalg.hadamard`.

    >>> hadamard(2).eval()
    array([[ 1,  1],
           [ 1, -1]])
    """
    return _constant("hadamard", n, dtype)


def helmert(n: int, full: bool = False) -> TensorVariable:
    """Helmert's matrix of contrasts: n - 1 rows, or n with `full`. See `scipy.linalg.helmert`.

    >>> helmert(2).eval().round(4)
    array([[ 0.7071, -0.7071]])
    """
    return _constant("helmert", n, full)


def hilbert(n: int) -> TensorVariable:
    """Hilbert's matrix 1 / (i + j + 1). See `scipy.linalg.hilbert`.

    >>> hilbert(2).eval().round(4)
    array([[1.    , 0.5   ],
           [0.5   , 0.3333]])
    """
    return _constant("hilbert", n)


def invhilbert(n: int, exact: bool = False) -> TensorVariable:
    """The inverse of Hilbert's matrix. See `scipy.linalg.invhilbert`.

    >>> invhilbert(2).eval()
    array([[ 4., -6.],
           [-6., 12.]])
    """
    return _constant("invhilbert", n, exact)


def pascal(n: int, kind: str = "symmetric", exact: bool = True) -> TensorVariable:
    """Pascal's matrix of binomial coefficients: "symmetric", "lower" or "upper".

    See `scipy.linalg.pascal`.

    >>> pascal(3, "lower").eval().astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 2, 1]])
    """
    return _constant("pascal", n, kind, exact)


def invpascal(n: int, kind: str = "symmetric", exact: bool = True) -> TensorVariable:
    """The inverse of Pascal's matrix. See `scipy.linalg.invpascal`.

    >>> invpascal(2, "lower").eval().astype(int)
    array([[ 1,  0],
           [-1,  1]])
    """
    return _constant("invpascal", n, kind, exact)


def solve_toeplitz(
    c_or_cr: TensorLike | tuple[TensorLike, TensorLike], b: TensorLike
) -> TensorVariable:
    """x with t x = b for t = `toeplitz(c)`, or `toeplitz(c, r)` of a tuple (c, r).

    c and r are vectors (..., n), or stacks of them, b is a vector (n,), or (..., n, k). Each step
    solves the system of one row more (N. Levinson, The Wiener RMS error criterion in filter design
    and prediction, 1946), and divides by the determinants of all leading blocks: where one is 0 the
    result is NaN or infinite, though `solve` may have one. See `scipy.linalg.solve_toeplitz`.
    Raises ValueError for numbers.

    >>> print(solve_toeplitz(([2.0, 1.0], [2.0, 0.0]), [2.0, 3.0]).eval())
    [1. 1.]
    """
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    column, right = as_floating(c), as_floating(b)
    row = column.conj() if r is None else as_floating(r)
    for v in (column, row, right):
        if not v.ndim:
            raise ValueError(f"solve_toeplitz takes vectors, not the number {v!r}{called()}")
    dtype = promote([v.dtype for v in (column, row, right)])
    column, row, right = (v.astype(dtype) for v in (column, row, right))
    columns = right.expand_dims(-1) if right.ndim == 1 else right
    batch = lengths_of(toeplitz(column, row))[:-2]
    columns = broadcast_to(columns, (*batch, *lengths_of(columns)[-2:])) if batch else columns
    found: TensorVariable = _levinson((column.type, row.type, columns.type))(column, row, columns)
    return found[..., 0] if right.ndim == 1 else found


@lru_cache(maxsize=256)
def _levinson(types: Sequence[Type]) -> OpFromGraph:
    """The Op that takes a first column, a first row and the right-hand sides."""
    free: list[Any] = [kind() for kind in types]
    return OpFromGraph(free, _solved(*free), "solve_toeplitz", _pullback)


def _pullback(inputs: Any, outputs: Any, cotangents: Any) -> list[TensorVariable]:
    """Of x = t⁻¹ b: that of b is the solution with tᴴ, that of t is -tᴴ⁻¹ xˉ xᴴ."""
    (column, row, b), (x,), (of_x,) = inputs, outputs, cotangents
    turned = concatenate([column[..., :1], row[..., 1:]], -1).conj(), column.conj()
    of_b = _levinson((row.type, column.type, b.type))(*turned, of_x)
    of_matrix = -matmul(of_b, adjoint_of(x))
    by_diagonal = _diagonal_sums((column.type, row.type, of_matrix.type))
    return [*by_diagonal(column, row, of_matrix), of_b]


@lru_cache(maxsize=256)
def _diagonal_sums(types: Sequence[Type]) -> OpFromGraph:
    """The Op that brings what the elements have to the first column and row, though they be one."""
    column, row, of_matrix = free = [kind() for kind in types]
    return OpFromGraph(free, pullback(toeplitz(column, row), [column, row], of_matrix))


class _Solved(NamedTuple):
    """Of the leading block: what makes a first and a last unit vector, and the right-hand side."""

    first: Any
    last: Any
    x: Any


def _solved(column: TensorVariable, row: TensorVariable, b: TensorVariable) -> TensorVariable:
    n = lengths_of(column)[-1]
    y, unit = b.mT, eq(arange(n), 0)
    along = concatenate([row[..., 1:], zeros_like(row[..., :1])], -1)
    back = concatenate([column[..., ::-1], zeros_like(column)], -1)

    def step(m: TensorVariable, state: _Solved) -> _Solved:
        before = back[..., n - 1 - m : 2 * n - 1 - m]
        off_first = sum(before * state.first, -1, keepdims=True)
        off_last = sum(along * state.last, -1, keepdims=True)
        moved = concatenate([zeros_like(along[..., :1]), state.last[..., :-1]], -1)
        scale = 1 / (1 - off_first * off_last)
        first = scale * (state.first - off_first * moved)
        last = scale * (moved - off_last * state.first)
        left = y[..., m] - sum(before.expand_dims(-2) * state.x, -1)
        return _Solved(first, last, state.x + left.expand_dims(-1) * last.expand_dims(-2))

    alone = where(unit, 1 / column[..., :1], 0)
    found: _Solved = fori_loop(
        1, n, step, _Solved(alone, alone, where(unit, y[..., :1], 0) * alone.expand_dims(-2))
    )
    return found.x.mT
