"""How far to go in a direction, until both of Wolfe's conditions hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import where

__all__ = ["LineSearch", "line_search"]


class LineSearch(NamedTuple):
    """What `line_search` found, in SciPy's order."""

    alpha: TensorVariable
    """How many times the direction to go; NaN where none was found."""
    fc: TensorVariable
    """How many values of the function were computed."""
    gc: TensorVariable
    """How many gradients."""
    new_fval: TensorVariable
    """The value there."""
    old_fval: TensorVariable
    """The value at the start."""
    new_slope: TensorVariable
    """The gradient there."""


class _Trial(NamedTuple):
    step: Any
    low: Any
    high: Any
    value: Any
    gradient: Any
    count: Any
    holds: Any


def line_search(
    f: Callable[..., TensorLike],
    myfprime: Callable[..., TensorLike],
    xk: TensorLike,
    pk: TensorLike,
    gfk: TensorLike | None = None,
    old_fval: TensorLike | None = None,
    old_old_fval: TensorLike | None = None,
    args: tuple[Any, ...] = (),
    c1: float = 1e-4,
    c2: float = 0.9,
    amax: TensorLike | None = None,
    maxiter: int = 10,
) -> LineSearch:
    """A step from `xk` along `pk` with a lower value and a flatter slope, by the strong conditions.

    They are `f(x) <= f(xk) + c1 alpha slope` and `|slope at x| <= -c2 slope` (Nocedal and Wright,
    Numerical optimization, 2006, (3.7)). Steps are doubled, up to `amax`, until one is too long,
    then halved between those too short and too long. `myfprime` is the gradient of `f`; `gfk` and
    `old_fval` are what they give at `xk`, if known, and `old_old_fval` the value before it, from
    which the first step is guessed. See `scipy.optimize.line_search`, whose steps may be others.
    Raises ValueError if `f` gives no number.

    >>> import weft_tensor as wt
    >>> found = line_search(lambda x: (x**2).sum(), lambda x: 2 * x, [3.0, 4.0], [-6.0, -8.0])
    >>> found.alpha.eval(), found.new_fval.eval()
    (array(0.5), array(0.))
    """
    x, direction = as_floating(xk), as_tensor(pk)
    begin = as_floating(f(x, *args) if old_fval is None else old_fval)
    if begin.ndim:
        raise ValueError(f"line_search: f must give a number, not {begin!r}{called()}")
    slopes = as_tensor(myfprime(x, *args) if gfk is None else gfk)
    slope = (slopes * direction).sum()
    longest = as_tensor(np.inf if amax is None else amax).astype(x.dtype)
    first = as_tensor(1.0).astype(x.dtype)
    if old_old_fval is not None:
        guess = 2.02 * (begin - as_tensor(old_old_fval)) / slope
        first = where((guess > 0) & (guess < 1), guess, first)

    def body(trial: _Trial) -> _Trial:
        at = x + trial.step * direction
        value, gradient = as_tensor(f(at, *args)), as_tensor(myfprime(at, *args))
        new = (gradient * direction).sum()
        lower = value <= begin + c1 * trial.step * slope
        holds = lower & (absolute(new) <= -c2 * slope)
        is_short = lower & (new < 0)
        low, high = where(is_short, trial.step, trial.low), where(is_short, trial.high, trial.step)
        step = where(high < np.inf, (low + high) / 2, minimum(2 * low, longest))
        return _Trial(
            where(holds, trial.step, step), low, high, value, gradient, trial.count + 1, holds
        )

    one = minimum(first, longest)
    start = _Trial(one, 0 * one, np.inf * one, begin, slopes, as_tensor(0), as_tensor(False))
    end: _Trial = while_loop(lambda t: ~t.holds & (t.count < maxiter), body, start)
    known = (old_fval is None) + end.count, (gfk is None) + end.count
    alpha = where(end.holds, end.step, np.nan)
    return LineSearch(alpha, *known, end.value, begin, end.gradient)
