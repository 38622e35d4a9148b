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
    "DORMAND_PRINCE",
    "Field",
    "Method",
    "Step",
    "Tolerances",
    "between",
    "combination",
    "first_width",
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


class Step(NamedTuple):
    """What a step gives."""

    after: Any
    """The state at its end."""
    error: Any
    """How far that may be off."""
    curves: Any
    """How the way there differs from a line: three vectors, for `between`."""
    rate: Any
    """The rate at its end."""


class Method(NamedTuple):
    """How a step is made, and of which order the method is."""

    step: Callable[[Field, Any, Any, Any, Any], Step]
    """Of the field, the state, the time, how wide the step is, and the rate where it begins."""
    order: int

    def width_factor(self, norm: TensorVariable) -> TensorVariable:
        """By how much the next try is wider, after an error of that norm; NaN narrows."""
        factor = minimum(10.0, maximum(0.2, 0.9 * maximum(norm, 1e-6) ** (-1 / self.order)))
        return where(norm < np.inf, factor, 0.2)


def _step(field: Field, y: Any, t: Any, h: Any, rate: Any) -> Step:
    """The error is what the formula of fourth order, which has the same rates, differs by."""
    rates, after = [rate], y
    for node, weights in zip(_NODES, _WEIGHTS, strict=True):
        after = y + h * combination(weights, rates)
        rates.append(field(after, t + node * h))
    moved = after - y
    bend = h * rate - moved
    curves = stack([bend, moved - h * rates[-1] - bend, h * combination(_CURVE, rates)])
    return Step(after, h * combination(_ERROR, rates), curves, rates[-1])


DORMAND_PRINCE = Method(_step, 5)
"""SciPy's "RK45"."""


def between(y: Any, after: Any, curves: Sequence[Any], part: Any) -> TensorVariable:
    """The state at `part` of a step, from 0 to 1; `curves` are those of a `Step`."""
    bend, turn, curve = curves
    rest = 1 - part
    return y + part * (after - y + rest * (bend + part * (turn + rest * curve)))


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


def combination(weights: Sequence[float], rates: Sequence[Any]) -> TensorVariable:
    """The sum of the rates, each times its weight.

    >>> from weft_tensor import as_tensor
    >>> combination([2.0, 0.0, 1.0], [as_tensor(v) for v in (1.0, 5.0, 3.0)]).eval()
    array(5.)
    """
    return reduce(add, [w * rate for w, rate in zip(weights, rates, strict=False) if w])
