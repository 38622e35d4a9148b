"""Steps downhill: where they lead from a point, within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.optimize.bounds import Bounds
from weft_tensor.ops.optimize.downhill.directions import Method
from weft_tensor.ops.optimize.downhill.line_search import go_down
from weft_tensor.ops.optimize.problem import size_of

__all__ = ["Descent", "ValueAndSlopes", "descended", "first_descent", "free_slopes"]


ValueAndSlopes = Callable[[TensorVariable], tuple[TensorVariable, TensorVariable]]


class Descent(NamedTuple):
    """Where a search is: the point, the function and its slopes there, and what it remembers."""

    x: Any
    fun: Any
    jac: Any
    memory: Any
    nit: Any
    nfev: Any
    going: Any
    is_new: Any
    """Whether nothing is known but the point, which is as good as any."""

    @property
    def is_finite(self) -> TensorVariable:
        """Whether the function and its slopes are finite."""
        return isfinite(self.fun) & isfinite(size_of(self.jac))


def free_slopes(state: Descent, bounds: Bounds | None) -> TensorVariable:
    """The slopes of what no bound holds."""
    if bounds is None:
        slopes: TensorVariable = state.jac
        return slopes
    return where(bounds.held(state.x, state.jac).eq(0), state.jac, 0)


def first_descent(
    scalar: Callable[[TensorVariable], TensorVariable], start: TensorVariable, how: Method
) -> Descent:
    """Where a search begins, without a step and without a value of the function."""
    none, yes = as_tensor(0), as_tensor(True)
    value, slopes = as_tensor(np.inf).astype(scalar(start).dtype), zeros_like(start)
    return Descent(start, value, slopes, how.start(slopes), none, none, yes, yes)


def descended(
    value_and_slopes: ValueAndSlopes,
    scalar: Callable[[TensorVariable], TensorVariable],
    first: Descent,
    most: TensorVariable,
    how: Method,
    flat_at: Callable[[Descent], TensorVariable],
    bounds: Bounds | None,
) -> Descent:
    """Where steps of that method lead, until there are `most`.

    A new search goes nowhere first, so that one loop alone computes the function.
    """

    def body(state: Descent) -> Descent:
        slopes, step_of = free_slopes(state, bounds), how.direction
        if bounds is None:
            direction = step_of(scalar, state.x, slopes, state.memory)
        else:
            free = bounds.held(state.x, state.jac).eq(0)
            direction = step_of(
                lambda v: scalar(where(free, v, state.x)), state.x, slopes, state.memory
            )
            direction = bounds.along(state.x, where(free, direction, 0))
        reach = where(state.nit.eq(0), how.reach(slopes), 1).astype(state.x.dtype)
        direction = where(state.is_new, 0, reach * direction)
        start = (state.x, state.fun, slopes, state.is_new)
        trial = go_down(value_and_slopes, *start, direction, bounds)
        x, value, after = (
            where(trial.found, new, old)
            for new, old in zip((trial.x, trial.fun, trial.jac), state[:3], strict=True)
        )
        change = after - state.jac if bounds is None else where(free, after - state.jac, 0)
        memory = how.after(state.memory, x - state.x, change, state.nit.eq(0))
        nit = state.nit + where(state.is_new, 0, 1)
        calls = state.nfev + trial.calls
        going = trial.found & isfinite(value) & isfinite(size_of(after))
        return Descent(x, value, after, memory, nit, calls, going, as_tensor(False))

    def goes_on(s: Descent) -> TensorVariable:
        return s.is_new | (s.going & (s.nit < most) & ~flat_at(s))

    end: Descent = while_loop(goes_on, body, first)
    return end
