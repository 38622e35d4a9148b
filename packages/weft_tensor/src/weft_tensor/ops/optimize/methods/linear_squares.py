"""Linear least squares: within bounds, and by the names of SciPy's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_graph import stop_gradient
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.creation.diagonals import diag
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.indexing.argmax import argmax
from weft_tensor.ops.matrices.least_squares import lstsq
from weft_tensor.ops.numbers.limits import clip
from weft_tensor.ops.optimize.bounds import bounds_of
from weft_tensor.ops.optimize.least_squares import least_squares
from weft_tensor.ops.optimize.problem import begun, iterations, resolution, size_of
from weft_tensor.ops.reduction.standard import min, sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.types.dtypes import promote

__all__ = ["LinearSquares", "leastsq", "lsq_linear", "nnls"]


class LinearSquares(NamedTuple):
    """The least sum of squares of a linear function within bounds."""

    x: TensorVariable
    """Where it is."""
    cost: TensorVariable
    """Half the sum of squares there."""
    fun: TensorVariable
    """The residuals there."""
    optimality: TensorVariable
    """The largest slope that no bound holds."""
    active_mask: TensorVariable
    """Which element is at a bound: -1 at the lower, 1 at the upper, else 0."""
    nit: TensorVariable
    """How many systems were solved."""
    status: TensorVariable
    """1 for success, 0 if there were no more steps."""
    success: TensorVariable
    """Whether it is the minimum."""


class _Active(NamedTuple):
    x: Any
    free: Any
    done: Any
    nit: Any


class _Problem(NamedTuple):
    a: TensorVariable
    b: TensorVariable
    low: TensorVariable
    high: TensorVariable

    def solution(self, x: TensorVariable, free: TensorVariable) -> TensorVariable:
        """`x` with the least squares in place of its free elements.

        The others have rows of their own in the system, so that it has full rank.
        """
        kept = where(free, 0, x)
        held = diag((~free).astype(x.dtype))
        matrix = concatenate([where(free, self.a, 0), held], 0)
        return where(free, lstsq(matrix, concatenate([self.b - self.a @ kept, kept], 0)).x, x)

    def pull(self, x: TensorVariable) -> TensorVariable:
        """How the cost falls with each element."""
        return (self.b - self.a @ x) @ self.a

    def free_by(self, x: TensorVariable, pull: TensorVariable, free: Any) -> TensorVariable:
        """How strongly each element that a bound holds is pulled off it; at most 0 if it is not."""
        away = where(x <= self.low, pull, -pull)
        return where(free | (self.low >= self.high), -np.inf, away)


def lsq_linear(
    A: TensorLike,
    b: TensorLike,
    bounds: Any = (-np.inf, np.inf),
    method: str | None = None,
    tol: float | None = None,
    *,
    max_iter: SizeLike | None = None,
) -> LinearSquares:
    """The x within bounds for which the squares of `A x - b` have the least sum.

    By the active set: which elements are at bounds is changed until no slope leads inside. See
    `scipy.optimize.lsq_linear`, and P. B. Stark and R. L. Parker, Bounded-variable least-squares,
    1995. Derivatives by `A`, `b` and the bounds are those where the same elements are at bounds.

    Parameters
    ----------
    A
        A real matrix.
    b
        A real vector.
    bounds
        The least and the largest x, each a number or a vector; or `scipy.optimize.Bounds`.
    method
        SciPy's, and not looked at.
    tol
        Slopes of that part of the largest product of `A` and `b` are zero: by default 10 times
        what the dtype resolves, times the longer axis.
    max_iter
        How many systems are solved at most: by default 3 for each column, and 10.

    Raises
    ------
    ValueError
        for other ranks, and if `bounds` is no pair.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> lsq_linear([[1.0, 1.0], [0.0, 1.0]], [1.0, 2.0], (0.0, 1.5)).x.eval()
    array([0. , 1.5])
    """
    matrix, right = begun(A, "lsq_linear: A"), begun(b, "lsq_linear: b")
    if (matrix.ndim, right.ndim) != (2, 1):
        raise ValueError(f"lsq_linear takes a matrix and a vector, not {A!r} and {b!r}{called()}")
    dtype = promote([matrix.dtype, right.dtype])
    matrix, right, n = matrix.astype(dtype), right.astype(dtype), lengths_of(matrix)[1]
    problem = _Problem(matrix, right, *bounds_of(bounds, sum(matrix, 0), "lsq_linear"))
    most = iterations(max_iter, 3 * n + 10)
    end = _active(problem, tol, most)
    held = _at_bounds(problem, end.x)
    return _result(problem, end, problem.solution(held, end.free))


def _at_bounds(problem: _Problem, x: TensorVariable) -> TensorVariable:
    """The bound next to each element, with its derivatives."""
    upper = isfinite(problem.high) & ~(absolute(x - problem.low) <= absolute(x - problem.high))
    bound = where(upper, problem.high, problem.low)
    return where(isfinite(bound), bound, 0)


def _active(problem: _Problem, tol: float | None, most: TensorVariable) -> _Active:
    """Which elements are free at the minimum."""
    problem = _Problem(*[stop_gradient(v) for v in problem])
    low, high = problem.low, problem.high
    scale = maximum(size_of(absolute(problem.b) @ absolute(problem.a)), 1e-300)
    rows, columns = lengths_of(problem.a)
    part = 10 * resolution(scale) * maximum(rows, columns) if tol is None else tol
    small = (part * scale).astype(scale.dtype)

    def body(s: _Active) -> _Active:
        goal = problem.solution(s.x, s.free)
        beyond = s.free & ((goal < low) | (goal > high))
        way = goal - s.x
        limit = where(goal < low, low, high)
        share = where(beyond, (limit - s.x) / where(beyond, way, 1), np.inf)
        cut = min(share, initial=1.0)
        stops = beyond & (share <= cut)
        inside = cut >= 1
        x = where(stops, limit, where(inside, goal, clip(s.x + cut * way, low, high)))
        pull = problem.free_by(x, problem.pull(x), s.free)
        strongest = argmax(concatenate([pull, [0.0]], 0))  # the last of none
        freed = (arange(columns).eq(strongest)) & (pull > small)
        done = inside & ~freed.any()
        free = where(inside, s.free | freed, s.free & ~stops)
        return _Active(x.astype(s.x.dtype), free, done, s.nit + 1)

    start = where(isfinite(low), low, where(isfinite(high), high, 0))
    first = _Active(start, ~(isfinite(low) | isfinite(high)), as_tensor(False), as_tensor(0))
    end: _Active = while_loop(lambda s: ~s.done & (s.nit < most), body, first)
    return end


def _result(problem: _Problem, end: _Active, x: TensorVariable) -> LinearSquares:
    rest = problem.a @ x - problem.b
    slope = rest @ problem.a
    at_low, at_high = (~end.free & x.eq(v) for v in (problem.low, problem.high))
    loose = where(at_low, maximum(-slope, 0), where(at_high, maximum(slope, 0), slope))
    mask = where(at_low, -1, where(at_high, 1, 0))
    status = where(end.done, 1, 0)
    return LinearSquares(x, sum(rest**2) / 2, rest, size_of(loose), mask, end.nit, status, end.done)


def nnls(
    A: TensorLike, b: TensorLike, maxiter: SizeLike | None = None
) -> tuple[TensorVariable, TensorVariable]:
    """The non-negative x for which `A x - b` is shortest, and that length.

    `lsq_linear` with its bounds; NaN if there were no more steps. See `scipy.optimize.nnls`.

    >>> x, rnorm = nnls([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [2.0, 1.0, -1.0])
    >>> x.eval(), rnorm.eval().round(6)
    (array([1.5, 0. ]), np.float64(1.224745))
    """
    end = lsq_linear(A, b, (0.0, np.inf), max_iter=maxiter)
    x = where(end.success, end.x, np.nan).astype(end.x.dtype)
    return x, sqrt(2 * where(end.success, end.cost, np.nan)).astype(x.dtype)


def leastsq(
    func: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    Dfun: Any = None,
    *,
    xtol: float | None = None,
    maxfev: SizeLike | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """Where the squares of `func(x, *args)` have the least sum, and how the search ended.

    The x of `least_squares`, and 1 for success, else 5. `Dfun` is not looked at. See
    `scipy.optimize.leastsq`.

    >>> x, ier = leastsq(lambda x: x[0] * np.arange(3.0) - [0.0, 2.0, 4.0], [1.0])
    >>> x.eval().round(6), ier.eval().item()
    (array([2.]), 1)
    """
    end = least_squares(func, x0, args=args, tol=xtol, maxiter=maxfev)
    return end.x, where(end.success, 1, 5)
