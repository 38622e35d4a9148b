"""One step of the method of Dormand and Prince, and what lies between its ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.shape.concatenate import stack

__all__ = [
    "Field",
    "Tolerances",
    "bends",
    "between",
    "error_of",
    "first_width",
    "stages",
    "width_factor",
]

Field = Callable[[Any, Any], TensorVariable]
"""From a state, a vector, and a time to the rate at which the state changes."""

# Dormand and Prince, A family of embedded Runge-Kutta formulae (1980): table 2, RK5(4)7M.
_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_WEIGHTS: Sequence[Sequence[float]] = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
# Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.6: (6.12), for
# the fourth order between the ends.
_CURVE = (
    -12715105075 / 11282082432,
    0.0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)


class Tolerances(NamedTuple):
    """How large an error of a step may be: `absolute + relative * abs(y)`."""

    relative: float
    absolute: float

    def norm(self, error: TensorVariable, *states: TensorVariable) -> TensorVariable:
        """The root mean square of `error` over what is allowed: at most 1 for a good step."""
        size = absolute(states[0])
        for y in states[1:]:
            size = maximum(size, absolute(y))
        return sqrt(mean((error / (self.absolute + self.relative * size)) ** 2))


def stages(field: Field, y: Any, t: Any, h: Any, rate: Any) -> tuple[Any, Sequence[Any]]:
    """The state after a step of width h, and the rates on the way; `rate` is the first of them.

    The last of them is that of the new state.
    """
    rates, state = [rate], y
    for node, weights in zip(_NODES, _WEIGHTS, strict=True):
        state = y + h * _combination(weights, rates)
        rates.append(field(state, t + node * h))
    return state, rates


def error_of(h: Any, rates: Sequence[Any]) -> TensorVariable:
    """What the step lacks, by the formula of fourth order that has the same rates."""
    return h * _combination(_ERROR, rates)


def bends(y: Any, after: Any, h: Any, rates: Sequence[Any]) -> TensorVariable:
    """How the way from `y` to `after` differs from a line: three vectors, for `between`."""
    moved = after - y
    bend = h * rates[0] - moved
    return stack([bend, moved - h * rates[-1] - bend, h * _combination(_CURVE, rates)])


def between(y: Any, after: Any, curves: Sequence[Any], part: Any) -> TensorVariable:
    """The state at `part` of a step, from 0 to 1; `curves` are the three that `bends` gives."""
    bend, turn, curve = curves
    rest = 1 - part
    return y + part * (after - y + rest * (bend + part * (turn + rest * curve)))


def width_factor(norm: TensorVariable) -> TensorVariable:
    """By how much the next try is wider, after one whose error has that norm; NaN narrows."""
    factor = minimum(10.0, maximum(0.2, 0.9 * maximum(norm, 1e-6) ** -0.2))
    return where(norm < np.inf, factor, 0.2)


def first_width(field: Field, y: Any, rate: Any, end: Any, allowed: Tolerances) -> TensorVariable:
    """How wide the first step is, by the rates at two states near the first.

    Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.4.
    """
    size, speed = allowed.norm(y, y), allowed.norm(rate, y)
    small = (size < 1e-5) | (speed < 1e-5)
    guess = minimum(where(small, 1e-6, 0.01 * quotient(size, speed)), end)
    other = field(y + guess * rate, guess)
    bend = quotient(allowed.norm(other - rate, y), guess)
    largest = maximum(speed, bend)
    flat = maximum(1e-6, guess * 1e-3)
    width = where(largest <= 1e-15, flat, (0.01 / maximum(largest, 1e-15)) ** 0.2)
    return minimum(minimum(100 * guess, width), end)


def _combination(weights: Sequence[float], rates: Sequence[Any]) -> TensorVariable:
    return reduce(add, [w * rate for w, rate in zip(weights, rates, strict=False) if w])
