"""Steps downhill: where they lead from a point, within bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
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


def first_descent(value_and_slopes: ValueAndSlopes, start: TensorVariable, how: Method) -> Descent:
    """Where a search begins, without a step."""
    value, slopes = value_and_slopes(start)
    memory, none, one = how.start(slopes), as_tensor(0), as_tensor(1)
    begun = Descent(start, value, slopes, memory, none, one, as_tensor(True))
    return begun._replace(going=begun.is_finite)


def descended(
    value_and_slopes: ValueAndSlopes,
    scalar: Callable[[TensorVariable], TensorVariable],
    first: Descent,
    most: TensorVariable,
    how: Method,
    flat_at: Callable[[Descent], TensorVariable],
    bounds: Bounds | None,
) -> Descent:
    """Where steps of that method lead, until there are `most`."""

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
        trial = go_down(value_and_slopes, state.x, state.fun, slopes, direction, bounds)
        x, value, after = (
            where(trial.found, new, old)
            for new, old in zip((trial.x, trial.fun, trial.jac), state[:3], strict=True)
        )
        change = after - state.jac if bounds is None else where(free, after - state.jac, 0)
        memory = how.after(state.memory, x - state.x, change, state.nit.eq(0))
        calls = state.nfev + trial.calls
        return Descent(x, value, after, memory, state.nit + 1, calls, trial.found)

    end: Descent = while_loop(lambda s: s.going & (s.nit < most) & ~flat_at(s), body, first)
    return end
