"""Some eigenvalues of symmetric and Hermitian matrices, and singular values, by products alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import abs, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.complex import conj, imag, of_parts, real
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.sort import argsort
from weft_tensor.ops.indexing.take import take_along_axis
from weft_tensor.ops.linalg.lu import lu_factor, lu_solve
from weft_tensor.ops.linalg.svd import svd
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.sparse.construction import coo_array, eye_array
from weft_tensor.ops.sparse.linalg.generalized import Reduced
from weft_tensor.ops.sparse.linalg.lanczos import (
    WHICH,
    found,
    spread,
    unit_of,
    with_a_missed_one,
)
from weft_tensor.ops.sparse.linalg.least_residuals import minres_steps
from weft_tensor.ops.sparse.linalg.operators import LinearOperator, aslinearoperator, in_dtype
from weft_tensor.ops.sparse.solving import spsolve

__all__ = ["eigsh", "lobpcg", "svds"]

_VMAP: Final = "weft_tensor.batching.functions.vmap"


def eigsh(
    A: Any,  # SciPy's name
    k: int = 6,
    which: str = "LM",
    v0: TensorLike | None = None,
    ncv: int | None = None,
    maxiter: SizeLike | None = None,
    tol: float = 0.0,
    return_eigenvectors: bool = True,
    *,
    M: Any = None,
    sigma: TensorLike | None = None,
    OPinv: Any = None,
) -> Any:
    """Some eigenvalues of a symmetric or Hermitian matrix, ascending, and vectors, as columns.

    Of `A x = w x`, or `A x = w M x`. By Lanczos' method with thick restarts (Wu and Simon, 2000)
    and full orthogonalization, which multiplies one vector by A at a time. Derivatives, in both
    modes, are those of the implicit function theorem, by `minres`, and hold for eigenvalues that
    differ from all others. The component of largest size of a vector is positive, and of a complex
    one real. See `scipy.sparse.linalg.eigsh`.

    Parameters
    ----------
    A
        A matrix, dense or sparse, or a `LinearOperator`.
    k
        How many.
    which
        "LM" and "SM" for those that are largest and smallest in size, "LA" and "SA" for the
        greatest and least, "BE" for half of them from each end. "SM" looks once more, for one that
        the first search may have missed.
    v0
        Where to begin: by default at numbers that look random, always the same.
    ncv
        How many vectors make a space: 2 k + 1 by default, and at least 20.
    maxiter
        How many spaces are made at most: 10 for each row by default.
    tol
        It ends where errors are at most this share of the eigenvalues, or of rounding.
    return_eigenvectors
        Whether vectors are returned, too.
    M
        A positive matrix, dense or sparse, of which a dense factor is made; `x @ M @ x` is 1.
    sigma
        The eigenvalues around this number, which is none of them: `which` is of `1 / (w - sigma)`,
        so that "LM" has those that are nearest. By the inverse of `A - sigma I`: factors of a
        sparse matrix are made on the host, once; those of a dense one are dense.
    OPinv
        That inverse, or that of `A - sigma M`, where it is known, as a matrix or operator.

    Raises
    ------
    TypeError
        for complex numbers and `M`, for a function, whose shape is not known, and for `sigma` and
        a `LinearOperator` without `OPinv`.
    ValueError
        for another `which`, and for `k` or `ncv` that do not go together.
    ArithmeticError
        when called, if `maxiter` spaces do not do.

    Examples
    --------
    >>> w, v = eigsh(np.diag([1.0, 5.0, 3.0, 2.0]), k=2)
    >>> w.eval().round(6), abs(v).eval().round(6).T
    (array([3., 5.]), array([[0., 0., 1., 0.],
           [0., 1., 0., 0.]]))
    >>> eigsh(np.diag([1.0, 5.0, 3.0, 2.0]), k=2, sigma=2.2)[0].eval().round(6)
    array([2., 3.])
    """
    if M is not None:
        lowered = Reduced.of(A, M, _real(aslinearoperator(A), "eigsh with M").dtype)
        known = None if sigma is None else lowered.inverse(A, M, sigma, OPinv)
        first = lowered.started(v0)
        values, reduced = eigsh(
            *(lowered.operator, k, which, first, ncv, maxiter, tol), sigma=sigma, OPinv=known
        )
        return (values, lowered.vectors(reduced)) if return_eigenvectors else values
    operator = _floating(aslinearoperator(A))
    if which not in WHICH:
        raise ValueError(f"eigsh: which is one of {', '.join(WHICH)}, not {which!r}{called()}")
    n = static_length(operator.shape[0])
    m = max(2 * k + 1, 20) if ncv is None else ncv
    if isinstance(n, int):
        if not 1 <= k <= n:
            raise ValueError(f"eigsh: k is 1 to {n}, as there are rows, not {k}{called()}")
        m = min(m, n)
    if not 1 <= k <= m or (k == m and m != n):
        raise ValueError(f"eigsh: ncv is more than k, {k}, not {m}{called()}")
    length = operator.shape[0]
    start = spread(length, 1) if v0 is None else as_tensor(v0)
    most = 10 * length if maxiter is None else as_tensor(maxiter)
    searched = operator if sigma is None else _inverse(A, operator, sigma, OPinv)
    values, vectors, is_found = found(searched, k, m, WHICH[which], start, most, tol)
    text = "eigsh has not found all eigenvalues: raise ncv or maxiter, or tol"
    values = check_and_raise(values, is_found, ArithmeticError, text)
    if which == "SM":
        values, vectors = with_a_missed_one(searched, values, vectors, m, start, most, tol)
    if sigma is not None:
        values = as_tensor(sigma).astype(values.dtype) + 1 / values
        order = argsort(values)
        values, vectors = index(values, order), index(vectors, order)
    by = lazy_import(_VMAP)(lambda v, x: _followed(operator, v, x))
    followed, negative = by(vectors, -values)
    return (-negative, followed.T) if return_eigenvectors else -negative


def lobpcg(
    A: Any,  # SciPy's names
    X: TensorLike,
    B: Any = None,
    M: Any = None,
    Y: TensorLike | None = None,
    tol: float | None = None,
    maxiter: SizeLike | None = None,
    largest: bool = True,
) -> tuple[TensorVariable, TensorVariable]:
    """The greatest eigenvalues of a symmetric matrix, as many as X has columns, descending.

    Or, not `largest`, the least, ascending. They are found as `eigsh` finds them, from the first
    column of X on, with its errors and derivatives. `B` is its `M`; a preconditioner `M`, which
    SciPy's needs to be fast, is taken and not used. See `scipy.sparse.linalg.lobpcg`. Raises
    ValueError where the number of columns is not known, and for constraints `Y`.

    >>> lobpcg(np.diag([1.0, 5.0, 3.0, 2.0]), np.ones((4, 2)))[0].eval().round(6)
    array([5., 3.])
    """
    start = as_tensor(X)
    k = static_length(lengths_of(start)[1]) if start.ndim == 2 else None
    if not isinstance(k, int):
        raise ValueError(f"lobpcg: X is a matrix with a known number of columns{called()}")
    if Y is not None:
        raise ValueError(f"lobpcg: constraints Y are not here: take them out of A{called()}")
    which = "LA" if largest else "SA"
    values, vectors = eigsh(A, k, which, start[:, 0], maxiter=maxiter, tol=tol or 0.0, M=B)
    return (values[::-1], vectors[:, ::-1]) if largest else (values, vectors)


def svds(
    A: Any,  # SciPy's name
    k: int = 6,
    which: str = "LM",
    v0: TensorLike | None = None,
    ncv: int | None = None,
    maxiter: SizeLike | None = None,
    tol: float = 0.0,
    return_singular_vectors: bool = True,
) -> Any:
    """The k largest singular values ("LM") or smallest ("SM"), ascending: u, s and the rows of vh.

    By eigenvectors of `A.T @ A`, or of `A @ A.T` if that is known to be smaller, as `eigsh` finds
    them, and the few singular values of A times these. Without vectors, values are roots of
    eigenvalues: of those below 1e-8 of the largest, no digit is right. Arguments, errors and
    derivatives are those of `eigsh`. See `scipy.sparse.linalg.svds`.

    >>> u, s, vh = svds([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]], k=1)
    >>> abs(u).eval().round(6).T, s.eval().round(6), abs(vh).eval().round(6)
    (array([[1., 0., 0.]]), array([3.]), array([[1., 0.]]))
    """
    if which not in ("LM", "SM"):
        raise ValueError(f"svds: which is 'LM' or 'SM', not {which!r}{called()}")
    operator = _real(aslinearoperator(A), "svds")
    m, n = map(static_length, operator.shape)
    wide = isinstance(m, int) and isinstance(n, int) and m < n
    first = operator.T if wide else operator
    which = "LA" if which == "LM" else "SA"
    start = (spread(first.shape[1], 1) if v0 is None else as_tensor(v0)).astype(first.dtype)
    unit = unit_of(first, start)
    scaled = first * (1 / unit)
    squares, right = eigsh(scaled.T @ scaled, k, which, start, ncv, maxiter, tol)
    if not return_singular_vectors:
        return sqrt(where(squares > 0, squares, 0)) * unit
    left, s, turn = svd(first @ right, full_matrices=False)
    left, s, right = left[:, ::-1], s[::-1], right @ turn[::-1].T
    sizes = abs(stop_gradient(right))
    top = take_along_axis(right, argmax(sizes, axis=0, keepdims=True), 0)
    sign = where(top < 0, -1, 1).astype(s.dtype)
    left, right = left * sign, right * sign
    return (right, s, left.T) if wide else (left, s, right.T)


def _real(operator: LinearOperator, name: str) -> LinearOperator:
    if operator.dtype.startswith("complex"):
        raise TypeError(f"{name} takes a matrix of real numbers, not {operator.dtype}{called()}")
    return _floating(operator)


def _floating(operator: LinearOperator) -> LinearOperator:
    kind = operator.dtype
    return in_dtype(operator, kind if kind.startswith(("float", "complex")) else "float64")


def _inverse(A: Any, operator: LinearOperator, sigma: TensorLike, known: Any) -> LinearOperator:
    """What multiplies by the inverse of `A - sigma I`."""
    kind, n = operator.dtype, operator.shape[0]
    if known is not None:
        return in_dtype(aslinearoperator(known), kind)
    if isinstance(A, LinearOperator):
        raise TypeError(f"eigsh: sigma takes a matrix, or OPinv, the inverse{called()}")
    by = as_tensor(sigma).astype(kind)
    if hasattr(A, "tocoo"):
        a = coo_array(A)
        shifted = a.astype(kind) - eye_array(n, dtype=kind) * by
        return LinearOperator((n, n), lambda v: spsolve(shifted, v), dtype=kind)
    matrix = as_tensor(A).astype(kind)
    factors = lu_factor(matrix - by * eye(n, dtype=kind))
    return LinearOperator((n, n), lambda v: lu_solve(factors, v), dtype=kind)


def _followed(
    operator: LinearOperator, vector: TensorVariable, negative: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """A vector of length 1 with `A v + negative v = 0`, with derivatives of both.

    A complex vector is its real and its imaginary part. Of those that are turned in the complex
    plane, it is the one that is not, for which a further unknown keeps the system symmetric; it is
    then turned so that its largest component is positive.
    """
    is_complex = vector.is_complex
    product = _of_parts(operator) if is_complex else operator.matvec
    first = stop_gradient(_parts(vector) if is_complex else vector)
    turned = stop_gradient(_parts(1j * vector)) if is_complex else first

    def residual(at: Any) -> Any:
        v, by = at
        below = [(v @ v - 1) / 2, turned @ v]
        above = product(v) + by[0] * v
        if not is_complex:
            return above, stack(below[:1])
        return above + by[1] * turned, stack(below)

    def solve(g: Callable[[Any], Any], y: Any) -> Any:
        n = lengths_of(y[0])[0]
        side = concatenate([y[0], y[1]])

        def bordered(u: Any) -> TensorVariable:
            return concatenate([*g((u[:n], u[n:]))])

        limit = (100 * float(np.finfo(side.dtype).eps)) ** 2 * (side @ side)
        steps = 4 * n + 20
        v = minres_steps(bordered, lambda v: v, side, side * 0, limit, steps).x
        return v[:n], v[n:]

    by = stop_gradient(negative)
    solution, last = custom_root(
        residual,
        (first, stack([by, 0 * by]) if is_complex else stack([by])),
        lambda f, v: v,
        lambda g, y: custom_linear_solve(g, y, solve, symmetric=True),
    )
    if not is_complex:
        return solution, last[0]
    v = _joined(solution)
    largest = index(v, argmax(abs(v)))
    return v * (conj(largest) / abs(largest)), last[0]


def _parts(v: TensorVariable) -> TensorVariable:
    return concatenate([real(v), imag(v)])


def _joined(v: TensorVariable) -> TensorVariable:
    n = lengths_of(v)[0] // 2
    return of_parts(v[:n], v[n:])


def _of_parts(operator: LinearOperator) -> Callable[[Any], TensorVariable]:
    """A Hermitian operator as a symmetric one of real and imaginary parts."""
    return lambda v: _parts(operator.matvec(_joined(v)))
