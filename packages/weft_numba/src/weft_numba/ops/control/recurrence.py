"""`Recurrence` in Numba: a loop among the lines of the program; states stay in registers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import Step
from weft_numba.analysis.numbers import in_numbers
from weft_numba.analysis.shifts import with_shifts
from weft_numba.analysis.specialise import narrowed
from weft_numba.fusion.emit_program import Writer, planned
from weft_numba.fusion.in_place import (
    Schedule,
    is_read_alone,
    updates_in_place,
    with_values_apart,
)
from weft_numba.fusion.rooms import Rooms, all_builtin, entered, lasting
from weft_numba.ir.axis_sizes import AxisEqualities
from weft_numba.lowering.dispatch import IN_LINES
from weft_numba.lowering.njit_source import CASTS
from weft_numba.lowering.signals import heed_signals
from weft_numba.numba_layer.new_array import new_array, number_at, put_number
from weft_numba.numba_layer.rooms import borrowed_row, row_room, row_size
from weft_numba.numba_layer.rows import contiguous, copied, required, same_shape, write_row
from weft_tensor import Recurrence
from weft_tensor.extend import NO_STEP, OTHER_LENGTH, lengths_of_steps

__all__ = ["loop_lines"]


def loop_lines(
    writer: Writer,
    node: Variable,
    names: Sequence[str],
    lengths: AxisEqualities,
    read: Collection[int],
) -> list[str]:
    """Write the loop, of the names of its inputs; gives those of its results.

    Of these, only those with the numbers `read` are.
    """
    apart = in_numbers(node)
    if apart is None:
        return _Loop(writer, node, names, lengths).written(read)
    wanted = FunctionGraph(apart.inputs, [apart.outputs[k] for k in read])
    name_of = dict(zip(node.inputs, names, strict=True))
    results = [names[0]] * len(apart.outputs)
    for k, name in zip(read, writer.steps(wanted, [name_of[v] for v in apart.inputs]), strict=True):
        results[k] = name
    return results


IN_LINES[Recurrence] = loop_lines


class _Loop:
    """The lines of a loop."""

    def __init__(
        self, writer: Writer, node: Variable, names: Sequence[str], lengths: AxisEqualities
    ) -> None:
        self.writer, self.node = writer, node
        op: Any = node.op
        self.op: Recurrence = op
        self.same = lengths.inside(node)
        self.steps, *self.inputs = names
        self.kinds: list[Any] = [v.type for v in op.body.graph.outputs]
        self.count = len(op.kept)
        body = narrowed(op.body.graph, assume=False, same=self.same).graph
        body = with_shifts(body, self._free(body))
        self.body = planned(with_values_apart(body, self._free(body)), same=self.same)
        graph, _, steps = self.body
        schedule = Schedule(steps)
        free = self._free(graph) if all_builtin(steps) else {}
        self.updates = updates_in_place(graph, schedule, free)
        """What is computed in the memory of a state, and its number."""
        self.passed = self._passed(schedule, free)
        """The states whose memory is that of a loop inside, by their numbers, and that loop."""
        self.whole: dict[int, str] = {}
        """By the number of what the body gives, the array that keeps all of it."""

    def _free(self, body: FunctionGraph) -> dict[int, Variable]:
        """The states that may be changed where they lie, by their numbers."""
        one_thread = not self.writer.options["parallel"]
        return {
            k: v
            for k, v in enumerate(self.op.parts(body.inputs).states)
            if not self.op.kept[k] and self.kinds[k].ndim and one_thread
        }

    def _passed(self, schedule: Schedule, free: Mapping[int, Variable]) -> dict[int, Variable]:
        graph, passed = self.body.graph, dict[int, Variable]()
        for k, state in free.items():
            after = graph.outputs[k]
            loop, first = entered(after)
            if loop is None or loop not in self.body.steps:
                continue
            if self.updates.get(first) == k or (
                first is state
                and is_read_alone(graph, k, {state, after}, schedule)
                and schedule.put_last(loop, state)
            ):
                passed[k] = loop
        return passed

    def written(self, read: Collection[int]) -> list[str]:
        """The loop; gives the names of its results, of which those are right that are `read`."""
        op, writer = self.op, self.writer
        sequences, firsts, others = op.parts(self.inputs)
        self._check(sequences)
        states = [self._first(k, x) for k, x in enumerate(firsts)]
        results = range(self.count, len(self.kinds) - op.conditional)
        ready = self._make_room(list(results))
        count, m, i = writer.name(), writer.name(), writer.name()
        writer.add(f"{count} = 0")
        with self._block(f"for {m} in range({self.steps}):"):
            writer.add(f"{i} = {self.steps} - 1 - {m}" if op.backwards else f"{i} = {m}")
            rooms = self._rooms(states, m, i, results if ready else ())
            elements = [
                self._element(x, i, v.type, rooms)
                for x, v in zip(sequences, self.body.graph.inputs, strict=False)
            ]
            for k, loop in self.passed.items():
                writer.overwritable.setdefault(loop, set()).add(states[k])
            nexts = writer.lines(self.body, [*elements, *states, *others], rooms)
            for k in results:
                if not ready:
                    self._room_by_first(k, m, nexts[k])
                self._store(k, self._row(k, i), nexts[k], "a result")
            self._go_on(states, nexts, i)
            writer.add(f"{count} = {m} + 1")
            if op.conditional:
                with self._block(f"if not {nexts[-1]}:"):
                    writer.add("break")
                with self._block(f"if {m} & {self._pace} == {self._pace}:"):
                    writer.add(f"{writer.named(heed_signals)}()")
        there = {*self.passed, *self.updates.values()}
        own = self.whole | {k: states[k] for k in there}
        lasts = [own.get(k) or (self._last(k, s) if k in read else s) for k, s in enumerate(states)]
        writer.program.note(Step((self.node,), (self.steps, *self.inputs), depth=writer.depth))
        return [*lasts, *[self.whole[k] for k in results], *[count] * op.conditional]

    def _rooms(self, states: Sequence[str], m: str, i: str, results: Iterable[int]) -> Rooms | None:
        """Rooms for what step `m` computes of elements `i`; None if that may be read too long."""
        graph, _, steps = self.body
        last = lasting(graph, steps, self.op.kept)
        if last is None and not self.updates:
            return None
        room, size = self.writer.named(row_room), self.writer.named(row_size)
        rows = dict[Variable, tuple[str, str]]()
        for k in [*range(self.count), *results]:
            v, whole = graph.outputs[k], self.whole.get(k)
            if whole and self.kinds[k].ndim and last is not None and v not in last:
                row = self._row(k, i)
                rows[v] = f"{room}({whole}, {row})", f"{size}({whole})"
        homes = {v: states[k] for v, k in self.updates.items()}
        return Rooms(self.writer.named, m, rows, last, homes)

    def _row(self, k: int, i: str) -> str:
        """Where number k of what the body gives for the elements `i` is kept."""
        return i if k >= self.count or self.op.backwards else f"{i} + 1"

    def _element(self, x: str, i: str, kind: Any, rooms: Rooms | None) -> str:
        """A variable for an element of a sequence, which is held meanwhile."""
        name = self.writer.name()
        borrows = rooms and rooms.everywhere and kind.ndim
        value = f"{self.writer.named(borrowed_row)}({x}, {i})" if borrows else f"{x}[{i}]"
        if not kind.ndim:
            value = f"{self.writer.named(number_at)}({x}, {i})"
        self.writer.add(f"{name} = {value}")
        return name

    @property
    def _pace(self) -> int:
        """After so many steps, and one, signals are heeded: more often where each takes longer."""
        return 0xFF if any(kind.ndim for kind in self.kinds) else 0xFFFF

    def _check(self, sequences: Sequence[str]) -> None:
        self._require(f"{self.steps} >= 0", "loop: the number of steps is negative")
        for x in sequences:
            self._require(f"{x}.shape[0] == {self.steps}", f"loop: a sequence {OTHER_LENGTH}")

    def _first(self, k: int, x: str) -> str:
        """A variable for a state; room for all its values, with the first in its place."""
        name, ndim = self.writer.name(), self.kinds[k].ndim
        if k in self.passed or k in self.updates.values():
            if x in self.writer.overwritable.get(self.node, ()):
                return x
            first = f"{self.writer.named(copied)}({x})"
        else:
            first = f"{self.writer.named(contiguous)}({x})" if ndim else x
        self.writer.add(f"{name} = {first}")
        if self.op.kept[k]:
            self._room(k, f"{self.steps} + 1", [f"{x}.shape[{axis}]" for axis in range(ndim)])
            self._store(k, self.steps if self.op.backwards else "0", name, "a state")
        return name

    def _go_on(self, states: Sequence[str], nexts: Sequence[str], i: str) -> None:
        """The next states take the places of those before, all at once."""
        for k, (s, new) in enumerate(zip(states, nexts, strict=False)):
            if k in self.whole:
                self._store(k, self._row(k, i), new, "a state")
            elif self.kinds[k].ndim and new != s and not self._is_fixed(k):
                check = self.writer.named(same_shape(f"loop: a state {_CHANGES}"))
                self.writer.add(f"{check}({s}, {new})")
        new_states = dict(zip(states, nexts, strict=False))
        late = {s: self.writer.name() for s in states if s in nexts and new_states[s] != s}
        for s, name in late.items():
            self.writer.add(f"{name} = {s}")
        for s, new in new_states.items():
            if new != s:
                self.writer.add(f"{s} = {late.get(new, new)}")

    def _is_fixed(self, k: int) -> bool:
        """Whether types tell all lengths of a state: whatever reads it looks at them, too."""
        state: Any = self.op.parts(self.op.body.graph.inputs).states[k]
        shapes = (*state.type.shape, *self.kinds[k].shape)
        return all(isinstance(n, int) for n in shapes)

    def _last(self, k: int, state: str) -> str:
        """The last value of a state, which no other array shares."""
        if not self.kinds[k].ndim:
            return state
        name = self.writer.name()
        self.writer.add(f"{name} = {self.writer.named(copied)}({state})")
        return name

    def _make_room(self, results: Sequence[int]) -> bool:
        """Room for all results, if their lengths are known before the first step."""
        lengths_graph = lengths_of_steps(self.op) if results else None
        if lengths_graph is not None:
            names = iter(self.writer.steps(lengths_graph, self.inputs))
            for k, kind in enumerate(self.kinds):
                lengths = [next(names) for _ in range(kind.ndim)]
                if k in results:
                    self._room(k, self.steps, lengths)
            return True
        if results:
            self._require(f"{self.steps} != 0", NO_STEP)
        for k in results:
            self._room(k, "0", ["0"] * self.kinds[k].ndim)
        return False

    def _room_by_first(self, k: int, m: str, value: str) -> None:
        with self._block(f"if {m} == 0:"):
            shape = [f"{value}.shape[{axis}]" for axis in range(self.kinds[k].ndim)]
            self._room(k, self.steps, shape)

    def _room(self, k: int, rows: str, shape: Sequence[str]) -> None:
        """An array for all values of what the body gives as number k."""
        kind = self.kinds[k]
        name = self.whole.setdefault(k, self.writer.name())
        empty, dtype = self.writer.named(new_array), self.writer.named(CASTS[kind.dtype])
        self.writer.add(f"{name} = {empty}(({', '.join([rows, *shape])},), {dtype})")

    def _store(self, k: int, row: str, value: str, what: str) -> None:
        target = self.whole[k]
        if not self.kinds[k].ndim:
            self.writer.add(f"{self.writer.named(put_number)}({target}, {row}, {value})")
            return
        put = self.writer.named(write_row(f"loop: {what} {_CHANGES}"))
        self.writer.add(f"{put}({target}, {row}, {value})")

    def _require(self, condition: str, message: str) -> None:
        self.writer.add(f"{self.writer.named(required(message))}({condition})")

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self.writer.add(head)
        self.writer.depth += 1
        yield
        self.writer.depth -= 1


_CHANGES = "changes its shape from step to step: all must have one shape"
"""Python's words, which tell lengths, take the place of ours, as these have no number."""
