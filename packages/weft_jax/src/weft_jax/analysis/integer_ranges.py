"""Between which numbers the integers of a graph are, as far as that follows from its inputs.

An index that is within its bounds for certain need not be checked in each step of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant, Variable
from weft_graph.extend import Identity
from weft_tensor import (
    Arange,
    ArgMax,
    ArgMin,
    ArgSort,
    Concatenate,
    Length,
    Max,
    Min,
    Pointwise,
    Recurrence,
    Reshape,
    SearchSorted,
    TensorType,
    View,
)
from weft_tensor.extend import Stack, kind_of

__all__ = ["IntegerRanges", "Range", "ranges_in_body"]


class Range(NamedTuple):
    """The least and the greatest of the numbers that an integer, or each of an array, may be."""

    least: int
    greatest: int


class IntegerRanges:
    """The ranges of a graph's variables, by those that are known, and by shapes.

    >>> from weft_tensor import scalar, vector
    >>> i, x = scalar("i", "int64"), vector("x")
    >>> ranges = IntegerRanges({i: Range(1, 9)}, {x: (20,)})
    >>> ranges.of(2 * i % 7), ranges.of(x.shape[0] - i), ranges.of(i * i - 1)
    (Range(least=0, greatest=6), Range(least=11, greatest=19), Range(least=0, greatest=80))
    >>> k = scalar("k", "int64")
    >>> ranges.of(k % 100), ranges.of(k & 15), ranges.of(100 % k)
    (Range(least=0, greatest=99), Range(least=0, greatest=15), None)
    """

    def __init__(
        self, ranges: Mapping[Variable, Range | None], shapes: Mapping[Variable, tuple[int, ...]]
    ) -> None:
        self._ranges = dict(ranges)
        self._shapes = shapes

    def of(self, v: Variable) -> Range | None:
        """That of a variable; None if it isn't known, or if it is no integer."""
        ranges, stack = self._ranges, [v]
        while stack:
            u = stack[-1]
            if u in ranges:
                stack.pop()
            elif _limits(u) is None:
                ranges[u] = None
            elif unknown := [i for i in u.inputs if i not in ranges]:
                stack += unknown
            else:
                ranges[u] = self._within_limits(u)
        return ranges[v]

    def holds(self, condition: Any) -> bool:
        """Whether something is greater than, or equal to, something else for certain."""
        if _name(condition) != "ge":
            return False
        x, y = map(self.of, condition.inputs)
        return x is not None and y is not None and x.least >= y.greatest

    def _within_limits(self, v: Variable) -> Range | None:
        least, greatest = self._computed(v) or (0, np.inf)
        lowest, highest = _limits(v) or (0, 0)
        return Range(least, int(greatest)) if lowest <= least and greatest <= highest else None

    def _computed(self, v: Any) -> Range | None:
        op, kind = v.op, kind_of(v)
        if isinstance(op, Constant):
            values = np.asarray(op.value)
            return Range(int(values.min()), int(values.max())) if values.size else None
        if isinstance(op, Length):
            n = self._length(v.inputs[0], op.axis)
            return None if n is None else Range(n, n)
        if isinstance(op, SearchSorted):
            n = self._length(v.inputs[0], 0)
            return None if n is None else Range(0, n)
        if isinstance(op, Arange):
            count = self.of(v.inputs[0])
            return Range(0, max(count.greatest - 1, 0)) if count else None
        if isinstance(op, (ArgMax, ArgMin, ArgSort)):
            n = self._length(v.inputs[0], op.axis)
            return None if n is None else Range(0, max(n - 1, 0))
        if isinstance(op, (Concatenate, Stack)):
            parts = [r for r in map(self.of, v.inputs) if r]
            return reduce(_union, parts) if len(parts) == len(v.inputs) else None
        if isinstance(kind, View) or isinstance(op, (Reshape, Identity, Max, Min)):
            return self.of(v.inputs[0])
        if _difference(v):
            then, otherwise = self.of(v.inputs[1]), self.of(v.inputs[2])
            most = then.greatest if then else np.iinfo("int64").max
            return _union(Range(1, max(most, 1)), otherwise) if otherwise else None
        rule = _RULES.get(_name(v))
        below = [self.of(u) for u in v.inputs[rule is _union :]] if rule else []
        if _name(v) in _ONE_SIDED and None in below:
            below = [r or _limits(v) for r in below]
        return rule(*below) if rule and None not in below else None

    def _length(self, v: Any, axis: int) -> int | None:
        """That of an axis, if `v` has one of known length, or is elementwise of what has."""
        of = v
        while of not in self._shapes and not isinstance(of.type.shape[axis], int):
            is_alike = isinstance(kind_of(of), Pointwise)
            of = next((u for u in of.inputs if is_alike and u.ndim == v.ndim), None)
            if of is None:
                return None
        shape = self._shapes.get(of, of.type.shape)
        n: int = shape[axis]
        return n if of is v or n > 1 else None


def _limits(v: Variable) -> Range | None:
    """What the dtype of an integer can hold."""
    if not isinstance(v.type, TensorType) or np.dtype(v.type.dtype).kind not in "iu":
        return None
    limits = np.iinfo(v.type.dtype)
    return Range(int(limits.min), int(limits.max))


def _union(x: Range, y: Range) -> Range:
    """Of one or the other, as a condition chooses."""
    return Range(min(x.least, y.least), max(x.greatest, y.greatest))


def _at_ends(function: Callable[[int, int], int]) -> Callable[..., Range]:
    """For a function whose extremes are at those of its arguments."""

    def rule(x: Range, y: Range) -> Range:
        values = [function(a, b) for a in x for b in y]
        return Range(min(values), max(values))

    return rule


def _mod(x: Range, y: Range) -> Range | None:
    if y.least <= 0:
        return None
    return x if x.least >= 0 and x.greatest < y.least else Range(0, y.greatest - 1)


def _and(x: Range, y: Range) -> Range | None:
    greatest = [r.greatest for r in (x, y) if r.least >= 0]
    return Range(0, min(greatest)) if greatest else None


def _floor_div(x: Range, y: Range) -> Range | None:
    return _at_ends(int.__floordiv__)(x, y) if y.least > 0 else None


def _abs(x: Range) -> Range:
    least = 0 if x.least <= 0 <= x.greatest else min(abs(x.least), abs(x.greatest))
    return Range(least, max(abs(x.least), abs(x.greatest)))


_RULES: Final[dict[str, Callable[..., Range | None]]] = {
    "add": _at_ends(int.__add__),
    "sub": _at_ends(int.__sub__),
    "mul": _at_ends(int.__mul__),
    "minimum": _at_ends(min),
    "maximum": _at_ends(max),
    "mod": _mod,
    "bitwise_and": _and,
    "floor_div": _floor_div,
    "abs": _abs,
    "neg": lambda x: Range(-x.greatest, -x.least),
    "cast": lambda x: x,
    "where": _union,
}


_ONE_SIDED: Final = frozenset(["maximum", "minimum", "mod", "bitwise_and"])
"""Functions that one argument alone bounds, be it on one side."""


def ranges_in_body(loop: Any, ranges: IntegerRanges) -> list[Range | None]:
    """Those of the inputs of a loop's body, in each step, where `ranges` are around the loop.

    >>> from weft_graph import ancestors
    >>> from weft_tensor import fori_loop, scalar
    >>> n, x = scalar("n", "int64"), scalar("x")
    >>> last = fori_loop(3, n, lambda i, s: s * i, x)
    >>> (loop,) = [v for v in ancestors([last]) if isinstance(v.op, Recurrence)]
    >>> ranges_in_body(loop, IntegerRanges({n: Range(9, 9)}, {}))
    [Range(least=3, greatest=8), None]
    """
    op: Recurrence = loop.op
    graph = op.body.graph
    inner, values = op.parts(graph.inputs), op.parts(loop.inputs[1:])
    sequences, states, others = [list(map(ranges.of, part)) for part in values]
    of = IntegerRanges(dict(zip(inner.others, others, strict=True)), {}).of
    conditions = list(_conjuncts(graph.outputs[-1])) if op.conditional else []
    steps, end = ranges.of(loop.inputs[0]), _difference(loop.inputs[0])
    for k, (before, after) in enumerate(zip(inner.states, graph.outputs, strict=False)):
        stride, begin = _stride(before, after), states[k]
        bounds = [(side, of(bound)) for side, bound in _bounds(after, conditions)]
        if end and end[1] is values.states[k] and stride == 1:
            bounds.append((_Side(1, 1), ranges.of(end[0])))
        states[k] = _counted(begin, stride, steps, bounds, _limits(before)) if begin else None
    return [*sequences, *states, *others]


def _counted(
    begin: Range,
    stride: int,
    steps: Range | None,
    bounds: Sequence[tuple[_Side, Range | None]],
    limits: Range | None,
) -> Range | None:
    """Of what begins in a range, and is `stride` more in each step, as long as it is in bounds."""
    if not stride or limits is None:
        return None
    sign = 1 if stride > 0 else -1
    start, last = sorted(sign * e for e in begin)
    ends = [last + abs(stride) * max(steps.greatest - 1, 0)] if steps else []
    for side, bound in bounds:
        if bound and side.sign == sign:
            ends.append(max(last, *[sign * e - side.distance for e in bound]))
    if not ends:
        return None
    least, greatest = sorted([sign * start, sign * min(ends)])
    room = Range(limits.least + abs(stride), limits.greatest - abs(stride))
    return Range(least, greatest) if room.least <= least and greatest <= room.greatest else None


def _difference(v: Any) -> tuple[Variable, Variable] | None:
    """Of what is x - y where x > y, and something else elsewhere: x and y."""
    if _name(v) == "where" and _name(v.inputs[0]) == "gt":
        x, y = v.inputs[0].inputs
        then = v.inputs[1]
        if _name(then) == "sub" and then.inputs == (x, y):
            return x, y
        if then is x and isinstance(y.op, Constant) and not np.any(y.op.value):
            return x, y
    return None


class _Side(NamedTuple):
    """On which side a bound is, 1 if above, and how far from it the nearest number within."""

    sign: int
    distance: int


_SIDES: Final = {"lt": _Side(1, 1), "le": _Side(1, 0), "gt": _Side(-1, 1), "ge": _Side(-1, 0)}


def _bounds(v: Variable, conditions: Sequence[Any]) -> Iterator[tuple[_Side, Variable]]:
    """What `v` is compared with in conditions."""
    for condition in conditions:
        side = _SIDES.get(_name(condition))
        if side is not None:
            x, y = condition.inputs
            if x is v:
                yield side, y
            elif y is v:
                yield side._replace(sign=-side.sign), x


def _conjuncts(condition: Any) -> Iterator[Any]:
    """What must be true for a condition to be."""
    if _name(condition) in ("bitwise_and", "logical_and"):
        for part in condition.inputs:
            yield from _conjuncts(part)
    else:
        yield condition


def _stride(before: Variable, after: Any) -> int:
    """What a step adds to a state; 0 if that is not one number."""
    name = _name(after)
    if name not in ("add", "sub"):
        return 0
    x, y = after.inputs
    if name == "add" and y is before:
        x, y = y, x
    if x is not before or not isinstance(y.op, Constant):
        return 0
    return int(y.op.value) if name == "add" else -int(y.op.value)


def _name(v: Variable) -> str:
    """That of the function of numbers that `v` is; none if it is another."""
    kind = kind_of(v)
    return kind.of if isinstance(kind, Pointwise) and isinstance(kind.of, str) else ""
