"""How far to go in a direction in which a function decreases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.optimize.bounds import Bounds
from weft_tensor.ops.optimize.problem import resolution

__all__ = ["Trial", "go_down"]

_DECREASE, _SLOPE = 1e-4, 0.9
_MOST = 50


class Trial(NamedTuple):
    """A point in the direction, and what is known of how far to go."""

    step: Any
    low: Any
    high: Any
    x: Any
    fun: Any
    jac: Any
    calls: Any
    found: Any


def go_down(
    value_and_slopes: Callable[[TensorVariable], tuple[TensorVariable, TensorVariable]],
    x: TensorVariable,
    fun: TensorVariable,
    jac: TensorVariable,
    is_new: TensorVariable,
    direction: TensorVariable,
    bounds: Bounds | None = None,
) -> Trial:
    """A point `x + step * direction` that satisfies the weak Wolfe conditions.

    Within bounds, it is the nearest to that.
    If the point is new, what is in that direction is as good as any.
    Steps are doubled until one is too long, then halved between the longest too short and the
    shortest too long (Lewis and Overton, Nonsmooth optimization via quasi-Newton methods, 2013).
    Where the decrease is lost in rounding, slopes alone decide, as Hager and Zhang do (2005).
    What is not a number is too long.
    """
    slope = jac @ direction
    noise = 1e3 * resolution(x) * absolute(fun)

    def body(trial: Trial) -> Trial:
        at, along = x + trial.step * direction, direction
        drop = trial.step * slope
        if bounds is not None:
            at = bounds.inside(at)
            along, drop = bounds.along(at, direction), jac @ (at - x)
        value, slopes = value_and_slopes(at)
        new = slopes @ along
        lower = (value <= fun + _DECREASE * drop) | (
            (value <= fun + noise) & (new <= (2 * _DECREASE - 1) * slope)
        )
        holds = is_new | (lower & (new >= _SLOPE * slope))
        low = where(lower, trial.step, trial.low)
        high = where(lower, trial.high, trial.step)
        step = where(high < np.inf, (low + high) / 2, 2 * low)
        step = where(holds, trial.step, step)
        return Trial(step, low, high, at, value, slopes, trial.calls + 1, holds)

    one = as_tensor(1.0).astype(x.dtype)
    first = Trial(one, 0 * one, np.inf * one, x, fun, jac, as_tensor(0), as_tensor(False))
    end: Trial = while_loop(lambda t: ~t.found & (t.calls < _MOST), body, first)
    return end
