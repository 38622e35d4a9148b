"""Roots and fixed points, by the names of SciPy's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_graph import grad
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.optimize.problem import (
    begun,
    evaluated,
    flattened,
    iterations,
    resolution,
    solve_linear,
    tuple_of,
)
from weft_tensor.ops.optimize.scalar_root import root_scalar
from weft_tensor.ops.optimize.systems import root
from weft_tensor.ops.reduction.standard import all, any
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["bisect", "brenth", "brentq", "fixed_point", "fsolve", "newton", "ridder", "toms748"]


class _Steps(NamedTuple):
    x: Any
    is_root: Any
    nit: Any


def brentq(
    f: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    args: Any = (),
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: SizeLike | None = None,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """The x between `a` and `b` at which `f(x, *args)` is zero; NaN where none is reached.

    `bisect`, `brenth`, `ridder` and `toms748` are the same function: the root of `root_scalar`,
    which has one method for a bracket, and its derivatives. With `full_output` what that returns
    is returned, too; `disp` makes no difference. See `scipy.optimize.brentq`.

    >>> brentq(lambda x: x**2 - 2, 0.0, 2.0).eval().round(6)
    np.float64(1.414214)
    """
    end = root_scalar(f, args, bracket=(a, b), xtol=xtol, rtol=rtol, maxiter=maxiter)
    x = where(end.converged, end.root, np.nan).astype(end.root.dtype)
    return (x, end) if full_output else x


bisect = brenth = ridder = toms748 = brentq


def newton(
    func: Callable[..., Any],
    x0: TensorLike,
    fprime: Callable[..., Any] | None = None,
    args: Any = (),
    tol: float = 1.48e-8,
    maxiter: SizeLike | None = None,
    fprime2: Any = None,
    x1: TensorLike | None = None,
    rtol: float = 0.0,
) -> TensorVariable:
    """Where `func(x, *args)` is zero, by Newton's steps from `x0`; NaN where they lead to none.

    Of an array `func` is a function of each element, and so are the roots. Derivatives, in both
    modes, by what `func` uses besides follow from the equation. See `scipy.optimize.newton`.

    Parameters
    ----------
    func
        Takes an array like `x0`, and `args`, and returns one of that shape.
    x0
        Where to begin: a number or an array, real.
    fprime
        The slopes of `func`; they need not be given.
    args
        Further arguments: a tuple, or the only one.
    tol, rtol
        It ends after a step of at most `tol + rtol * abs(x)`, or of what the dtype resolves.
    maxiter
        How many steps are made at most: 50 by default.
    fprime2, x1
        SciPy's, for other methods, and not looked at.

    Raises
    ------
    ValueError
        if `func` returns another rank.

    Examples
    --------
    >>> newton(lambda x: x**3 - [1.0, 8.0, 27.0], [1.5, 1.5, 1.5]).eval().round(6)
    array([1., 2., 3.])
    """
    start, more = begun(x0, "newton: x0"), tuple_of(args)
    most = iterations(maxiter, 50)

    def function(x: Any) -> TensorVariable:
        value = as_tensor(func(x, *more))
        if value.ndim != start.ndim:
            raise ValueError(f"newton: func must return the shape of x0, not {value!r}{called()}")
        return value.astype(start.dtype)

    def both(x: Any) -> Any:
        value = function(x)
        slope = grad(value.sum(), x) if fprime is None else as_tensor(fprime(x, *more))
        return value, slope.astype(start.dtype)

    def body(s: _Steps) -> _Steps:
        value, slope = evaluated(both, s.x)
        flat = slope.eq(0)
        step = where(value.eq(0), 0, where(flat, np.nan, value / where(flat, 1, slope)))
        x = where(s.is_root, s.x, s.x - step).astype(start.dtype)
        near = maximum(tol + rtol * absolute(x), 4 * resolution(start) * absolute(x))
        return _Steps(x, s.is_root | (absolute(step) <= near), s.nit + 1)

    first = _Steps(start, ~start.eq(start), as_tensor(0))
    end: _Steps = while_loop(
        lambda s: any(~s.is_root & isfinite(s.x)) & (s.nit < most), body, first
    )
    x = custom_root(function, end.x, lambda f, x: x, lambda g, y: y / g(y * 0 + 1))
    return where(end.is_root, x, np.nan).astype(start.dtype)


def fixed_point(
    func: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    xtol: float = 1e-8,
    maxiter: SizeLike | None = None,
    method: str = "del2",
) -> TensorVariable:
    """The x with `func(x, *args) = x`, by steps from `x0`; NaN where they lead to none.

    Derivatives, in both modes, by what `func` uses besides follow from the equation. See
    `scipy.optimize.fixed_point`, and `wt.fixed_point`, which takes nested structures.

    Parameters
    ----------
    func
        Takes an array like `x0`, and `args`, and returns one of that shape.
    x0
        Where to begin: a number or an array, real.
    args
        Further arguments: a tuple, or the only one.
    xtol
        It ends where no element is changed by a larger part of itself.
    maxiter
        How many steps are made at most: 500 by default.
    method
        "del2" for Steffensen's, which takes two steps and goes on as they do, or "iteration".

    Raises
    ------
    ValueError
        for another method.

    Examples
    --------
    >>> from weft_tensor import cos
    >>> fixed_point(cos, 1.0).eval().round(6)
    np.float64(0.739085)
    """
    if method not in ("del2", "iteration"):
        raise ValueError(f"fixed_point: method is 'del2' or 'iteration', not {method!r}{called()}")
    start, most = begun(x0, "fixed_point: x0"), iterations(maxiter, 500)
    vector, flat = flattened(func, start, tuple_of(args))
    n = lengths_of(vector)[0]

    def function(x: Any) -> TensorVariable:
        return reshape(flat(x), (n,)).astype(vector.dtype)

    def body(s: _Steps) -> _Steps:
        x = function(s.x)
        if method == "del2":
            after = function(x)
            bend = after - 2 * x + s.x
            straight = bend.eq(0)
            x = where(straight, after, s.x - (x - s.x) ** 2 / where(straight, 1, bend))
        x = x.astype(vector.dtype)
        part = where(s.x.eq(0), x, (x - s.x) / where(s.x.eq(0), 1, s.x))
        near = max(xtol, 4 * resolution(vector))
        return _Steps(x, all(absolute(part) < near), s.nit + 1)

    first = _Steps(vector, as_tensor(False), as_tensor(0))
    end: _Steps = while_loop(
        lambda s: ~s.is_root & all(isfinite(s.x)) & (s.nit < most), body, first
    )
    x = custom_root(lambda x: function(x) - x, end.x, lambda f, x: x, solve_linear)
    return reshape(where(end.is_root, x, np.nan).astype(x.dtype), lengths_of(start))


def fsolve(
    func: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    fprime: Any = None,
    *,
    xtol: float | None = None,
    maxfev: SizeLike | None = None,
) -> TensorVariable:
    """Where as many functions as there are numbers are zero: the x of `root`, NaN if it fails.

    `fprime` is not looked at: derivatives are made. See `scipy.optimize.fsolve`.

    >>> from weft_tensor import stack
    >>> fsolve(lambda x: stack([x[0] * x[1] - 8, x[0] - 2 * x[1]]), [1.0, 1.0]).eval().round(6)
    array([4., 2.])
    """
    end = root(func, x0, args, tol=xtol, maxiter=maxfev)
    return where(end.success, end.x, np.nan).astype(end.x.dtype)
