"""Integrals over areas: one integral inside another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.integrate.adaptive import quad
from weft_tensor.ops.optimize.problem import tuple_of

__all__ = ["dblquad"]

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
    more = tuple_of(args)

    def within(x: TensorVariable) -> TensorVariable:
        low, high = (end(x) if callable(end) else end for end in (gfun, hfun))
        return quad(
            lambda y: func(y, x, *more), low, high, epsabs=epsabs, epsrel=epsrel, limit=limit
        )[0]

    return quad(within, a, b, epsabs=epsabs, epsrel=epsrel, limit=limit)
