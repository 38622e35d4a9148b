"""Derivatives of solutions of differential equations: those of the steps that were made."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any, NamedTuple

from weft_graph import OpFromGraph
from weft_graph.extend import closed_over
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop, scan, while_loop
from weft_tensor.ops.creation.creation import arange, zeros, zeros_like
from weft_tensor.ops.elementwise.arithmetic import minimum
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.graph_slopes import GraphSlopes
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.integrate.runge_kutta import Field, Method, Tolerances
from weft_tensor.ops.integrate.stretches import Record, Stretch, behind, mark, solved
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["states_at"]


def states_at(
    method: Method,
    field: Field,
    y: TensorVariable,
    passed: TensorVariable,
    allowed: Tolerances,
    max_steps: int,
) -> tuple[TensorVariable, TensorVariable]:
    """The states at the times `passed`, in order, from `y` at time 0; and the last time reached.

    Derivatives are those of the steps, as if their widths were constants: exact for the numbers
    that come out, in both modes, and without a search for widths of their own. The reverse one
    makes the steps of a block again from the state before it: of `max_steps` states it keeps
    twice the root.
    """
    time = index(passed, 0)
    start, times, at, t, h = (v.type() for v in (y, passed, y, time, time))
    block = isqrt(max_steps)
    solution = solved(method, field, start, times, allowed, max_steps, block)
    results = [solution.states, solution.reached, *solution.record]
    step = method.step(field, at, t, h, field(at, t))
    others = closed_over([*results, step.after, step.curves], [start, times, at, t, h])
    again = OpFromGraph([at, t, h, *others], [step.after, step.curves], inline=False)
    steps = _Steps(again, Stretch(at, at, step.curves, t, t), block)
    op = OpFromGraph([start, times, *others], results, "odeint", steps.pullback, steps.pushforward)
    node: Any = op.make_node(y, passed, *others)
    return node.outputs[0], node.outputs[1]


class _Moved(NamedTuple):
    """The last step, how it changes, how many there were, and how the record's states change."""

    last: Stretch
    changes: Stretch
    count: Any
    marks: Any


class _Reads(NamedTuple):
    """How many times are left, their weights so far, and those of a stretch that is read."""

    left: Any
    times: Any
    before: Any
    after: Any
    curves: Any


class _Back(NamedTuple):
    """How many times are left, their weights so far, the state's, and those of all else."""

    left: Any
    times: Any
    weight: Any
    sums: list[Any]


class _Steps:
    """Derivatives of solutions by those of a step, which gives the next state and curves."""

    def __init__(self, step: OpFromGraph, like: Stretch, block: int) -> None:
        self.step, self.slopes, self.block = step, GraphSlopes(step, 1), block
        self.curves: Any = like.curves.type.shape[0]
        stretch, time = Stretch(*[v.type() for v in like]), like.end.type()
        self.read = GraphSlopes(OpFromGraph([*stretch, time], [stretch.read(time)]), 6)

    def _stretch(
        self, record: Record, k: Any, before: Any, same: Sequence[Any]
    ) -> tuple[tuple[Any, Any, Any], Stretch]:
        """Step `k` again: what it is made of, and what it gives."""
        begin, end = index(record.times, k), index(record.times, k + 1)
        place = before, begin, end - begin
        after, curves = self.step.body([*place, *same])
        return place, Stretch(before, after, curves, begin, end)

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        y, passed, *same = inputs
        reached, record = outputs[1], Record(*outputs[2:])
        first, times, *moving = tangents

        def advance(s: _Moved) -> _Moved:
            place, last = self._stretch(record, s.count, s.last.after, same)
            before = s.changes.after
            after, curves = self.slopes.moved(place, same, [before, None, None, *moving])
            changes = s.changes._replace(
                before=before,
                after=_or_zero(after, last.after),
                curves=_or_zero(curves, last.curves),
            )
            count = s.count + 1
            room = index(s.marks, mark(count, self.block))
            return _Moved(last, changes, count, updated(room, "set", changes.after))

        def reach(s: _Moved, element: Any) -> tuple[_Moved, Any]:
            time, change = element
            s = while_loop(
                lambda s: behind(s.last, time, s.count) & (s.count < record.count), advance, s
            )
            seeds = [*s.changes[:3], None, None, change]
            moved = self.read.moved([*s.last, time], [], seeds)[0]
            return s, where(time <= reached, moved, 0.0)

        zero = zeros_like(reached)
        start = Stretch.at(_or_zero(first, y), zero, self.curves)
        marks = updated(index(zeros_like(record.marks), 0), "set", start.after)
        state = _Moved(Stretch.at(y, zero, self.curves), start, as_tensor(0), marks)
        state, rows = scan(reach, state, [passed, _or_zero(times, passed)])
        return [rows, None, *Record(None, None, state.marks)]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        y, passed, *same = inputs
        reached, record = outputs[1], Record(*outputs[2:])
        rows, marks = cotangents[0], Record(*cotangents[2:]).marks
        if rows is None and marks is None:
            return [None for _ in inputs]
        rows = _or_zero(rows, outputs[0])
        curves = zeros((self.curves, lengths_of(y)[0]), dtype=y.dtype)
        pulled = self.slopes.pulled((y, reached, reached), same, [y, curves])[3:]
        moving = [j for j, v in enumerate(pulled) if v is not None]

        def back(k: Any, before: Any, state: _Back) -> _Back:
            place, stretch = self._stretch(record, k, before, same)

            def within(r: _Reads) -> Any:
                return (r.left > 0) & ((index(passed, r.left - 1) > stretch.begin) | (k < 1))

            def read(r: _Reads) -> _Reads:
                j = r.left - 1
                parts = self.read.pulled([*stretch, index(passed, j)], [], [index(rows, j)])
                own, next_, between, _, _, time = parts
                times = updated(index(r.times, j), "set", time)
                return _Reads(j, times, r.before + own, r.after + next_, r.curves + between)

            reads = _Reads(state.left, state.times, zeros_like(y), state.weight, curves)
            reads = while_loop(within, read, reads, max_steps=lengths_of(passed)[0])
            own, _, _, *rest = self.slopes.pulled(place, same, [reads.after, reads.curves])
            weight = reads.before + _or_zero(own, y)
            sums = [v + rest[j] for v, j in zip(state.sums, moving, strict=True)]
            return _Back(reads.left, reads.times, weight, sums)

        def block_back(i: Any, state: _Back) -> _Back:
            block = (record.count - 1) // self.block - i
            first = block * self.block
            size = minimum(record.count - first, self.block)

            def forth(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
                k, before, kept = state
                _, stretch = self._stretch(record, first + k, before, same)
                return k + 1, stretch.after, updated(index(kept, k), "set", before)

            room = zeros((self.block, lengths_of(y)[0]), dtype=y.dtype)
            begin = (as_tensor(0), index(record.marks, block), room)
            _, _, kept = while_loop(lambda s: s[0] < size, forth, begin, max_steps=self.block)

            def body(state: tuple[Any, _Back]) -> tuple[Any, _Back]:
                k = state[0] - 1
                return k, back(first + k, index(kept, k), state[1])

            _, state = while_loop(lambda s: s[0] > 0, body, (size, state), max_steps=self.block)
            if marks is None:
                return state
            return state._replace(weight=state.weight + index(marks, block))

        left = sum(passed <= reached)
        sums = [zeros_like(same[j]) for j in moving]
        state = _Back(left, zeros_like(passed), zeros_like(y), sums)
        blocks = mark(record.count, self.block)
        state = fori_loop(0, blocks, block_back, state)
        unmoved = expand_dims(arange(lengths_of(passed)[0]) < state.left, -1)
        weight = state.weight + sum(where(unmoved, rows, 0.0), axis=0)
        by_place = dict(zip(moving, state.sums, strict=True))
        return [weight, state.times, *[by_place.get(j) for j in range(len(same))]]


def _or_zero(change: Any, like: Any) -> Any:
    return zeros_like(like) if change is None else change
