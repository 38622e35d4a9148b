"""Functions of matrices by decompositions that there are: powers, signs, angles, equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.trigonometric import arctan
from weft_tensor.ops.linalg.eigh import eigh
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve
from weft_tensor.ops.linalg.square import adjoint_of, square_type
from weft_tensor.ops.linalg.svd import svd, svdvals
from weft_tensor.ops.matrices.exponential import expm
from weft_tensor.ops.matrices.norms import matrix_rank
from weft_tensor.ops.matrices.riccati import ContinuousRiccati
from weft_tensor.ops.matrices.roots import logm, sqrtm
from weft_tensor.ops.products.chains import matrix_power
from weft_tensor.ops.reduction.standard import max, sum
from weft_tensor.ops.shape.length import lengths_of

__all__ = [
    "cdf2rdf",
    "fractional_matrix_power",
    "null_space",
    "orth",
    "pinvh",
    "signm",
    "solve_continuous_are",
    "subspace_angles",
]


def fractional_matrix_power(A: TensorLike, t: TensorLike) -> TensorVariable:
    """Square matrices, on the last two axes, to a power that may be any real number.

    A power that is a whole number is `matrix_power`, others are exp(t log A): of the dtype of A,
    NaN where a real matrix has no real logarithm (see `logm`). See
    `scipy.linalg.fractional_matrix_power`.

    >>> print(fractional_matrix_power([[4.0, 0.0], [0.0, 9.0]], 0.5).eval().round(12))
    [[2. 0.]
     [0. 3.]]
    """
    x = as_floating(A)
    if isinstance(t, (int, float)) and t == int(t):
        return matrix_power(x, int(t))
    power = as_tensors((x, t))[1]
    return expm(logm(x) * power.astype(x.real.dtype))


def signm(A: TensorLike) -> TensorVariable:
    """The sign of square matrices, on the last two axes: a (a a)^(-1/2).

    Its eigenvalues are the signs of the real parts of those of a, none of which may be 0. See
    `scipy.linalg.signm`.

    >>> print(signm([[4.0, 1.0], [0.0, -9.0]]).eval().round(4))
    [[ 1.      0.1538]
     [ 0.     -1.    ]]
    """
    x = as_floating(A)
    return solve(sqrtm(matmul(x, x)), x)


def pinvh(
    a: TensorLike,
    atol: TensorLike | None = None,
    rtol: TensorLike | None = None,
    lower: bool = True,
    return_rank: bool = False,
) -> Any:
    """The pseudoinverse of Hermitian matrices, on the last two axes, from one half of each.

    Eigenvalues whose size is at most `atol`, by default 0, plus `rtol` times the largest one count
    as zero; `rtol` is by default the number of rows times what the dtype resolves. With
    `return_rank` comes the number of the others, too. See `scipy.linalg.pinvh`.

    >>> print(pinvh([[2.0, 0.0], [0.0, 0.0]]).eval())
    [[0.5 0. ]
     [0.  0. ]]
    """
    x = as_floating(a)
    values, vectors = eigh(x, "L" if lower else "U")
    size = abs(values)
    share: Any = rtol
    if rtol is None:
        n = lengths_of(x)[-1].astype(size.dtype)
        share = 0.0 if atol is not None else n * float(np.finfo(size.dtype).eps)
    limit = max(size, -1, keepdims=True) * share + (0.0 if atol is None else atol)
    counts = size > limit
    inverses = where(counts, 1 / where(counts, values, 1.0), 0.0).astype(values.dtype)
    result = matmul(vectors * inverses.expand_dims(-2), adjoint_of(vectors))
    return (result, sum(counts, -1)) if return_rank else result


def subspace_angles(A: TensorLike, B: TensorLike) -> TensorVariable:
    """The angles between the spaces of the columns of two matrices, the largest first.

    On the last two axes; columns are independent, at most as many as rows, and their number is
    known. By A. V. Knyazev and M. E. Argentati, Principal angles between subspaces, 2002. See
    `scipy.linalg.subspace_angles`. Raises ValueError for an unknown number of columns.

    >>> subspace_angles([[1.0], [0.0]], [[1.0], [1.0]]).eval().round(4)
    array([0.7854])
    """
    x, y = (as_floating(v) for v in as_tensors((A, B)))
    widths = x.type.shape[-1], y.type.shape[-1]
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


def solve_continuous_are(
    a: TensorLike,
    b: TensorLike,
    q: TensorLike,
    r: TensorLike,
    e: None = None,
    s: TensorLike | None = None,
) -> TensorVariable:
    """x with aᴴ x + x a - (x b + s) r⁻¹ (bᴴ x + sᴴ) + q = 0, which makes a feedback stable.

    The continuous algebraic Riccati equation; q and r are symmetric, or Hermitian; s is 0 by
    default. On the last two axes. See `scipy.linalg.solve_continuous_are`. Raises ValueError for
    an `e`, and LinAlgError, at the call, where no solution is stable.

    >>> solve_continuous_are([[0.0]], [[1.0]], [[1.0]], [[1.0]]).eval().round(12)
    array([[1.]])
    """
    if e is not None:
        raise ValueError(f"solve_continuous_are: e is None: multiply by its inverse{called()}")
    x, control, h, weight = (as_floating(v) for v in as_tensors((a, b, q, r)))
    square_type(x.type, "solve_continuous_are")
    h, weight = ((v + adjoint_of(v)) / 2 for v in (h, weight))
    if s is not None:
        cross = solve(weight, adjoint_of(as_floating(s)))
        x, h = x - matmul(control, cross), h - matmul(as_floating(s), cross)
    g = matmul(control, solve(weight, adjoint_of(control)))
    return ContinuousRiccati()(x, g, h)


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
