"""States of loops that are written to where they lie, as nobody reads what they were before.

`state[i].set(value)` is a copy with one element changed; where the copy is the next state, and the
last reader of the old one, the element is changed in the memory that the loop has for the state.
A loop inside that begins with the copy, and ends with the next state, goes on in that memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from weft_graph import FunctionGraph, Variable, replace
from weft_graph.extend import Barrier, toposort
from weft_numba.analysis.shifts import Shifted
from weft_numba.fusion.grouping import Fused, Step
from weft_numba.fusion.rooms import all_builtin, computed_by, entered, memory_of
from weft_tensor import Scatter
from weft_tensor.extend import kind_of

__all__ = [
    "Schedule",
    "is_read_alone",
    "last_read_by",
    "updates_in_place",
    "with_values_apart",
]


class Schedule:
    """Steps in an order that may change, and who reads what."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps
        self.computed = computed_by(steps)
        self._places = {id(step): k for k, step in enumerate(steps)}
        self._readers: dict[Variable, list[Step]] = {}
        for step in steps:
            for owner in self._owners(step.inputs):
                self._readers.setdefault(owner, []).append(step)

    def put_last(self, step: Step, base: Variable) -> bool:
        """Whether `step` can be the last that reads `base`: it is put behind the others if so."""
        if base in self._owners(v for v in step.inputs if v is not base):
            return False
        at = self._places[id(step)]
        last = max(self._places[id(reader)] for reader in self._readers[base])
        between = self.steps[at + 1 : last + 1]
        outputs = step.outputs if isinstance(step, Fused) else [step]
        if any(v in other.inputs for other in between for v in outputs):
            return False
        for k, moved in enumerate([*between, step] if between else (), at):
            self.steps[k] = moved
            self._places[id(moved)] = k
        return True

    def _owners(self, values: Any) -> set[Variable]:
        """All in whose memory one of these may lie."""
        variables = [v for v in values if isinstance(v, Variable)]
        return {owner for v in variables for owner in memory_of(v, self.computed)}


def with_values_apart(graph: FunctionGraph, states: Mapping[int, Variable]) -> FunctionGraph:
    """A body whose updates of `states` are apart from the values that are read from these.

    In one loop nest with its update, a value might be read after it has been written over.
    """
    outputs = list(graph.outputs)
    for k, state in states.items():
        if not (chain := _chain(entered(outputs[k])[1], state)):
            continue
        below = {state}
        for v in toposort(outputs):
            if not below.isdisjoint(v.inputs):
                below.add(v)
        after, apart = state, dict[Variable, Variable]()
        for update in reversed(chain):
            _, *change = update.inputs
            if not isinstance(update.op, Shifted):  # which is in no loop nest
                change = [Barrier()(v) if v in below else v for v in change]
            after = update.op(after, *change)
            apart[update] = after
        outputs = replace(outputs, apart)
    return FunctionGraph(graph.inputs, outputs)


def updates_in_place(
    graph: FunctionGraph, schedule: Schedule, states: Mapping[int, Variable]
) -> dict[Variable, int]:
    """What may be computed in the memory of a state, and the state's number.

    `states` are inputs of the graph, by the numbers of the outputs that are the next ones. Steps
    are put into another order where an update would else come before another reader of its base.
    """
    nests = {v: s for s in schedule.steps if isinstance(s, Fused) for v in s.outputs}

    def is_last(update: Variable) -> bool:
        base, nest = update.inputs[0], nests.get(update)
        if isinstance(update.op, Shifted):
            return schedule.put_last(update, base)
        return nest is not None and _only_copies(nest, base) and schedule.put_last(nest, base)

    places: dict[Variable, int] = {}
    for k, state in states.items():
        after = graph.outputs[k]
        loop, first = entered(after)
        chain = _chain(first, state)
        is_alone = chain and is_read_alone(graph, k, {state, *chain, after}, schedule)
        if (
            is_alone
            and all(map(is_last, reversed(chain)))
            and (loop is None or (loop in schedule.steps and schedule.put_last(loop, first)))
        ):
            places.update(dict.fromkeys(chain, k))
    return places


def last_read_by(node: Variable, graph: FunctionGraph, steps: Sequence[Step]) -> list[Variable]:
    """What loop nests compute and nobody reads once `node` has, which reads it only once."""
    if not all_builtin(steps):
        return []
    computed = computed_by(steps)
    at = next(k for k, step in enumerate(steps) if step is node)
    reads = [*graph.outputs, *(v for step in steps[at:] for v in step.inputs)]
    owners = [v for x in reads if isinstance(x, Variable) for v in memory_of(x, {*computed, node})]
    return [v for v in node.inputs if v in computed and owners.count(v) == 1]


def is_read_alone(
    graph: FunctionGraph, k: int, own: Collection[Variable], schedule: Schedule
) -> bool:
    """Whether no output but number k may lie in the memory of one of `own`."""
    others = [v for j, v in enumerate(graph.outputs) if j != k]
    return all(memory_of(v, schedule.computed).isdisjoint(own) for v in others)


def _chain(after: Variable, state: Variable) -> list[Variable]:
    """The updates that lead from a state to the next, the last one first."""
    chain: list[Variable] = []
    while after is not state:
        if not isinstance(after.op, Shifted) and not isinstance(kind_of(after), Scatter):
            return []
        chain.append(after)
        after = after.inputs[0]
    return chain


def _only_copies(nest: Fused, base: Variable) -> bool:
    """Whether a loop nest reads `base` for nothing but as the table that it writes to."""
    if base not in nest.inputs:
        return False
    argument, kernel = nest.inputs.index(base), nest.kernel
    operands = [k for k, o in enumerate(kernel.operands) if o.argument == argument]
    read = {k for s in kernel.statements for k in s.arguments}
    return [r.base for r in kernel.results].count(operands[0]) == len(operands) == 1 and operands[
        0
    ] not in read
