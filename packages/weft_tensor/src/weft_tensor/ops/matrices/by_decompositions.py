"""Functions of matrices by decompositions that there are: powers, signs, angles."""

from __future__ import annotations

from math import nan

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.trigonometric import arctan
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve
from weft_tensor.ops.linalg.square import adjoint_of, diagonal_ones, matrix_type
from weft_tensor.ops.linalg.svd import svd, svdvals
from weft_tensor.ops.matrices.exponential import expm
from weft_tensor.ops.matrices.norms import matrix_rank
from weft_tensor.ops.matrices.roots import logm, sqrtm
from weft_tensor.ops.products.chains import matrix_power
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.length import lengths_of

__all__ = [
    "cdf2rdf",
    "fractional_matrix_power",
    "null_space",
    "orth",
    "signm",
    "subspace_angles",
]


def fractional_matrix_power(A: TensorLike, t: TensorLike) -> TensorVariable:
    """Square matrices, on the last two axes, to a power that may be any real number.

    A power that is a whole number is `matrix_power`, half of one that of the root, and others are
    exp(t log A): of the dtype of A, NaN where a real matrix has no real logarithm (see `logm`),
    0 for a matrix of zeros to a positive power. See
    `scipy.linalg.fractional_matrix_power`.

    >>> print(fractional_matrix_power([[4.0, 0.0], [0.0, 9.0]], 0.5).eval().round(12))
    [[2. 0.]
     [0. 3.]]
    """
    x = as_floating(A)
    if isinstance(t, (int, float)) and t == int(t):
        return matrix_power(x, int(t))
    if isinstance(t, (int, float)) and 2 * t == int(2 * t):
        return matrix_power(sqrtm(x), int(2 * t))
    power = as_tensors((x, t))[1].astype(x.real.dtype)
    is_zero = eq(abs(x).sum((-2, -1), keepdims=True), 0)
    ones = diagonal_ones(x)
    of_zeros = where(power > 0, 0, where(eq(power, 0), ones, nan)).astype(x.dtype)
    return where(is_zero, of_zeros, expm(logm(where(is_zero, ones, x)) * power))


def signm(A: TensorLike) -> TensorVariable:
    """The sign of square matrices, on the last two axes: a (a a)^(-1/2).

    Its eigenvalues are the signs of the real parts of those of a, none of which may be 0. See
    `scipy.linalg.signm`.

    >>> print(signm([[4.0, 1.0], [0.0, -9.0]]).eval().round(4))
    [[ 1.      0.1538]
     [ 0.     -1.    ]]
    """
    x = as_floating(A)
    size = stop_gradient(largest(abs(x), axis=(-2, -1), keepdims=True, initial=0))
    x = x / where(size > 0, size, 1)
    return solve(sqrtm(matmul(x, x)), x)


def subspace_angles(A: TensorLike, B: TensorLike) -> TensorVariable:
    """The angles between the spaces of the columns of two matrices, the largest first.

    On the last two axes; columns are independent, at most as many as rows, and their number is
    known. By A. V. Knyazev and M. E. Argentati, Principal angles between subspaces, 2002. See
    `scipy.linalg.subspace_angles`. Raises ValueError for an unknown number of columns.

    >>> subspace_angles([[1.0], [0.0]], [[1.0], [1.0]]).eval().round(4)
    array([0.7854])
    """
    x, y = (as_floating(v) for v in as_tensors((A, B)))
    widths = [matrix_type(v.type, "subspace_angles").shape[-1] for v in (x, y)]
    numbers = [n for n in widths if isinstance(n, int)]
    if len(numbers) < 2:
        unknown = "subspace_angles: the numbers of columns must be known before"
        raise ValueError(f"{unknown}, not {widths}: see `specify_shape`{called()}")
    u, v = qr(x)[0], qr(y)[0]
    if numbers[0] < numbers[1]:
        u, v = v, u
    common = matmul(adjoint_of(u), v)
    cosines = svdvals(common)[..., ::-1]
    sines = svdvals(v - matmul(u, common))
    return 2 * arctan(sines / (1 + cosines))


def orth(A: TensorLike, rcond: TensorLike | None = None) -> TensorVariable:
    """An orthonormal basis of what a matrix reaches, by `svd`.

    (m, n) makes (m, k), where k is how many singular values are more than `rcond` times the
    greatest. By default `rcond` is the precision of the dtype times the longer axis. Its
    derivatives are those of `svd`'s vectors. See `scipy.linalg.orth`. Raises ValueError for what
    is no matrix.

    >>> abs(orth([[1.0, 2.0], [0.0, 0.0]])).eval()
    array([[1.],
           [0.]])
    """
    x = _single(A, "orth")
    u, _, _ = svd(x, full_matrices=False)
    return u[:, : matrix_rank(x, rtol=rcond)]


def null_space(A: TensorLike, rcond: TensorLike | None = None) -> TensorVariable:
    """An orthonormal basis of what a matrix takes to 0, by `svd`.

    (m, n) makes (n, k), where k is n less the rank, which is that of `orth`. See
    `scipy.linalg.null_space`. Raises ValueError for what is no matrix.

    >>> abs(null_space([[1.0, 0.0]])).eval()
    array([[0.],
           [1.]])
    """
    x = _single(A, "null_space")
    _, _, vh = svd(x)
    return adjoint_of(vh[matrix_rank(x, rtol=rcond) :])


def _single(A: TensorLike, name: str) -> TensorVariable:
    x = as_floating(A)
    if x.ndim != 2:
        raise ValueError(f"{name} takes a matrix, not {x}{called()}")
    return x


def cdf2rdf(w: TensorLike, v: TensorLike) -> tuple[TensorVariable, TensorVariable]:
    """Real factors of what has the eigenvalues w and vectors v, in pairs that are conjugate.

    (..., n) and (..., n, n) make (..., n, n) twice: blocks of two rows for each pair, which stand
    next to each other, and columns for these. See `scipy.linalg.cdf2rdf`.

    >>> blocks, columns = cdf2rdf([2 + 1j, 2 - 1j], [[1 - 1j, 1 + 1j], [1 + 1j, 1 - 1j]])
    >>> blocks.eval().tolist(), columns.eval().tolist()
    ([[2.0, 1.0], [-1.0, 2.0]], [[1.0, 1.0], [-1.0, 1.0]])
    """
    values, vectors = as_tensor(w).expand_dims(-1), as_tensor(v)
    turn = values.imag
    columns = arange(lengths_of(vectors)[-1])
    other = columns.expand_dims(-1) + sign(turn).astype("int64")
    blocks = where(eq(columns, other), turn, 0)
    blocks = where(eq(columns, columns.expand_dims(-1)), values.real, blocks)
    return blocks, where(turn.mT > 0, -vectors.imag, vectors.real)
