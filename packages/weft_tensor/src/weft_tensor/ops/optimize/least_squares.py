"""Minima of sums of squares: nonlinear regression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.implicit.scalar_slopes import scalar_slopes
from weft_tensor.ops.optimize.bounds import Bounds, bounds_of
from weft_tensor.ops.optimize.damped_step import damped_step
from weft_tensor.ops.optimize.problem import (
    begun,
    evaluated,
    flattened,
    iterations,
    resolution,
    size_of,
    solve_linear,
    tuple_of,
)
from weft_tensor.ops.optimize.robust_loss import LOSSES
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["LeastSquaresResult", "least_squares"]


class LeastSquaresResult(NamedTuple):
    """What a search for the least sum of squares has found."""

    x: TensorVariable
    """Where it ended: of the shape of `x0`."""
    cost: TensorVariable
    """Half the sum of the losses there."""
    fun: TensorVariable
    """The residuals there."""
    jac: TensorVariable
    """Their derivatives there: of the shape of `fun` and that of `x`."""
    grad: TensorVariable
    """The derivative of the cost there: of the shape of `x`."""
    active_mask: TensorVariable
    """Which element is held by a bound: -1 by the lower, 1 by the upper, else 0."""
    nit: TensorVariable
    """How many steps were tried."""
    nfev: TensorVariable
    """How many times the residuals were computed."""
    status: TensorVariable
    """0 for success, 1 if there were no more steps, 2 if none led further, 3 if the residuals are
    not finite at the start."""
    success: TensorVariable
    """Whether it ended at a minimum."""


class _Point(NamedTuple):
    x: Any
    fun: Any
    jac: Any
    cost: Any


class _State(NamedTuple):
    at: Any
    damping: Any
    nit: Any
    at_minimum: Any
    going: Any


class _Problem(NamedTuple):
    """The residuals of a vector, half their losses' sum, and the bounds of its elements."""

    residuals: Callable[[TensorVariable], TensorVariable]
    loss: str
    f_scale: TensorVariable
    bounds: Bounds

    def cost(self, fun: TensorVariable) -> TensorVariable:
        losses = LOSSES[self.loss]((fun / self.f_scale) ** 2)[0]
        return sum(losses) * self.f_scale**2 / 2

    def point(self, x: TensorVariable) -> _Point:
        def both(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
            jacobian = lazy_import("weft_tensor.batching.derivatives.jacobian")
            fun = self.residuals(v)
            return fun, jacobian(fun, v, mode="forward", disconnected_inputs="ignore")

        fun, jac = evaluated(both, x)
        return _Point(x, fun, jac, self.cost(fun))

    def linear(self, at: _Point) -> tuple[TensorVariable, TensorVariable]:
        """Residuals and derivatives of a step: weighted, and without what bounds hold."""
        weight = sqrt(LOSSES[self.loss]((at.fun / self.f_scale) ** 2)[1])
        fun, jac = weight * at.fun, weight.expand_dims(1) * at.jac
        return fun, where(self.bounds.held(at.x, fun @ jac).eq(0), jac, 0)

    def slope(self, x: TensorVariable) -> TensorVariable:
        """The derivative of the cost."""
        return scalar_slopes(lambda v: self.cost(self.residuals(v)), x)

    def balance(self, x: TensorVariable) -> TensorVariable:
        """What is zero at a minimum."""
        return self.bounds.balance(x, self.slope(x))


def least_squares(
    fun: Callable[..., Any],
    x0: TensorLike,
    jac: Any = None,
    bounds: Any = (-np.inf, np.inf),
    method: str | None = None,
    ftol: float | None = None,
    xtol: float | None = None,
    gtol: float | None = None,
    x_scale: Any = None,
    loss: str = "linear",
    f_scale: TensorLike = 1.0,
    diff_step: None = None,
    tr_solver: str | None = None,
    tr_options: Any = None,
    jac_sparsity: None = None,
    max_nfev: int | None = None,
    verbose: int = 0,
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    tol: float | None = None,
    maxiter: SizeLike | None = None,
) -> LeastSquaresResult:
    """The x near `x0` at which the squares of `fun(x, *args)` have the least sum.

    See `scipy.optimize.least_squares`. It goes by the steps of Gauss and Newton, shortened as
    Levenberg and Marquardt do where the sum does not fall, and cut at the bounds. Derivatives of
    x, in both modes, by what `fun` and `bounds` use besides follow from the Hessian there, and no
    step is kept for them; those by `x0` are zero. They hold where `success` does.

    Parameters
    ----------
    fun
        Takes a tensor like `x0`, and `args`, and returns the residuals: a vector of any length.
    x0
        Where to begin: real numbers of any shape; what is outside the bounds begins at them.
    jac, method, ftol, x_scale, diff_step, tr_solver, tr_options, jac_sparsity, verbose
        SciPy's, and not looked at: derivatives are made, and there is one method.
    bounds
        The least and the largest value of x, each a number, or an array that broadcasts to `x0`;
        or `scipy.optimize.Bounds`.
    args, kwargs
        Further arguments: a tuple, or the only one; and those that are named.
    loss
        "linear" for squares; what outliers pull less: "soft_l1", "huber", "cauchy", "arctan",
        each of the squares as in SciPy.
    f_scale
        Beyond which residual a loss is less than its square.
    tol
        It ends where no derivative has a larger cosine with the residuals, or where a step
        changes x by a smaller share. By default the square root of what the dtype resolves, or the
        least of `xtol` and `gtol`.
    maxiter, max_nfev
        How many steps are tried, or residuals computed, at most: 100 steps for each element of `x0`
        by default.

    Raises
    ------
    ValueError
        for another loss; if `fun` does not return a vector, or `bounds` is not a pair.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> from weft_tensor import exp, vector
    >>> y, t = vector("y"), np.arange(4.0)
    >>> decay = least_squares(lambda x: x[0] * exp(-x[1] * t) - y, [1.0, 1.0])
    >>> decay.x.eval({y: 3 * np.exp(-0.5 * t)}).round(6)
    array([3. , 0.5])
    """
    if loss not in LOSSES:
        names = ", ".join(LOSSES)
        raise ValueError(f"least_squares: loss is one of {names}, not {loss!r}{called()}")
    start = begun(x0, "least_squares: x0")
    vector, flat = flattened(partial(fun, **(kwargs or {})), start, tuple_of(args))
    shape: Any = lengths_of(start)

    def residuals(v: TensorVariable) -> TensorVariable:
        value = flat(v)
        if value.ndim != 1:
            raise ValueError(f"least_squares: fun must return a vector, not {value!r}{called()}")
        return value.astype(vector.dtype)

    scale = as_tensor(f_scale).astype(vector.dtype)
    limits = bounds_of(bounds, start, "least_squares")
    problem = _Problem(residuals, loss, scale, limits)
    steps = max_nfev - 1 if maxiter is None and max_nfev is not None else maxiter
    most = iterations(steps, 100 * maximum(lengths_of(vector)[0], 1))
    given = [v for v in (xtol, gtol) if v is not None] if tol is None else [tol]
    small = min(given) if given else resolution(vector) ** 0.5
    end = _descended(problem, limits.inside(vector), most, small)
    x = custom_root(problem.balance, end.at.x, lambda f, v: v, lambda g, y: solve_linear(g, y))
    at = problem.point(x)
    slope = problem.slope(x)
    status = where(end.at_minimum, 0, where(~_ready(end.at), 3, where(end.nit >= most, 1, 2)))
    return LeastSquaresResult(
        reshape(x, shape),
        at.cost,
        at.fun,
        reshape(at.jac, [lengths_of(at.fun)[0], *shape]),
        reshape(slope, shape),
        reshape(limits.held(x, slope), shape),
        end.nit,
        end.nit + 1,
        status,
        end.at_minimum,
    )


def _ready(at: _Point) -> TensorVariable:
    return isfinite(at.cost) & isfinite(size_of(at.jac))


def _descended(
    problem: _Problem, start: TensorVariable, most: TensorVariable, small: float
) -> _State:
    """Where steps lead from `start`."""

    def body(state: _State) -> _State:
        old, first = state.at, state.nit < 0
        fun, jac = problem.linear(old)
        step = damped_step(jac, fun, state.damping)
        new = problem.point(problem.bounds.inside(old.x + step))
        small_step = size_of(step) <= small * (small + size_of(old.x))
        short = ~first & (state.damping <= 1) & small_step
        better = first | (_ready(new) & (new.cost < old.cost))
        at = _Point(*(where(better, a, b) for a, b in zip(new, old, strict=True)))
        damping = where(better, maximum(state.damping / 10, 1e-12), state.damping * 10)
        return ended(at, damping, state.nit + 1, short)

    def ended(at: _Point, damping: Any, nit: Any, short: Any) -> _State:
        fun, jac = problem.linear(at)
        lengths = sqrt(sum(jac**2, 0) * (fun @ fun))
        cosines = absolute(fun @ jac) / where(lengths > 0, lengths, 1)
        at_minimum = _ready(at) & (short | (size_of(cosines) <= small))
        return _State(at, damping, nit, at_minimum, ~at_minimum & (damping < 1e16) & _ready(at))

    # The first round has only zeros behind it, so that no step leads from `start`: what residuals
    # and derivatives are computed by stands in the graph once.
    residuals = lengths_of(problem.residuals(start))
    zero = as_tensor(0.0).astype(start.dtype)
    fun, jac = zeros(residuals, start.dtype), zeros([*residuals, *lengths_of(start)], start.dtype)
    no = as_tensor(False)
    first = _State(_Point(start, fun, jac, zero), zero + 1e-2, as_tensor(-1), no, ~no)
    end: _State = while_loop(lambda s: s.going & (s.nit < maximum(most, 0)), body, first)
    return end
