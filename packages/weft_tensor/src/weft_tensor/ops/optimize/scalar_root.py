"""Roots of functions of one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import value_and_grad
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import ones_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.implicit.search import Bracket, narrowed
from weft_tensor.ops.optimize.problem import (
    begun,
    by_options,
    evaluated,
    first_of_pair,
    iterations,
    resolution,
    tuple_of,
)
from weft_tensor.types.dtypes import promote

__all__ = ["RootResults", "root_scalar", "scalar_function", "scalars"]

Function = Callable[[Any], TensorVariable]
_BETWEEN: Final = ("bisect", "brentq", "brenth", "ridder", "toms748")
_FROM: Final = ("newton", "secant", "halley")


class RootResults(NamedTuple):
    """What a search for the root of a function of one number has found."""

    root: TensorVariable
    """Where it ended; NaN if there is no change of sign in the bracket."""
    iterations: TensorVariable
    """How many steps were made."""
    function_calls: TensorVariable
    """How many times the function was computed."""
    converged: TensorVariable
    """Whether it ended at a root."""


class _Newton(NamedTuple):
    x: Any
    nit: Any
    is_root: Any
    going: Any


def root_scalar(
    f: Callable[..., Any],
    args: Any = (),
    method: str | None = None,
    bracket: Sequence[TensorLike] | None = None,
    fprime: Any = None,
    fprime2: Any = None,
    x0: TensorLike | None = None,
    x1: TensorLike | None = None,
    *,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: SizeLike | None = None,
    options: Mapping[str, Any] | None = None,
) -> RootResults:
    """The x at which the scalar `f(x, *args)` is zero. See `scipy.optimize.root_scalar`.

    Between the ends of a bracket it is found by inverse quadratic interpolation and bisection
    (Chandrupatla, A new hybrid quadratic/bisection algorithm, 1997); from `x0`, by Newton's
    method. Derivatives of the root, in both modes, by what `f` uses besides follow from the
    equation, and no step is kept for them; those by where it begins are zero.

    Parameters
    ----------
    f
        Takes a scalar, and `args`, and returns a scalar. For many at once, see `vmap`.
    args
        Further arguments: a tuple, or the only one.
    method
        One of SciPy's names, which chooses between what needs a bracket and what needs `x0`.
    bracket
        Two numbers at which `f` has different signs.
    fprime, fprime2, x1
        With `fprime=True`, `f` returns a tuple, of which the first is taken. Nothing else is looked
        at: derivatives are made.
    x0
        Where Newton's method begins, if there is no bracket.
    xtol, rtol
        It ends where the root is known to `xtol + rtol * abs(x)`; by default, to four times what
        the dtype resolves.
    maxiter
        How many steps are made at most: 200 by default.
    options
        `xtol`, `rtol` and `maxiter`, again.

    Raises
    ------
    ValueError
        unless there is a bracket or `x0`, by the method; for another method, and what is no scalar.
    TypeError
        for complex numbers.

    Examples
    --------
    >>> from weft_graph import grad
    >>> from weft_tensor import scalar
    >>> a = scalar("a")
    >>> end = root_scalar(lambda x: x**3 - a, bracket=[0.0, 10.0])
    >>> [v.eval({a: 8.0}).round(6).item() for v in (end.root, grad(end.root, a))]
    [2.0, 0.083333]
    """
    if method is not None and method not in (*_BETWEEN, *_FROM):
        names = ", ".join((*_BETWEEN, *_FROM))
        raise ValueError(f"root_scalar: method is one of {names}, not {method!r}{called()}")
    if method in _FROM:
        bracket = None
    elif method is not None or bracket is not None:
        x0 = None
    if (bracket is None) == (x0 is None):
        needed = "x0" if method in _FROM else "a bracket" if method else "either a bracket or x0"
        raise ValueError(f"root_scalar needs {needed}{called()}")
    function = scalar_function(first_of_pair(f, fprime), tuple_of(args), "root_scalar: f")
    given: dict[str, Any] = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    given = by_options("root_scalar", options, {word: word for word in given}, given)
    xtol, rtol, most = given["xtol"], given["rtol"], iterations(given["maxiter"], 200)
    if bracket is not None:
        ends = scalars(bracket, 2, "root_scalar: bracket")
        allowed = _allowance(xtol, rtol, ends[0])
        results = _bracketed(function, ends, allowed, most)
    else:
        start = scalars([x0], 1, "root_scalar: x0")[0]
        results = _by_newton(function, start, _allowance(xtol, rtol, start), most)
    at = custom_root(function, results.root, lambda f, x: x, lambda g, y: y / g(ones_like(y)))
    return results._replace(root=at)


def scalar_function(f: Callable[..., Any], args: tuple[Any, ...], name: str) -> Function:
    """`f` with its further arguments, and a ValueError if it returns no scalar."""

    def function(x: Any) -> TensorVariable:
        value = as_tensor(f(x, *args))
        if value.ndim:
            raise ValueError(f"{name} must return a scalar, not {value!r}{called()}")
        return value.astype(x.dtype)

    return function


def scalars(values: Any, count: int, name: str) -> list[TensorVariable]:
    """`count` real scalars of one floating dtype; ValueError for others."""
    parts = list(values)
    if len(parts) != count:
        raise ValueError(f"{name} must be {count} numbers, not {len(parts)}{called()}")
    tensors = [begun(v, name) for v in parts]
    if any(v.ndim for v in tensors):
        raise ValueError(f"{name} must be of scalars, not {tensors!r}{called()}")
    dtype = promote([v.dtype for v in tensors])
    return [v.astype(dtype) for v in tensors]


def _allowance(xtol: float | None, rtol: float | None, like: TensorVariable) -> Function:
    least = 4 * resolution(like)
    absolute_part = least if xtol is None else xtol
    relative_part = least if rtol is None else rtol
    return lambda x: absolute_part + relative_part * absolute(x)


def _bracketed(
    f: Function, ends: Sequence[TensorVariable], allowed: Function, most: TensorVariable
) -> RootResults:
    low, high = ends
    first, last = f(low), f(high)
    half = as_tensor(0.5).astype(low.dtype)
    at_end = first.eq(0) | last.eq(0)
    begin = where(last.eq(0), high, low)
    start = Bracket(begin, high, high, first, last, last, where(at_end, 0, half))
    changes = at_end | (sign(first) * sign(last) < 0)
    end, count = while_loop(
        lambda s: changes & ~s[0].part.eq(0) & (s[1] < most),
        lambda s: (narrowed(f, s[0], allowed), s[1] + 1),
        (start, as_tensor(0)),
    )
    converged = changes & end.part.eq(0) & isfinite(end.a)
    return RootResults(where(changes, end.a, np.nan), count, count + 2, converged)


def _by_newton(
    f: Function, start: TensorVariable, allowed: Function, most: TensorVariable
) -> RootResults:
    def both(x: TensorVariable) -> Any:
        return value_and_grad(f(x), x)

    def body(s: _Newton) -> _Newton:
        value, slope = evaluated(both, s.x)
        step = where(slope.eq(0), np.nan, value / where(slope.eq(0), 1, slope))
        x = where(value.eq(0), s.x, s.x - step)
        is_root = absolute(x - s.x) <= allowed(x)
        return _Newton(x, s.nit + 1, is_root, ~is_root & isfinite(x))

    no = as_tensor(False)
    first = _Newton(start, as_tensor(0), no, as_tensor(True))
    end: _Newton = while_loop(lambda s: s.going & (s.nit < most), body, first)
    return RootResults(end.x, end.nit, end.nit, end.is_root & isfinite(end.x))
