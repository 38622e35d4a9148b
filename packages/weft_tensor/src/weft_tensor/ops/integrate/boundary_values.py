"""Differential equations with conditions at both ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.integrate.rings import Ring, ring_solution
from weft_tensor.ops.interpolate.conditions import increasing
from weft_tensor.ops.interpolate.cubic import CubicHermiteSpline
from weft_tensor.ops.optimize.problem import begun, evaluated, resolution, size_of
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.statistics.differences import diff

__all__ = ["BVPResult", "solve_bvp"]

_MOST_STEPS: Final = 50
_SHORTEST: Final = 1 / 64
"""Of Newton's step, which part is tried last."""
_ENOUGH: Final = 0.2
"""Of the fall that the equations promise, which part must be seen."""


class BVPResult(NamedTuple):
    """What `solve_bvp` gives, with SciPy's names; `result.sol(x)` is the curve at `x`."""

    x: TensorVariable
    """The mesh."""
    y: TensorVariable
    """The solution there: a column for each place."""
    yp: TensorVariable
    """Its slopes there."""
    p: Any
    """The unknown parameters; None if there are none."""
    rms_residuals: TensorVariable
    """For each interval, how far the curve is from solving the equation, in the mean of squares
    and beside the slopes' size."""
    niter: TensorVariable
    """How many steps of Newton were tried."""
    status: TensorVariable
    """0 for success, 1 if the mesh is too coarse for `tol`, 2 if the equations are singular or not
    finite, 3 if the conditions at the ends are not met, or the steps led nowhere."""
    success: TensorVariable
    """Whether the curve is as close to a solution as was asked."""

    def sol(self, x: TensorLike, nu: int = 0) -> TensorVariable:
        """The curve at `x`, or its derivative of order `nu`, along a first axis."""
        return CubicHermiteSpline(self.x, self.y, self.yp, axis=1)(x, nu)


class _Problem(NamedTuple):
    """Equations for the states with the parameters beside them: a row for each place."""

    fun: Callable[..., Any]
    bc: Callable[..., Any]
    x: TensorVariable
    states: TensorVariable
    """How many of a row are the state."""
    has_parameters: bool

    def slopes(self, x: TensorVariable, rows: TensorVariable) -> TensorVariable:
        """`fun`, in rows: each place with the parameters that stand there."""
        if not self.has_parameters:
            value = as_tensor(self.fun(x, rows.T))
            if value.ndim != 2:
                raise ValueError(f"solve_bvp: fun must return a matrix, not {value!r}{called()}")
            return value.T.astype(rows.dtype)

        def at(x: TensorVariable, row: TensorVariable) -> TensorVariable:
            y, p = row[: self.states], row[self.states :]
            return as_tensor(self.fun(x.expand_dims(0), y.expand_dims(1), p))[:, 0]

        by_place = lazy_import("weft_tensor.batching.functions.vmap")(at)(x, rows)
        return as_tensor(by_place).astype(rows.dtype)

    def middle(self, rows: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        """Slopes half-way, and how far each interval is from Simpson's rule with these."""
        n, widths = self.states, diff(self.x).expand_dims(1)
        slopes = self.slopes(self.x, rows)
        before, after = index(rows, slice(None, -1)), index(rows, slice(1, None))
        first, last = slopes[:-1], slopes[1:]
        state = (before + after)[:, :n] / 2 - widths / 8 * (last - first)
        at = concatenate([state, before[:, n:]], 1)
        between = self.slopes((self.x[1:] + self.x[:-1]) / 2, at)
        missed = (after - before)[:, :n] - widths / 6 * (first + last + 4 * between)
        return between, missed

    def at_ends(self, rows: TensorVariable) -> TensorVariable:
        first, last = index(rows, 0), index(rows, -1)
        more = (last[self.states :],) if self.has_parameters else ()
        value = as_tensor(self.bc(first[: self.states], last[: self.states], *more))
        if value.ndim != 1:
            raise ValueError(f"solve_bvp: bc must return a vector, not {value!r}{called()}")
        return value.astype(rows.dtype)

    def residual(self, rows: TensorVariable) -> TensorVariable:
        """What is zero at a solution: a row for each interval, and one for the ends."""
        same = diff(rows, axis=0)[:, self.states :]
        within = concatenate([self.middle(rows)[1], same], 1)
        ends = self.at_ends(rows)
        fits = lengths_of(ends)[0].eq(lengths_of(rows)[1])
        text = "solve_bvp: bc must return as many numbers as there are states and parameters"
        ends = check_and_raise(ends, fits, ValueError, text)
        return concatenate([within, reshape(ends, (1, lengths_of(rows)[1]))])

    def errors(self, result: BVPResult, rows: TensorVariable) -> TensorVariable:
        """The residual of the curve, by Lobatto's rule of five places in each interval."""
        widths = diff(self.x)
        between, missed = self.middle(rows)
        middle = 1.5 * missed / widths.expand_dims(1) / (1 + absolute(between))
        total = 32 / 45 * sum(middle**2, 1)
        for side in (-1, 1):
            at = (self.x[1:] + self.x[:-1]) / 2 + side * (3 / 28) ** 0.5 * widths
            more = index(rows, slice(1, None))[:, self.states :]
            wanted = self.slopes(at, concatenate([result.sol(at).T, more], 1))
            off = (result.sol(at, 1).T - wanted) / (1 + absolute(wanted))
            total = total + 49 / 90 * sum(off**2, 1)
        return sqrt(total / 2)


class _State(NamedTuple):
    rows: Any
    nit: Any
    at_root: Any
    going: Any


def solve_bvp(
    fun: Callable[..., Any],
    bc: Callable[..., Any],
    x: TensorLike,
    y: TensorLike,
    p: TensorLike | None = None,
    S: None = None,
    fun_jac: Any = None,
    bc_jac: Any = None,
    tol: float = 0.001,
    max_nodes: int = 1000,
    verbose: int = 0,
    bc_tol: float | None = None,
) -> BVPResult:
    """The curve through the mesh `x` with slopes `fun(x, y, p)`, and zeros `bc(y[0], y[-1], p)`.

    Collocation of fourth order (a cubic curve in each interval, that has the right slope at its
    ends and in its middle), as in `scipy.integrate.solve_bvp`, on the mesh that is given: no place
    is added. Whether it is fine enough, `rms_residuals` says for each interval, and `success` for
    all. Derivatives of the results, in both modes, by the mesh and by whatever `fun` and `bc` use
    follow from the equations at the solution; those by the guesses `y` and `p` are zero.

    Parameters
    ----------
    fun
        Takes m places, states of shape (n, m), and with unknown parameters the vector `p`; returns
        slopes of the states' shape, in each column by that column alone.
    bc
        Takes the states at both ends, and with unknown parameters these; returns a vector of
        n + k numbers, for k parameters, that are zero at the solution.
    x
        The mesh: strictly increasing, of length 2 or more.
    y, p
        Guesses: of shape (n, m), and of k parameters, if there are any. Newton's steps begin here.
    S
        Is not here: write the singular term into `fun`, with its limit at the beginning.
    fun_jac, bc_jac, max_nodes, verbose
        Make no difference: derivatives are made, and the mesh stays.
    tol, bc_tol
        How large `rms_residuals`, and numbers of `bc`, may be for a success; `bc_tol` is by default
        `tol`. The equations of the mesh are solved to rounding, whatever `tol` is.

    Raises
    ------
    TypeError
        for complex numbers: write real and imaginary parts as two states.
    ValueError
        for `S`; guesses, slopes or conditions of another rank; and at a call for a mesh that does
        not increase, or another number of conditions.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import scalar
    >>> from weft_tensor.ops.shape.concatenate import stack
    >>> k = scalar("k")
    >>> mesh = as_tensor([0.0, 0.25, 0.5, 0.75, 1.0])
    >>> swing = lambda x, y: stack([y[1], -k * y[0]])
    >>> ends = lambda a, b: stack([a[0], b[0] - 1])
    >>> result = solve_bvp(swing, ends, mesh, [[0.0] * 5] * 2)
    >>> curve = result.sol(0.5)[0]
    >>> [v.eval({k: 1.0}).round(4).item() for v in (result.status, curve, grad(curve, k))]
    [0, 0.5697, 0.0389]
    """
    if S is not None:
        raise ValueError(
            "solve_bvp: there is no S: write the singular term into fun, with its limit at x[0]"
            f"{called()}"
        )
    mesh, states = begun(x, "solve_bvp: x"), begun(y, "solve_bvp: y")
    if mesh.ndim != 1 or states.ndim != 2:
        raise ValueError(
            f"solve_bvp: x must be a vector and y a matrix, not {mesh!r} and {states!r}{called()}"
        )
    mesh = increasing(mesh.astype(states.dtype), "solve_bvp: x")
    guess = states.T
    if p is not None:
        more = begun(p, "solve_bvp: p").astype(states.dtype)
        if more.ndim != 1:
            raise ValueError(f"solve_bvp: p must be a vector, not {more!r}{called()}")
        beside = broadcast_to(more, (lengths_of(mesh)[0], lengths_of(more)[0]))
        guess = concatenate([guess, beside], 1)
    n = lengths_of(states)[0]
    problem = _Problem(fun, bc, mesh, n, p is not None)
    end = _newton(problem.residual, guess)
    rows = custom_root(problem.residual, end.rows, lambda f, v: v, ring_solution)
    slopes = problem.slopes(mesh, rows).T
    parameters = index(rows, 0)[n:] if p is not None else None
    none = as_tensor(0)
    result = BVPResult(mesh, rows[:, :n].T, slopes, parameters, mesh, end.nit, none, none)
    errors = problem.errors(result, rows)
    misses = size_of(problem.at_ends(rows))
    met = end.at_root & (misses <= (tol if bc_tol is None else bc_tol))
    fine = largest(errors, initial=0.0) <= tol
    finite = isfinite(size_of(end.rows)) & isfinite(misses)
    status = where(~finite, 2, where(~met, 3, where(fine, 0, 1)))
    return result._replace(rms_residuals=errors, status=status, success=status.eq(0))


def _newton(residual: Callable[[Any], Any], guess: TensorVariable) -> _State:
    """Where Newton's steps lead from `guess`.

    A step is halved until the step that would follow it, by the same matrices, is shorter
    (Deuflhard's natural test, which does not ask in which units equations are written).
    """
    small = resolution(guess) ** 0.5

    def step_by(ring: Any, rows: TensorVariable) -> TensorVariable:
        step: TensorVariable = ring.solution(residual(rows))
        return step

    def body(state: _State) -> _State:
        def linear(way: TensorVariable) -> TensorVariable:
            pushforward = lazy_import("weft_graph.pushforward")
            return evaluated(lambda at: pushforward([residual(at)], [at], [way]), state.rows)[0]

        ring = Ring.of(linear, state.rows).factored()
        step = step_by(ring, state.rows)
        length = sum(step**2)

        def after(part: Any) -> Any:
            rows = state.rows - part * step
            following = sum(step_by(ring, rows) ** 2)
            return rows, part, following <= (1 - 2 * _ENOUGH * part) * length

        one = as_tensor(1.0).astype(guess.dtype)
        rows, _, good = while_loop(
            lambda s: ~s[2] & (s[1] > _SHORTEST), lambda s: after(s[1] / 2), after(one)
        )
        tiny = size_of(step) <= small * (1 + size_of(state.rows))
        finite = isfinite(length)
        at = where(finite, where(good | tiny, rows, state.rows), float("nan"))
        return _State(at, state.nit + 1, tiny, finite & ~tiny & good)

    no = as_tensor(False)
    end: _State = while_loop(
        lambda s: s.going & (s.nit < _MOST_STEPS), body, _State(guess, as_tensor(0), no, ~no)
    )
    return end
