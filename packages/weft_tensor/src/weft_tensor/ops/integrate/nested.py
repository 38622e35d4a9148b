"""Integrals over areas: one integral inside another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.integrate.adaptive import quad
from weft_tensor.ops.optimize.problem import tuple_of

__all__ = ["dblquad", "nquad", "tplquad"]

Limit = TensorLike | Callable[..., Any]


def dblquad(
    func: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    gfun: Limit,
    hfun: Limit,
    args: Any = (),
    *,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
) -> tuple[TensorVariable, TensorVariable]:
    """The integral of `func(y, x, *args)`, for x from `a` to `b` and y from `gfun` to `hfun` of x.

    One `quad` inside another: with its derivatives, its errors, and its other arguments, of both.
    The second result is an estimate of the outer one's error. At the end the function is called at
    (21 limit)² places at once: give smooth ones a lower `limit`. See `scipy.integrate.dblquad`.

    Parameters
    ----------
    func
        Takes scalars y and x, and `args`, and returns a scalar.
    a, b
        Real scalars.
    gfun, hfun
        Functions of x, or real scalars; what is infinite is a number, not a function's.

    >>> area, _ = dblquad(lambda y, x: x * y * y, 0.0, 2.0, 0.0, lambda x: 1 - x / 2, limit=5)
    >>> round(area.eval().item(), 6)
    0.066667
    """
    return _nested(func, [(gfun, hfun), (a, b)], tuple_of(args), epsabs, epsrel, limit)


def tplquad(
    func: Callable[..., Any],
    a: TensorLike,
    b: TensorLike,
    gfun: Limit,
    hfun: Limit,
    qfun: Limit,
    rfun: Limit,
    args: Any = (),
    *,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 5,
) -> tuple[TensorVariable, TensorVariable]:
    """The integral of `func(z, y, x, *args)`, for z from `qfun` to `rfun` of x and y.

    As `dblquad`, with fewer intervals: at the end the function is called at (21 limit)³ places at
    once. See `scipy.integrate.tplquad`.

    >>> ball, _ = tplquad(lambda z, y, x: x * y * z, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, limit=1)
    >>> round(ball.eval().item(), 6)
    0.125
    """
    # as SciPy's, qfun and rfun take x before y, which no other function here does
    inner = [_turned(end) if callable(end) else end for end in (qfun, rfun)]
    limits = [inner, (gfun, hfun), (a, b)]
    return _nested(func, limits, tuple_of(args), epsabs, epsrel, limit)


def _turned(end: Callable[..., Any]) -> Callable[..., Any]:
    return lambda y, x: end(x, y)


def nquad(
    func: Callable[..., Any],
    ranges: Sequence[Any],
    args: Any = (),
    *,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    """The integral of `func(x0, x1, ..., *args)` over one variable inside another, x0 innermost.

    As `dblquad`; there are at most 50 intervals for each of one or two variables, 5 of three, 1 of
    more: with n variables the function is called at (21 limit)**n places at once. See
    `scipy.integrate.nquad`. Raises ValueError for no ranges.

    Parameters
    ----------
    func
        Takes a scalar for each variable, and `args`, and returns a scalar.
    ranges
        A pair of limits for each variable, or a function of the variables that are further out,
        and of `args`, that gives a pair.

    >>> area, _ = nquad(lambda y, x: x * y, [lambda x: (0.0, 1 - x), (0.0, 1.0)], limit=2)
    >>> round(area.eval().item(), 6)
    0.041667
    """
    n, more = len(ranges), tuple_of(args)
    if not n:
        raise ValueError(f"nquad takes one range or more{called()}")
    limits = [_ends(r, more) if callable(r) else r for r in ranges]
    most = limit or {1: 50, 2: 50, 3: 5}.get(n, 1)
    return _nested(func, limits, more, epsabs, epsrel, most)


def _ends(pair: Callable[..., Any], more: tuple[Any, ...]) -> tuple[Limit, Limit]:
    return lambda *outer: pair(*outer, *more)[0], lambda *outer: pair(*outer, *more)[1]


def _nested(
    func: Callable[..., Any],
    limits: Sequence[Any],
    more: tuple[Any, ...],
    epsabs: float,
    epsrel: float,
    limit: int,
) -> tuple[TensorVariable, TensorVariable]:
    """The last limits are outermost; each may be a function of the variables that are further."""

    def over(k: int, outer: tuple[Any, ...]) -> tuple[TensorVariable, TensorVariable]:
        low, high = (end(*outer) if callable(end) else end for end in limits[k])

        def within(x: TensorVariable) -> Any:
            return over(k - 1, (x, *outer))[0] if k else func(x, *outer, *more)

        return quad(within, low, high, epsabs=epsabs, epsrel=epsrel, limit=limit)

    return over(len(limits) - 1, ())
