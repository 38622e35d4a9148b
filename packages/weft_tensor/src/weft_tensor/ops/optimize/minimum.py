"""Minima of functions of several numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_graph import value_and_grad
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.optimize.directions import METHODS
from weft_tensor.ops.optimize.line_search import go_down
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
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["OptimizeResult", "minimize"]


class OptimizeResult(NamedTuple):
    """What a search for a minimum, or for a root of a system, has found."""

    x: TensorVariable
    """Where it ended: of the shape of `x0`."""
    fun: TensorVariable
    """The function there."""
    jac: TensorVariable
    """Its derivative there: of a minimum the gradient, of a root the Jacobian matrix."""
    nit: TensorVariable
    """How many steps were made."""
    nfev: TensorVariable
    """How many times the function was computed."""
    status: TensorVariable
    """0 for success, 1 if there were no more steps, 2 if none led further, 3 if the function is
    not finite at the start."""
    success: TensorVariable
    """Whether it ended at what was looked for."""


class _State(NamedTuple):
    x: Any
    fun: Any
    jac: Any
    memory: Any
    nit: Any
    nfev: Any
    going: Any


def minimize(
    fun: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    method: str = "BFGS",
    tol: float | None = None,
    maxiter: SizeLike | None = None,
) -> OptimizeResult:
    """The x near `x0` at which the scalar `fun(x, *args)` has a minimum. See `scipy.optimize`.

    Derivatives of x, in both modes, by what `fun` uses besides follow from its Hessian there, and
    no step is kept for them; those by `x0` are zero. They hold where `success` does.

    Parameters
    ----------
    fun
        Takes a tensor like `x0`, and `args`, and returns a real scalar that can be differentiated.
    x0
        Where to begin: real numbers of any shape.
    args
        Further arguments: a tuple, or the only one.
    method
        "BFGS"; "L-BFGS", which remembers the last ten steps instead of a matrix; "Newton", which
        takes the Hessian's eigenvectors at each step; or "gradient", which is slow.
    tol
        It ends where no element of the gradient is larger than that. By default the square root
        of what the dtype resolves, times the absolute value of `fun` if that is above 1.
    maxiter
        How many steps are made at most: 200 for each element of `x0` by default.

    Raises
    ------
    ValueError
        for another method; if `fun` does not return a scalar.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import scalar
    >>> a = scalar("a")
    >>> end = minimize(lambda x: (x[0] - a) ** 2 + (x[1] - x[0] ** 2) ** 2, [0.0, 0.0])
    >>> end.x.eval({a: 3.0}).round(6), end.success.eval({a: 3.0}).item()
    (array([3., 9.]), True)
    >>> grad(end.x[1], a).eval({a: 3.0}).round(5).item()
    6.0
    """
    if method not in METHODS:
        names = ", ".join(METHODS)
        raise ValueError(f"minimize: method is one of {names}, not {method!r}{called()}")
    start = begun(x0, "minimize: x0")
    vector, scalar = flattened(fun, start, tuple_of(args))
    most = iterations(maxiter, 200 * maximum(lengths_of(vector)[0], 1))

    def value_and_slopes(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        return evaluated(of_variable, v)

    def of_variable(v: TensorVariable) -> Any:
        value = scalar(v)
        if value.ndim:
            raise ValueError(f"minimize: fun must return a scalar, not {value!r}{called()}")
        return value_and_grad(value, v)

    def flat_at(state: _State) -> TensorVariable:
        if tol is not None:
            return size_of(state.jac) <= tol
        return size_of(state.jac) <= resolution(vector) ** 0.5 * maximum(1.0, absolute(state.fun))

    end = _descended(value_and_slopes, scalar, vector, most, method, flat_at)
    x = custom_root(
        lambda v: value_and_slopes(v)[1], end.x, lambda f, v: v, lambda g, y: solve_linear(g, y)
    )
    value, slopes = value_and_slopes(x)
    finite = isfinite(end.fun) & isfinite(size_of(end.jac))
    success = flat_at(end) & finite
    status = where(success, 0, where(~finite, 3, where(end.nit >= most, 1, 2)))
    shape: Any = lengths_of(start)
    return OptimizeResult(
        reshape(x, shape), value, reshape(slopes, shape), end.nit, end.nfev, status, success
    )


def _descended(
    value_and_slopes: Callable[[TensorVariable], tuple[TensorVariable, TensorVariable]],
    scalar: Callable[[TensorVariable], TensorVariable],
    start: TensorVariable,
    most: TensorVariable,
    method: str,
    flat_at: Callable[[_State], TensorVariable],
) -> _State:
    """Where steps of that method lead from `start`."""
    how = METHODS[method]

    def body(state: _State) -> _State:
        direction = how.direction(scalar, state.x, state.jac, state.memory)
        trial = go_down(value_and_slopes, state.x, state.fun, state.jac, direction)
        x, value, slopes = (
            where(trial.found, new, old)
            for new, old in zip((trial.x, trial.fun, trial.jac), state[:3], strict=True)
        )
        memory = how.after(state.memory, x - state.x, slopes - state.jac, state.nit.eq(0))
        calls = state.nfev + trial.calls
        return _State(x, value, slopes, memory, state.nit + 1, calls, trial.found)

    value, slopes = value_and_slopes(start)
    ready = isfinite(value) & isfinite(size_of(slopes))
    first = _State(start, value, slopes, how.start(slopes), as_tensor(0), as_tensor(1), ready)
    end: _State = while_loop(lambda s: s.going & (s.nit < most) & ~flat_at(s), body, first)
    return end
