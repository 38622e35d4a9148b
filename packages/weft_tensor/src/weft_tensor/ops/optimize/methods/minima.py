"""Minima of one number, and without slopes, by SciPy's names; derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.optimize.downhill.minimum import minimize
from weft_tensor.ops.optimize.problem import begun, resolution
from weft_tensor.ops.optimize.scalar_minimum import minimize_scalar
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["approx_fprime", "brent", "check_grad", "fmin", "fminbound", "golden"]


def brent(
    func: Callable[..., Any],
    args: Any = (),
    brack: Sequence[TensorLike] | None = None,
    tol: float | None = None,
    maxiter: SizeLike | None = None,
) -> TensorVariable:
    """Where a function of one number has a minimum: the x of `minimize_scalar`.

    `golden` is the same function, since there is one method. See `scipy.optimize.brent`.

    >>> brent(lambda x: (x - 3) ** 2, brack=(0.0, 1.0)).eval().round(6)
    np.float64(3.0)
    """
    return minimize_scalar(func, brack, None, args, tol=tol, maxiter=maxiter).x


golden = brent


def fminbound(
    func: Callable[..., Any],
    x1: TensorLike,
    x2: TensorLike,
    args: Any = (),
    xtol: float | None = None,
    maxfun: SizeLike | None = None,
) -> TensorVariable:
    """Where a function of one number has a minimum between bounds: the x of `minimize_scalar`.

    See `scipy.optimize.fminbound`.

    >>> fminbound(lambda x: (x - 3) ** 2, 0.0, 5.0).eval().round(6)
    np.float64(3.0)
    """
    return minimize_scalar(func, None, (x1, x2), args, tol=xtol, maxiter=maxfun).x


def fmin(
    func: Callable[..., Any],
    x0: TensorLike,
    args: Any = (),
    xtol: float = 1e-4,
    ftol: float = 1e-4,
    maxiter: SizeLike | None = None,
    maxfun: SizeLike | None = None,
    full_output: bool = False,
    disp: bool = True,
    retall: bool = False,
    callback: None = None,
    initial_simplex: TensorLike | None = None,
) -> Any:
    """Where a function without slopes has a minimum: the x of `minimize` by "Nelder-Mead".

    With `full_output` also the value, how many steps and calls there were, and the status of
    `minimize`. `disp` makes no difference; `retall` and `callback` are ValueErrors, since no step
    is kept. See `scipy.optimize.fmin`.

    >>> fmin(lambda x: abs(x[0] - 3) + abs(x[1] + x[0]), [1.0, 1.0]).eval().round(3)
    array([ 3., -3.])
    """
    if retall or callback is not None:
        raise ValueError(f"fmin keeps no step: neither retall nor callback{called()}")
    options = {"xatol": xtol, "fatol": ftol, "maxfev": maxfun, "initial_simplex": initial_simplex}
    end = minimize(func, x0, args, "Nelder-Mead", options=options, maxiter=maxiter)
    return (end.x, end.fun, end.nit, end.nfev, end.status) if full_output else end.x


def approx_fprime(
    xk: TensorLike,
    f: Callable[..., Any],
    epsilon: TensorLike | None = None,
    *args: Any,
) -> TensorVariable:
    """The derivatives of `f(x, *args)` at the vector `xk` by forward differences.

    `grad` and `jacobian` are exact. `f` returns a number or a vector; `epsilon`, a number or one
    for each element, is by default the square root of what the dtype resolves. See
    `scipy.optimize.approx_fprime`.

    >>> approx_fprime([1.0, 2.0], lambda x: (x**2).sum()).eval().round(4)
    array([2., 4.])
    """
    x = begun(xk, "approx_fprime: xk")
    step = as_tensor(resolution(x) ** 0.5 if epsilon is None else epsilon).astype(x.dtype)
    places = x + eye(lengths_of(x)[0], dtype=x.dtype) * step

    def function(v: Any) -> TensorVariable:
        return as_tensor(f(v, *args))

    changes = moveaxis(lazy_import("weft_tensor.batching.functions.vmap")(function)(places), 0, -1)
    value = function(x)
    return (changes - (value.expand_dims(-1) if value.ndim else value)) / step


def check_grad(
    func: Callable[..., Any],
    grad: Callable[..., Any],
    x0: TensorLike,
    *args: Any,
    epsilon: TensorLike | None = None,
) -> TensorVariable:
    """How far `grad(x0, *args)` is from differences: the root of the sum of squares.

    See `scipy.optimize.check_grad`.

    >>> check_grad(lambda x: (x**2).sum(), lambda x: 2 * x, [1.0, 2.0]).eval() < 1e-6
    np.True_
    """
    apart = as_tensor(grad(as_tensor(x0), *args)) - approx_fprime(x0, func, epsilon, *args)
    return sqrt(sum(apart**2))
