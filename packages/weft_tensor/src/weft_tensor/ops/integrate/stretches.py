"""The states at given times, by steps of adaptive width."""

from __future__ import annotations

from typing import Any, NamedTuple

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import scan, while_loop
from weft_tensor.ops.creation.creation import zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.integrate.runge_kutta import (
    Field,
    Method,
    Tolerances,
    between,
    first_width,
)
from weft_tensor.ops.numbers.quotient import quotient
from weft_tensor.ops.optimize.problem import resolution
from weft_tensor.ops.shape.length import lengths_of

__all__ = [
    "Record",
    "Solution",
    "Stretch",
    "Way",
    "advanced",
    "behind",
    "first_way",
    "mark",
    "solved",
]


class Stretch(NamedTuple):
    """A step: the states before and after it, when it begins and ends, and what lies between."""

    before: Any
    after: Any
    curves: Any
    begin: Any
    end: Any

    @classmethod
    def at(cls, y: Any, time: Any, curves: int) -> Stretch:
        """None yet: a step of no width."""
        return cls(y, y, zeros((curves, lengths_of(y)[0]), dtype=y.dtype), time, time)

    def read(self, time: Any) -> TensorVariable:
        """The state at a time within."""
        part = quotient(time - self.begin, self.end - self.begin)
        curves = [index(self.curves, j) for j in range(self.curves.type.shape[0])]
        return between(self.before, self.after, curves, part)


def behind(last: Stretch, time: Any, count: Any) -> TensorVariable:
    """Whether another step is to be made: what lies where the first begins is read from it."""
    return (last.end < time) | (count < 1)


class Record(NamedTuple):
    """From which the steps can be made again."""

    count: Any
    """How many steps were good."""
    times: Any
    """When they begin, and when the last ends, as far as `count` says."""
    marks: Any
    """The states before every `block`-th."""


def mark(count: Any, block: int) -> Any:
    """Where the state after `count` steps is kept, until there are more than a block has."""
    return (count + (block - 1)) // block


class Solution(NamedTuple):
    """States in rows, one for each time, NaN beyond the last time that was reached."""

    states: Any
    reached: Any
    record: Record


class Way(NamedTuple):
    """The last step, and what the next one begins with."""

    last: Stretch
    rate: Any
    """The rate at its end."""
    width: Any
    """How wide the next step may be."""
    tries: Any
    good: Any
    """Whether the last try was a step."""

    def goes_on(self, max_steps: int) -> TensorVariable:
        """Whether another step may be tried."""
        least = 10 * resolution(self.last.after) * self.last.end
        going: TensorVariable = (self.tries < max_steps) & (self.width > least)
        return going


def first_way(method: Method, field: Field, y: Any, end: Any, allowed: Tolerances) -> Way:
    """None yet, from `y` at time 0 towards `end`."""
    zero = zeros_like(end)
    rate = field(y, zero)
    width = first_width(method, field, y, rate, end, allowed)
    last = Stretch.at(y, zero, method.curves)
    return Way(last, rate, width, as_tensor(0), as_tensor(False))


def advanced(method: Method, field: Field, way: Way, end: Any, allowed: Tolerances) -> Way:
    """After one more try of a step, not beyond `end`."""
    y, t = way.last.after, way.last.end
    ends = t + way.width >= end
    width = where(ends, end - t, way.width)
    step = method.step(field, y, t, width, way.rate)
    norm = allowed.norm(step.error, y, step.after)
    good = norm <= 1
    t_after = where(good, where(ends, end, t + width), t)
    return Way(
        Stretch(y, where(good, step.after, y), step.curves, t, t_after),
        where(good, step.rate, way.rate),
        minimum(width * method.width_factor(norm), allowed.widest),
        way.tries + 1,
        good,
    )


def solved(
    method: Method,
    field: Field,
    y: TensorVariable,
    passed: TensorVariable,
    allowed: Tolerances,
    max_steps: int,
    block: int,
) -> Solution:
    """From `y` at time 0 through the times `passed`, which are in order and not negative."""
    end = index(passed, -1)

    def advance(state: tuple[Way, Record]) -> tuple[Way, Record]:
        way, record = state
        way = advanced(method, field, way, end, allowed)
        count = record.count + where(way.good, 1, 0)
        return way, Record(
            count,
            updated(index(record.times, count), "set", way.last.end),
            updated(index(record.marks, mark(count, block)), "set", way.last.after),
        )

    def reach(state: tuple[Way, Record], time: Any) -> tuple[tuple[Way, Record], Any]:
        way, record = while_loop(
            lambda s: behind(s[0].last, time, s[1].count) & s[0].goes_on(max_steps), advance, state
        )
        return (way, record), where(time <= way.last.end, way.last.read(time), float("nan"))

    record = Record(
        as_tensor(0),
        zeros((max_steps + 1,), dtype=end.dtype),
        updated(
            index(zeros((-(-max_steps // block) + 1, lengths_of(y)[0]), dtype=y.dtype), 0),
            "set",
            y,
        ),
    )
    (way, record), states = scan(reach, (first_way(method, field, y, end, allowed), record), passed)
    return Solution(states, way.last.end, record)
