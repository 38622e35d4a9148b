"""One step of a Runge-Kutta method, and what lies between its ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.reduction.standard import mean
from weft_tensor.ops.shape.concatenate import stack

__all__ = [
    "BOGACKI_SHAMPINE",
    "DORMAND_PRINCE",
    "EIGHTH_ORDER",
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


# Bogacki and Shampine, A 3(2) pair of Runge-Kutta formulas (1989).
_FEWER_NODES = (1 / 2, 3 / 4, 1.0)
_FEWER_WEIGHTS: Sequence[Sequence[float]] = ((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9))
_FEWER_ERROR = (5 / 72, -1 / 12, -1 / 9, 1 / 8)
_TABLES = ("A", "B", "C", "E3", "E5", "D", "A_EXTRA", "C_EXTRA")


class Tolerances(NamedTuple):
    """How large an error of a step may be, `absolute + relative * abs(y)`, and how wide it is."""

    relative: Any
    absolute: Any
    first: float | None = None
    """How wide the first step is, if not by the rates."""
    widest: float = np.inf

    def norm(self, error: TensorVariable, *states: TensorVariable) -> TensorVariable:
        """The root mean square of `error` over what is allowed: at most 1 for a good step.

        Of two errors, of fifth and third order, one of higher order: Hairer, Norsett and Wanner,
        Solving Ordinary Differential Equations I (1993), II.10, (10.17).
        """
        size = absolute(states[0])
        for y in states[1:]:
            size = maximum(size, absolute(y))
        squares = mean((error / (self.absolute + self.relative * size)) ** 2, -1)
        if error.ndim == 1:
            return sqrt(squares)
        fifth, third = squares[0], squares[1]
        return quotient(fifth, sqrt(fifth + 0.01 * third))


class Step(NamedTuple):
    """What a step gives."""

    after: Any
    """The state at its end."""
    error: Any
    """How far that may be off: a vector, or two rows, for `Tolerances.norm`."""
    curves: Any
    """How the way there differs from a line: rows, for `between`."""
    rate: Any
    """The rate at its end."""


class Method(NamedTuple):
    """How a step is made, and of which order the method is."""

    step: Callable[[Field, Any, Any, Any, Any], Step]
    """Of the field, the state, the time, how wide the step is, and the rate where it begins."""
    order: int
    curves: int = 3
    """How many curves a step has."""

    def width_factor(self, norm: TensorVariable) -> TensorVariable:
        """By how much the next try is wider, after an error of that norm; NaN narrows."""
        factor = minimum(10.0, maximum(0.2, 0.9 * maximum(norm, 1e-6) ** (-1 / self.order)))
        return where(norm < np.inf, factor, 0.2)


def _stages(
    field: Field,
    start: tuple[Any, Any, Any],
    rates: list[Any],
    nodes: Sequence[float],
    weights: Sequence[Sequence[float]],
) -> Any:
    """The last state; the rate at each is appended. A step starts at a state and a time, h wide."""
    y, t, h = start
    after = y
    for node, row in zip(nodes, weights, strict=True):
        after = y + h * combination(row, rates)
        rates.append(field(after, t + node * h))
    return after


def _cubic(y: Any, after: Any, h: Any, rate: Any, last: Any) -> list[Any]:
    """The curves that meet the rates at both ends."""
    bend = h * rate - (after - y)
    return [bend, after - y - h * last - bend]


def _third(field: Field, y: Any, t: Any, h: Any, rate: Any) -> Step:
    rates = [rate]
    after = _stages(field, (y, t, h), rates, _FEWER_NODES, _FEWER_WEIGHTS)
    error = h * combination(_FEWER_ERROR, rates)
    return Step(after, error, stack(_cubic(y, after, h, rate, rates[-1])), rates[-1])


def _fifth(field: Field, y: Any, t: Any, h: Any, rate: Any) -> Step:
    """The error is what the formula of fourth order, which has the same rates, differs by."""
    rates = [rate]
    after = _stages(field, (y, t, h), rates, _NODES, _WEIGHTS)
    curves = [*_cubic(y, after, h, rate, rates[-1]), h * combination(_CURVE, rates)]
    return Step(after, h * combination(_ERROR, rates), stack(curves), rates[-1])


def _eighth(field: Field, y: Any, t: Any, h: Any, rate: Any) -> Step:
    """Twelve stages, and three more for what lies between; the numbers are those of SciPy."""
    table = lazy_import("scipy.integrate.DOP853")
    numbers = {name: getattr(table, name).tolist() for name in _TABLES}
    rates, start = [rate], (y, t, h)
    nodes, weights = [*numbers["C"][1:], 1.0], [*numbers["A"][1:], numbers["B"]]
    after = _stages(field, start, rates, nodes, weights)
    last = rates[-1]
    errors = [h * combination(numbers[name], rates) for name in ("E5", "E3")]
    _stages(field, start, rates, numbers["C_EXTRA"], numbers["A_EXTRA"])
    further = [h * combination(row, rates) for row in numbers["D"]]
    return Step(after, stack(errors), stack([*_cubic(y, after, h, rate, last), *further]), last)


BOGACKI_SHAMPINE = Method(_third, 3, 2)
"""SciPy's "RK23"."""
DORMAND_PRINCE = Method(_fifth, 5)
"""SciPy's "RK45"."""
EIGHTH_ORDER = Method(_eighth, 8, 6)
"""SciPy's "DOP853"."""


def between(y: Any, after: Any, curves: Sequence[Any], part: Any) -> TensorVariable:
    """The state at `part` of a step, from 0 to 1; `curves` are those of a `Step`."""
    *others, total = curves
    for k, curve in reversed([*enumerate([after - y, *others])]):
        total = curve + (part if k % 2 else 1 - part) * total
    return y + part * total


def first_width(
    method: Method, field: Field, y: Any, rate: Any, end: Any, allowed: Tolerances
) -> TensorVariable:
    """How wide the first step is: as `allowed` says, or by the rates at two states near the first.

    Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.4.
    """
    most = minimum(end, allowed.widest)
    if allowed.first is not None:
        return minimum(allowed.first, most).astype(end.dtype)
    size, speed = allowed.norm(y, y), allowed.norm(rate, y)
    small = (size < 1e-5) | (speed < 1e-5)
    guess = minimum(where(small, 1e-6, 0.01 * quotient(size, speed)), end)
    other = field(y + guess * rate, guess)
    bend = quotient(allowed.norm(other - rate, y), guess)
    largest = maximum(speed, bend)
    flat = maximum(1e-6, guess * 1e-3)
    width = where(largest <= 1e-15, flat, (0.01 / maximum(largest, 1e-15)) ** (1 / method.order))
    return minimum(minimum(100 * guess, width), most)


def combination(weights: Sequence[float], rates: Sequence[Any]) -> TensorVariable:
    """The sum of the rates, each times its weight.

    >>> from weft_tensor import as_tensor
    >>> combination([2.0, 0.0, 1.0], [as_tensor(v) for v in (1.0, 5.0, 3.0)]).eval()
    array(5.)
    """
    return reduce(add, [w * rate for w, rate in zip(weights, rates, strict=False) if w])
