"""States of loops that are written to where they lie, as nobody reads what they were before.

`state[i].set(value)` is a copy with one element changed; where the copy is the next state, and the
last reader of the old one, the element is changed in the memory that the loop has for the state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from weft_graph import FunctionGraph, Variable, ancestors, replace
from weft_graph.extend import Barrier
from weft_numba.fusion.grouping import Fused, Step
from weft_numba.fusion.numbering import Pack
from weft_numba.fusion.rooms import computed_by, memory_of
from weft_tensor import Scatter
from weft_tensor.extend import kind_of

__all__ = ["comes_last", "is_read_alone", "updates_in_place", "with_values_apart"]


def with_values_apart(graph: FunctionGraph, states: Mapping[int, Variable]) -> FunctionGraph:
    """A body whose updates of `states` are apart from the values that are read from these.

    In one loop nest with its update, a value might be read after it has been written over.
    """
    outputs = list(graph.outputs)
    for k, state in states.items():
        after, apart = state, dict[Variable, Variable]()
        for update in reversed(_chain(outputs[k], state)):
            _, *change = update.inputs
            after = update.op(after, *[_behind_barrier(v, state) for v in change])
            apart[update] = after
        outputs = replace(outputs, apart)
    return FunctionGraph(graph.inputs, outputs)


def updates_in_place(
    graph: FunctionGraph, steps: list[Step], states: Mapping[int, Variable]
) -> dict[Variable, int]:
    """What may be computed in the memory of a state, and the state's number.

    `states` are inputs of the graph, by the numbers of the outputs that are the next ones. Steps
    are put into another order where an update would else come before another reader of its base.
    """
    computed = computed_by(steps)
    places: dict[Variable, int] = {}
    for k, state in states.items():
        chain = _chain(graph.outputs[k], state)
        order = list(steps)
        if (
            chain
            and is_read_alone(graph, k, {state, *chain}, computed)
            and all(_is_last(order, computed, update) for update in reversed(chain))
        ):
            steps[:] = order
            places.update(dict.fromkeys(chain, k))
    return places


def is_read_alone(
    graph: FunctionGraph, k: int, own: Collection[Variable], computed: Collection[Variable | Pack]
) -> bool:
    """Whether no output but number k may lie in the memory of one of `own`."""
    others = [v for j, v in enumerate(graph.outputs) if j != k]
    return all(memory_of(v, computed).isdisjoint(own) for v in others)


def comes_last(
    steps: list[Step], computed: Collection[Variable | Pack], at: int, base: Variable
) -> bool:
    """Whether step number `at` can be the last that reads `base`; it is put there if so."""
    step = steps[at]
    outputs = step.outputs if isinstance(step, Fused) else [step]
    if _share([v for v in step.inputs if v is not base], base, computed):
        return False
    readers = [k for k, s in enumerate(steps) if k > at and _share(s.inputs, base, computed)]
    between = steps[at + 1 : max(readers, default=at) + 1]
    if any(v in other.inputs for other in between for v in outputs):
        return False
    steps[at : at + len(between) + 1] = [*between, step]
    return True


def _chain(after: Variable, state: Variable) -> list[Variable]:
    """The updates that lead from a state to the next, the last one first."""
    chain: list[Variable] = []
    while after is not state:
        if not isinstance(kind_of(after), Scatter):
            return []
        chain.append(after)
        after = after.inputs[0]
    return chain


def _behind_barrier(v: Variable, state: Variable) -> Variable:
    return Barrier()(v) if state in ancestors([v]) else v


def _is_last(steps: list[Step], computed: Collection[Variable | Pack], update: Variable) -> bool:
    base = update.inputs[0]
    for at, step in enumerate(steps):
        if isinstance(step, Fused) and update in step.outputs:
            return _only_copies(step, base) and comes_last(steps, computed, at, base)
    return False


def _only_copies(step: Fused, base: Variable) -> bool:
    """Whether a loop nest reads `base` for nothing but as the table that it writes to."""
    if base not in step.inputs:
        return False
    argument, kernel = step.inputs.index(base), step.kernel
    operands = [k for k, o in enumerate(kernel.operands) if o.argument == argument]
    read = {k for s in kernel.statements for k in s.arguments}
    return [r.base for r in kernel.results].count(operands[0]) == len(operands) == 1 and operands[
        0
    ] not in read


def _share(values: Iterable[Any], base: Variable, computed: Collection[Variable | Pack]) -> bool:
    """Whether one of these may lie in the memory of `base`."""
    return any(base in memory_of(v, computed) for v in values if isinstance(v, Variable))
