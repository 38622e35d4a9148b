"""Minima of functions of several numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import value_and_grad
from weft_graph.extend import called
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.following import deriving
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.optimize.bounds import bounds_of_pairs
from weft_tensor.ops.optimize.downhill.constrained import constrained_minimum
from weft_tensor.ops.optimize.downhill.constraints import constraints_of
from weft_tensor.ops.optimize.downhill.descent import Descent, descended, first_descent, free_slopes
from weft_tensor.ops.optimize.downhill.directions import METHODS, Method
from weft_tensor.ops.optimize.downhill.powell import powell_minimum
from weft_tensor.ops.optimize.downhill.simplex import simplex_minimum
from weft_tensor.ops.optimize.problem import (
    begun,
    by_options,
    evaluated,
    first_of_pair,
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

_WITHOUT_SLOPES: Final[dict[str, tuple[Callable[..., Any], Sequence[str], dict[str, Any]]]] = {
    "Nelder-Mead": (
        simplex_minimum,
        ("xatol", "fatol"),
        {"adaptive": False, "initial_simplex": None},
    ),
    "Powell": (powell_minimum, ("xtol", "ftol"), {}),
}
"""For each of the methods that need none, the search, what `tol` stands for, and other options."""
_CONSTRAINED: Final = ("slsqp", "trust-constr", "cobyla", "cobyqa")
"""SciPy's methods that take constraints."""


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
    not finite at the start (without slopes, where it ended), 4 if constraints do not hold."""
    success: TensorVariable
    """Whether it ended at what was looked for."""


def minimize(
    fun: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    method: str | None = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: None = None,
    options: Mapping[str, Any] | None = None,
    *,
    maxiter: SizeLike | None = None,
) -> OptimizeResult:
    """The x near `x0` at which the scalar `fun(x, *args)` has a minimum. See `scipy.optimize`.

    Derivatives of x, in both modes, by what `fun` and `bounds` use besides follow from its Hessian
    there, and no step is kept for them; those by `x0` are zero. They hold where `success` does.
    Within bounds, quasi-Newton steps are projected (D. P. Bertsekas, Projected Newton methods for
    optimization problems with simple constraints, 1982). Under constraints, minima are found of
    `fun` with multipliers, in turn with these (Bertsekas, Constrained Optimization and Lagrange
    Multiplier Methods, 1982); derivatives hold while the same constraints are active.

    Parameters
    ----------
    fun
        Takes a tensor like `x0`, and `args`, and returns a real scalar that can be differentiated.
    x0
        Where to begin: real numbers of any shape; what is outside the bounds begins at them.
    args
        Further arguments: a tuple, or the only one.
    method
        "BFGS", as by default; "L-BFGS", which remembers the last ten steps instead of a matrix;
        "Newton", which takes the Hessian's eigenvectors at each step; or "gradient", which is slow.
        SciPy's names "L-BFGS-B" and "Newton-CG" are taken, too, in any case, and those of its
        methods under constraints, "SLSQP" and others, which are "BFGS" here. "Nelder-Mead" needs no
        slopes: it moves a simplex of points (The Computer Journal 7, 1965, 308-313); nor does
        "Powell", which goes along lines (The same 7, 1964, 155-162), but takes no bounds. Both have
        SciPy's steps. Derivatives are as near as x is, and NaN or an error at a kink.
    jac, hess, hessp
        With `jac=True`, `fun` returns a pair, of which the first is taken. Nothing else is looked
        at: derivatives are made.
    bounds
        For each element of `x0` a pair of the least and the largest value, in which None is no
        bound; or `scipy.optimize.Bounds`.
    constraints
        One or a list: `{"type": "eq", "fun": g}` for `g(x)` that is 0, "ineq" for what is not
        negative, of any shape, with further `args`; `scipy.optimize.LinearConstraint`, of a vector
        x; or `NonlinearConstraint`.
    tol
        It ends where no element of the gradient is larger than that, but those that a bound holds.
        By default the square root of what the dtype resolves, times the absolute value of `fun` if
        that is above 1.
    callback
        None: a graph calls nothing between its steps.
    options
        `maxiter`, and `gtol` for `tol`; `disp` makes no difference. Of "Nelder-Mead", SciPy's
        `maxiter`, `maxfev`, `xatol` and `fatol` (both `tol`, or 1e-4), `adaptive` and
        `initial_simplex`; of "Powell" `maxiter`, `maxfev`, `xtol` and `ftol`.
    maxiter
        How many steps are made at most: 200 for each element of `x0` by default.

    Raises
    ------
    ValueError
        for another method, a callback, other options, other constraints, any without slopes; if
        `fun` does not return a scalar, or `bounds` is no pairs.
    TypeError
        for complex numbers, and a `fun` that is no function.

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
    >>> nearest = minimize(
    ...     lambda x: ((x - a) ** 2).sum(),
    ...     [0.0, 0.0],
    ...     constraints={"type": "ineq", "fun": lambda x: 1 - x @ x},
    ... )
    >>> nearest.x.eval({a: 3.0}).round(6)
    array([0.707107, 0.707107])
    """
    if not callable(fun):
        raise TypeError(f"minimize: fun is a function of x, not {fun!r}{called()}")
    if callback is not None:
        raise ValueError(f"minimize: a graph calls nothing between steps: no callback{called()}")
    for name in _WITHOUT_SLOPES:
        if str(method).lower() == name.lower():
            said = (options, maxiter, tol)
            return _without_slopes(name, said, fun, x0, args, jac, bounds, constraints)
    how = _method(method)
    given = {"maxiter": maxiter, "gtol": tol} | dict(options or {})
    given.pop("disp", None)
    if len(given) > 2:
        raise ValueError(f"minimize: options has maxiter and gtol, not {options!r}{called()}")
    maxiter, tol = given["maxiter"], given["gtol"]
    start = begun(x0, "minimize: x0")
    vector, scalar = flattened(first_of_pair(fun, jac), start, tuple_of(args))
    limits = None if bounds is None else bounds_of_pairs(bounds, start, "minimize")
    vector = vector if limits is None else limits.inside(vector)
    most = iterations(maxiter, 200 * maximum(lengths_of(vector)[0], 1))

    def value_and_slopes(v: TensorVariable) -> tuple[TensorVariable, TensorVariable]:
        return evaluated(of_variable, v)

    def of_variable(v: TensorVariable) -> Any:
        value = scalar(v)
        if value.ndim:
            raise ValueError(f"minimize: fun must return a scalar, not {value!r}{called()}")
        return value_and_grad(value, v)

    def flat_at(state: Descent) -> TensorVariable:
        steepness = size_of(free_slopes(state, limits))
        if tol is not None:
            return steepness <= tol
        return steepness <= resolution(vector) ** 0.5 * maximum(1.0, absolute(state.fun))

    def balance(v: TensorVariable) -> TensorVariable:
        slopes = value_and_slopes(v)[1]
        return slopes if limits is None else limits.balance(v, slopes)

    shape: Any = lengths_of(start)
    asked = constraints_of(constraints, lambda v: reshape(v, shape))
    if asked is None:
        first = first_descent(scalar, vector, how)
        end = descended(value_and_slopes, scalar, first, most, how, flat_at, limits)
        x = custom_root(balance, end.x, lambda f, v: v, lambda g, y: solve_linear(g, y))
        nit, nfev = end.nit, end.nfev
        stopped = where(end.is_finite, where(nit >= most, 1, 2), 3)
        status = where(flat_at(end) & end.is_finite, 0, stopped)
        found = zip((end.fun, end.jac), value_and_slopes(x), strict=True)
        value, slopes = (deriving(v, formula) for v, formula in found)
    else:
        x, nit, nfev, status = constrained_minimum(scalar, asked, vector, most, how, tol, limits)
        value, slopes = value_and_slopes(x)
    return OptimizeResult(
        reshape(x, shape), value, reshape(slopes, shape), nit, nfev, status, status.eq(0)
    )


def _without_slopes(
    name: str,
    said: tuple[Mapping[str, Any] | None, SizeLike | None, float | None],
    fun: Callable[..., Any],
    x0: TensorLike,
    args: Any,
    jac: Any,
    bounds: Any,
    constraints: Any,
) -> OptimizeResult:
    if constraints != () and constraints != []:
        raise ValueError(f"minimize: {name} takes no constraints, as SLSQP does{called()}")
    minimum, tolerances, more = _WITHOUT_SLOPES[name]
    named, maxiter, tol = said
    given = {"maxiter": maxiter, "maxfev": None, **more}
    given |= dict.fromkeys(tolerances, 1e-4 if tol is None else tol)
    options = by_options(f"minimize by {name}", named, {word: word for word in given}, given)
    start = begun(x0, "minimize: x0")
    vector, scalar = flattened(first_of_pair(fun, jac), start, tuple_of(args))
    limits = None if bounds is None else bounds_of_pairs(bounds, start, "minimize")
    vector = vector if limits is None else limits.inside(vector)

    def value_of(v: TensorVariable) -> TensorVariable:
        value = scalar(v)
        if value.ndim or value.dtype.startswith("complex"):
            text = f"minimize: fun must return a real scalar, not {value!r}{called()}"
            raise ValueError(text)
        return value if value.dtype.startswith("float") else value.astype(v.dtype)

    x, value, slopes, nit, nfev, status = minimum(value_of, vector, limits, options)
    shape: Any = lengths_of(start)
    return OptimizeResult(
        reshape(x, shape), value, reshape(slopes, shape), nit, nfev, status, status.eq(0)
    )


def _method(name: str | None) -> Method:
    """ValueError for a method that there is not."""
    names = {key.lower(): how for key, how in METHODS.items()}
    names |= {"l-bfgs-b": METHODS["L-BFGS"], "newton-cg": METHODS["Newton"]}
    names |= dict.fromkeys(_CONSTRAINED, METHODS["BFGS"])
    how = names.get("bfgs" if name is None else str(name).lower())
    if how is None:
        choices = ", ".join([*METHODS, *_WITHOUT_SLOPES])
        raise ValueError(f"minimize: method is one of {choices}, not {name!r}{called()}")
    return how
