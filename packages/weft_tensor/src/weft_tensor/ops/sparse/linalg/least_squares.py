"""Least squares by products with a matrix and its transpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.ifelse import ifelse
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.sparse.linalg.least_residuals import minres_steps
from weft_tensor.ops.sparse.linalg.lsmr_steps import LsmrState, lsmr_begun, lsmr_step
from weft_tensor.ops.sparse.linalg.lsqr_steps import LsqrState, lsqr_begun, lsqr_step
from weft_tensor.ops.sparse.linalg.operators import LinearOperator, aslinearoperator, in_dtype
from weft_tensor.types.dtypes import promote

__all__ = ["LsmrResult", "LsqrResult", "lsmr", "lsqr"]


class LsqrResult(NamedTuple):
    """What `lsqr` returns."""

    x: TensorVariable
    istop: TensorVariable
    """Why it ended: 1 for a system that is solved, 2 for squares that are the least, 3 for a matrix
    that seems singular; 4, 5 and 6 for these as far as rounding lets; 7 for too few steps."""
    itn: TensorVariable
    r1norm: TensorVariable
    """The norm of `b - A x`."""
    r2norm: TensorVariable
    """That with `damp`."""
    anorm: TensorVariable
    acond: TensorVariable
    arnorm: TensorVariable
    xnorm: TensorVariable


class LsmrResult(NamedTuple):
    """What `lsmr` returns."""

    x: TensorVariable
    istop: TensorVariable
    """As that of `lsqr`."""
    itn: TensorVariable
    normr: TensorVariable
    normar: TensorVariable
    norma: TensorVariable
    conda: TensorVariable
    normx: TensorVariable


def lsqr(
    A: Any,  # SciPy's name
    b: TensorLike,
    damp: TensorLike = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: SizeLike | None = None,
    x0: TensorLike | None = None,
) -> LsqrResult:
    """The x with the least `|b - A x|**2 + damp**2 |x|**2`; of several, the shortest.

    By Paige and Saunders (LSQR, 1982). Derivatives, in both modes, are those of such an x where A
    has full rank, or `damp` is not 0: solutions of such systems, too. With `x0`, it is the
    difference from it that is damped and short. See `scipy.sparse.linalg.lsqr`, which returns one
    number more for each unknown (`var`).

    Parameters
    ----------
    A
        A matrix, dense or sparse, or a `LinearOperator`, of real numbers.
    b
        A vector.
    damp
        A number.
    atol, btol
        It ends where the residual is orthogonal to what A reaches, up to the share `atol`, or
        where it is within the shares `btol` of b and `atol` of `A x`.
    conlim
        It ends where the condition of A seems to be larger.
    iter_lim
        How many steps are made at most: two for each unknown by default.
    x0
        Where to begin: by default at zero.

    Raises
    ------
    TypeError
        for complex numbers, and for a function, whose shape is not known.
    ValueError
        if b is no vector, or A no matrix.

    Examples
    --------
    >>> found = lsqr([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0], atol=1e-12, btol=1e-12)
    >>> found.x.eval().round(6), found.istop.eval().item()
    (array([1., 2.]), 1)
    """
    operator, side, start = _prepared("lsqr", A, b, x0)
    state: LsqrState
    state, istop, change = _solved(
        (lsqr_begun, lsqr_step), operator, side, damp, (atol, btol, conlim), iter_lim
    )
    x = change if start is None else start + change
    xnorm = sqrt(x @ x)
    norms = (state.r1norm, state.normr, state.norma, state.conda, state.normar)
    return LsqrResult(x, istop, state.itn, *norms, xnorm)


def lsmr(
    A: Any,  # SciPy's name
    b: TensorLike,
    damp: TensorLike = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: SizeLike | None = None,
    x0: TensorLike | None = None,
) -> LsmrResult:
    """The x of `lsqr`, by steps after which `A.T @ (b - A x)` is never larger than before.

    By Fong and Saunders (LSMR, 2011). Arguments, errors and derivatives are those of `lsqr`; one
    step for each row or column, of which there are fewer, is made at most by default. See
    `scipy.sparse.linalg.lsmr`.

    >>> found = lsmr([[2.0, 0.0], [0.0, 4.0]], [1.0, 2.0])
    >>> found.x.eval().round(6), found.istop.eval().item()
    (array([0.5, 0.5]), 1)
    """
    operator, side, start = _prepared("lsmr", A, b, x0)
    most = minimum(*operator.shape) if maxiter is None else maxiter
    state: LsmrState
    state, istop, change = _solved(
        (lsmr_begun, lsmr_step), operator, side, damp, (atol, btol, conlim), most
    )
    x = change if start is None else start + change
    norms = (state.normr, state.normar, state.norma, state.conda)
    return LsmrResult(x, istop, state.itn, *norms, sqrt(x @ x))


def _prepared(
    name: str, A: Any, b: TensorLike, x0: TensorLike | None
) -> tuple[LinearOperator, TensorVariable, TensorVariable | None]:
    """The matrix, the side that is left of it at `x0`, and that."""
    given, side = aslinearoperator(A), as_tensor(b)
    kind = promote([given.dtype, side.dtype])
    if kind.startswith("complex"):
        raise TypeError(f"{name} takes real numbers, not {kind}{called()}")
    kind = kind if kind.startswith("float") else "float64"
    operator = in_dtype(given, kind)
    start = None if x0 is None else as_tensor(x0).astype(kind)
    for what, vector in (("b", side), ("x0", start)):
        if vector is not None and vector.ndim != 1:
            raise ValueError(f"{name}: {what} must be a vector, not {vector!r}{called()}")
    side = side.astype(kind)
    return operator, side if start is None else side - operator.matvec(start), start


def _solved(
    steps: tuple[Callable[..., Any], Callable[..., Any]],
    operator: LinearOperator,
    b: TensorVariable,
    damp: TensorLike,
    limits: tuple[float, float, float],
    most: Any,
) -> tuple[Any, TensorVariable, TensorVariable]:
    begun, step = steps
    n = operator.shape[1]
    most = 2 * n if most is None else as_tensor(most)
    damping = as_tensor(damp).astype(b.dtype)
    size = sqrt(b @ b)
    first = begun(operator, b)

    def going(s: Any) -> Any:
        return (s.itn < most) & ~_ended(s, size, limits)[0]

    end = while_loop(going, lambda s: step(s, operator, damping), first)
    reason = where(end.itn > 0, _ended(end, size, limits)[1], where(first.normar > 0, 7, 0))
    return end, reason, _followed(operator, stop_gradient(end.x), b, damping)


def _ended(
    s: Any, size: TensorVariable, limits: tuple[float, float, float]
) -> tuple[TensorVariable, TensorVariable]:
    """Whether to make no further step, and why, in SciPy's numbers."""
    atol, btol, conlim = limits
    eps = float(np.finfo(size.dtype).eps)
    least = 1 / conlim if conlim > 0 else 0.0
    reached = quotient(s.norma * s.normx, size)
    of_system = quotient(s.normr, size)
    of_squares = quotient(s.normar, s.norma * s.normr)
    of_matrix = quotient(s.conda * 0 + 1, s.conda)
    why = as_tensor(7)
    for number, holds in (
        (6, of_matrix <= eps),
        (5, of_squares <= eps),
        (4, of_system <= eps * (1 + reached)),
        (3, of_matrix <= least),
        (2, of_squares <= atol),
        (1, of_system <= btol + atol * reached),
    ):
        why = where(holds, number, why)
    nothing = s.normar <= 0
    return nothing | ((s.itn > 0) & (why < 7)), where(nothing & (why > 6), 2, why)


def _followed(
    operator: LinearOperator, x: TensorVariable, b: TensorVariable, damp: TensorVariable
) -> TensorVariable:
    """`x`, with the derivatives of the shortest solution of least squares."""
    m, n = operator.shape
    rows, columns = static_length(m), static_length(n)
    if isinstance(rows, int) and isinstance(columns, int):
        follow = _of_columns if rows >= columns else _of_rows
        return follow(operator, x, b, damp)
    return ifelse(m >= n, _of_columns(operator, x, b, damp), _of_rows(operator, x, b, damp))


def _of_columns(
    operator: LinearOperator, x: TensorVariable, b: TensorVariable, damp: TensorVariable
) -> TensorVariable:
    """Where `A.T (A x - b) + damp**2 x = 0` has one solution."""

    def residual(v: Any) -> TensorVariable:
        return operator.rmatvec(operator.matvec(v) - b) + damp**2 * v

    root: TensorVariable = custom_root(residual, x, lambda f, v: v, _symmetric)
    return root


def _of_rows(
    operator: LinearOperator, x: TensorVariable, b: TensorVariable, damp: TensorVariable
) -> TensorVariable:
    """Where `x = A.T z`, and `A x + damp**2 z = b` has one solution."""

    def residual(at: Any) -> Any:
        v, z = at
        return v - operator.rmatvec(z), operator.matvec(v) + damp**2 * z - b

    def solve(g: Callable[[Any], Any], y: Any) -> Any:
        none = zeros(lengths_of(y[0]), y[0].dtype)

        def square(z: Any) -> TensorVariable:
            product: TensorVariable = g((-g((none, z))[0], z))[1]
            return product

        along = g((y[0], zeros(lengths_of(y[1]), y[1].dtype)))[1]
        z = _symmetric(square, y[1] - along)
        return y[0] - g((none, z))[0], z

    def products(z: Any) -> TensorVariable:
        return operator.matvec(operator.rmatvec(z)) + damp**2 * z

    begin = (x, stop_gradient(_least(products, b)))
    root: TensorVariable = custom_root(residual, begin, lambda f, v: v, solve)[0]
    return root


def _symmetric(g: Callable[[Any], Any], y: Any) -> TensorVariable:
    solution: TensorVariable = custom_linear_solve(g, y, _least, symmetric=True)
    return solution


def _least(g: Callable[[Any], Any], y: Any) -> TensorVariable:
    """The v with `g(v) = y`, of a symmetric g, to rounding."""
    limit = (10 * float(np.finfo(y.dtype).eps)) ** 2 * (y @ y)
    steps = 4 * maximum(lengths_of(y)[0], 5)
    found = minres_steps(g, lambda v: v, y, zeros(lengths_of(y), y.dtype), limit, steps)
    solution: TensorVariable = found.x
    return solution
