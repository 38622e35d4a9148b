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

__all__ = ["Record", "Solution", "Stretch", "behind", "solved"]


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


class Solution(NamedTuple):
    """States in rows, one for each time, NaN beyond the last time that was reached."""

    states: Any
    reached: Any
    record: Record


class _Try(NamedTuple):
    last: Stretch
    rate: Any
    """The rate at its end."""
    width: Any
    """How wide the next step may be."""
    tries: Any
    record: Record


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
    least = 10 * resolution(y)
    end = index(passed, -1)

    def going(s: _Try) -> Any:
        return (s.tries < max_steps) & (s.width > least * s.last.end)

    def advance(s: _Try) -> _Try:
        y, t = s.last.after, s.last.end
        ends = t + s.width >= end
        width = where(ends, end - t, s.width)
        step = method.step(field, y, t, width, s.rate)
        norm = allowed.norm(step.error, y, step.after)
        good = norm <= 1
        after = where(good, step.after, y)
        t_after = where(good, where(ends, end, t + width), t)
        count = s.record.count + where(good, 1, 0)
        record = Record(
            count,
            updated(index(s.record.times, count), "set", t_after),
            updated(index(s.record.marks, (count + (block - 1)) // block), "set", after),
        )
        return _Try(
            Stretch(y, after, step.curves, t, t_after),
            where(good, step.rate, s.rate),
            minimum(width * method.width_factor(norm), allowed.widest),
            s.tries + 1,
            record,
        )

    def reach(s: _Try, time: Any) -> tuple[_Try, Any]:
        s = while_loop(lambda s: behind(s.last, time, s.record.count) & going(s), advance, s)
        return s, where(time <= s.last.end, s.last.read(time), float("nan"))

    zero, n = zeros_like(end), lengths_of(y)[0]
    rate = field(y, zero)
    record = Record(
        as_tensor(0),
        zeros((max_steps + 1,), dtype=end.dtype),
        updated(index(zeros((-(-max_steps // block) + 1, n), dtype=y.dtype), 0), "set", y),
    )
    width = first_width(method, field, y, rate, end, allowed)
    start = _Try(Stretch.at(y, zero, method.curves), rate, width, as_tensor(0), record)
    last, states = scan(reach, start, passed)
    return Solution(states, last.last.end, last.record)
